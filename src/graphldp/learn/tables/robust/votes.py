"""A score in which each user has one bounded vote, so that the harm of k liars is known exactly for every k.

    score of a class = s(n) + (n/m) Σ_i φ(level of i; n)

φ is linear in the sums of :class:`graphldp.learn.tables.robust.levels.Levelled`, with weights that vary with log n.
s and φ are learned together, by logistic regression with one more penalty than usual: the square of each level's vote,
over all levels that a user can claim, whether anybody does or not. So a level that a liar could use gets a loud vote
only where many honest users earn it.

**What k liars can do.** Take the lead of class a over class b and let e(level) be φ_b − φ_a. The lead falls most when
the k private users with the smallest e move to the level with the largest e, and by no lie does it fall more:

    lead − (n/m)·Σ_{k smallest} (max e − e_i)

A user who stays away counts as the mean of those who report, which is no more than max e. So the bound holds for her
too, and a lie attains it. One who has not reported may still do so, with any claim. Where all reports are private,
another liar does more harm. Beside public users, who cannot lie, she counts as a possible liar with the mean of e: j of
them who claim the worst add j to m, and Σ(max e − e_i)/(m + j) is at least 1/m times that sum without j means.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from graphldp.learn.tables.robust.levels import CHUNK, COLUMNS, Floats, Levelled

_RIDGE = 1e-3
_INFLUENCE = 0.03
_FINE_SIZES = np.log([12.0, 25, 50, 100, 180, 300, 400, 550, 900, 1600, 3000, 8000])
_SIZES = np.log([20.0, 80, 300, 800, 2500])
_NEWTON_STEPS = 40
_SETTLED = 1e-6
_SAFE = 1 - 1e-9  # of a lead: what rounding could have added is not counted
_ROUNDING = 1e-9  # nor is a lead that the order of a sum decides

Codes = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Votes:
    """The learned numbers.

    Args:
        base: s at a few sizes, and again at fewer, [sizes, classes].
        votes: the weights of the sums at those fewer sizes, [columns, sizes, classes].
    """

    base: Floats
    votes: Floats

    @classmethod
    def fit(cls, graphs: Levelled, codes: Codes, classes: int) -> Self:
        """Learn from graphs of these classes: one against the rest, or one against the other."""
        problem = _Problem.of(graphs)
        if classes == 2:
            found = problem.solve(np.where(codes == 1, 1.0, -1.0)) / 2
            return cls(*problem.split(np.stack((-found, found), axis=1)))
        signs = (np.where(codes == each, 1.0, -1.0) for each in range(classes))
        return cls(*problem.split(np.stack([problem.solve(each) for each in signs], axis=1)))

    def scores(self, graphs: Levelled) -> Floats:
        """The score of each class, [graphs, classes]."""
        found = [np.zeros((0, self.base.shape[1]))]
        for part in graphs.chunks():
            weights = np.einsum("gs,csk->gck", _hats(part.n, _SIZES), self.votes)
            sizes = np.hstack((_hats(part.n, _FINE_SIZES), _hats(part.n, _SIZES)))
            found.append(sizes @ self.base + np.einsum("gc,gck->gk", part.sums(), weights))
        return np.concatenate(found)

    def of_levels(self, graphs: Levelled) -> Floats:
        """(n/m)·φ, [graphs, levels, classes]: what one user of each level adds to the scores."""
        weights = np.einsum("gs,csk->gck", _hats(graphs.n, _SIZES), self.votes)
        return np.asarray(np.einsum("gbc,gck,g->gbk", graphs.parts(), weights, graphs.weight))

    def withstood(self, graphs: Levelled, codes: Codes, margin: float) -> Codes:
        """The largest k for each graph such that its class leads by more than the margin whatever k users send.

        Args:
            graphs: the graphs.
            codes: the class of each.
            margin: by how much it has to lead.

        Returns:
            [graphs]: 0 where not even one liar is withstood, or the class does not lead that much; less than the
            number of users who have reported, since without any report there is nothing to go by.
        """
        found = [np.zeros(0, np.int64)]
        for at, part in zip(range(0, len(codes), CHUNK), graphs.chunks(), strict=True):
            found.append(self._withstood(part, codes[at : at + CHUNK], margin))
        return np.concatenate(found)

    def _withstood(self, part: Levelled, codes: Codes, margin: float) -> Codes:
        scores, votes = self.scores(part), self.of_levels(part)
        row = np.arange(len(codes))
        k = np.minimum(part.private.sum(axis=1), part.reported - 1).astype(np.int64)
        for other in range(scores.shape[1]):
            left = scores[row, codes] - scores[:, other] - margin - _ROUNDING
            harm = votes[..., other] - votes[row, :, codes]
            k = np.where(codes == other, k, np.minimum(k, _liars(left, harm, part)))
        return np.asarray(k)


def _liars(left: Floats, harm: Floats, part: Levelled) -> Codes:
    """How many liars leave more than nothing of a lead.

    Args:
        left: the lead of each graph.
        harm: what a user of each level takes from it, [graphs, levels].
        part: the graphs.
    """
    most = np.where(part.admissible, harm, -np.inf).max(axis=1)
    silent = np.where((part.private < part.present).any(axis=1), part.n - part.present.sum(axis=1), 0.0)
    mean = (part.present * harm).sum(axis=1) / part.reported
    harm, private = np.column_stack((harm, mean)), np.column_stack((part.private, silent))
    order = harm.argsort(axis=1)
    each = most[:, None] - np.take_along_axis(harm, order, axis=1)  # falling: what a liar of this level takes
    there = np.take_along_axis(private, order, axis=1)
    before = np.cumsum(there * each, axis=1) - there * each
    room = left[:, None] - before  # of the lead, when all liars of more harmful levels have lied
    afforded = np.where(each > 0, np.ceil(room * _SAFE / np.maximum(each, 1e-30)) - 1, there)
    taken = np.clip(np.where(room > 0, afforded, 0.0), 0.0, there)
    stopped = np.cumsum(taken < there, axis=1) - (taken < there) > 0
    return np.asarray(np.where(stopped, 0.0, taken).sum(axis=1), np.int64)


@dataclass(frozen=True, eq=False)
class _Problem:
    """Logistic regression on standardised sums, ready to be solved for one class or another."""

    table: Floats
    penalty: Floats
    mean: Floats
    spread: Floats

    @classmethod
    def of(cls, graphs: Levelled) -> Self:
        sums = graphs.sums()
        mean, spread = sums.mean(axis=0), sums.std(axis=0)
        spread = np.where(spread > 1e-12, spread, 1.0)
        fine, coarse = _hats(graphs.n, _FINE_SIZES), _hats(graphs.n, _SIZES)
        table = np.hstack((fine, _each_by_each((sums - mean) / spread, coarse)))
        penalty = np.zeros((table.shape[1], table.shape[1]))
        first = len(_FINE_SIZES)
        penalty[:first, :first] = _RIDGE * (0.3 * _rough(first) + 0.01 * np.eye(first))
        penalty[first:, first:] = _RIDGE * np.kron(np.eye(COLUMNS), _rough(len(_SIZES)) + 0.1 * np.eye(len(_SIZES)))
        usual = int(graphs.present.sum(axis=0).argmax())  # the level at which most users are: where loudness begins
        for part in graphs.chunks():
            parts, sizes = part.parts(), np.repeat(_hats(part.n, _SIZES), part.admissible.sum(axis=1), axis=0)
            heard = _each_by_each(((parts - parts[:, [usual]]) / spread)[part.admissible], sizes)
            penalty[first:, first:] += _INFLUENCE * heard.T @ heard / len(graphs.n)
        return cls(table, penalty + 1e-9 * np.eye(len(penalty)), mean, spread)

    def solve(self, sign: Floats) -> Floats:
        """Newton's method; the loss is strictly convex, so there is one answer."""
        table, found = self.table, np.zeros(self.table.shape[1])
        for _ in range(_NEWTON_STEPS):
            lead = sign * (table @ found)
            slope = self.penalty @ found - table.T @ (sign * expit(-lead)) / len(sign)
            curve = (table.T * (expit(lead) * expit(-lead))) @ table / len(sign) + self.penalty
            step, size = np.linalg.solve(curve, slope), 1.0
            while self._loss(found - size * step, sign) > self._loss(found, sign) - 1e-4 * size * slope @ step:
                size /= 2
                if size < _SETTLED:
                    return found
            found = found - size * step
            if np.abs(size * step).max() < _SETTLED:
                break
        return found

    def split(self, found: Floats) -> tuple[Floats, Floats]:
        """Into s and φ, for sums as they are."""
        first, classes = len(_FINE_SIZES), found.shape[1]
        votes = found[first:].reshape(COLUMNS, len(_SIZES), classes) / self.spread[:, None, None]
        shift = np.einsum("c,csk->sk", self.mean, votes)
        return np.vstack((found[:first], -shift)), votes

    def _loss(self, found: Floats, sign: Floats) -> float:
        return float(np.logaddexp(0.0, -sign * (self.table @ found)).mean() + found @ self.penalty @ found / 2)


def _each_by_each(left: Floats, right: Floats) -> Floats:
    return np.asarray(np.einsum("gc,gs->gcs", left, right).reshape(len(left), -1))


def _rough(count: int) -> Floats:
    """How much neighbouring numbers differ, squared, as a matrix."""
    step = np.diff(np.eye(count), axis=0)
    return np.asarray(step.T @ step)


def _hats(n: Floats, at: Floats) -> Floats:
    """log n as weights of the two nearest of a few sizes, [graphs, sizes]: what is linear in them has no jumps."""
    size = np.clip(np.log(np.maximum(n, 1.0)), at[0], at[-1])
    left = np.clip(np.searchsorted(at, size, side="right") - 1, 0, len(at) - 2)
    share = (size - at[left]) / (at[left + 1] - at[left])
    weights, row = np.zeros((len(size), len(at))), np.arange(len(size))
    weights[row, left], weights[row, left + 1] = 1 - share, share
    return weights
