"""Functions of true degrees read off noisy ones without bias.

With α = e^(−ε) and a = α/(1−α)², discrete Laplace noise N has E[(Lf)(d + N)] = f(d) for

    (Lf)(x) = f(x) − a·(f(x+1) − 2f(x) + f(x−1)),

three terms, whatever f is on the whole numbers. For Laplace noise of scale b it is f − b²f'', with f made smooth
between whole numbers by a cubic spline. The noise's variance at a user is (Lf)(x)² − (Lf²)(x), without bias, too.

**Hubs.** By HubLists and HubCounts a device makes its number rough, and sends the rough number if that is large and
the fine one otherwise. What was sent has a bias then. The rough number r has none, so H(r) with H the inverse for the
rough noise is right, and so is its mean given what was sent: H(r) of a hub, E[H(x + S) | x + S < t] of another user
with the number x, S the step from fine to rough and t the threshold.

Proofs are in ``docs/guides/surveys.md``.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from graphldp.errors import DataError
from graphldp.privacy.utility import public_mean_degree
from graphldp.reports import Reports

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Function = Callable[[Floats], Floats]
_FAR = 30.0  # e^−30 of the noise's mass is beyond


def spread(epsilon: Floats | float) -> Floats:
    """a = α/(1−α)², half of the variance of discrete Laplace noise; 0 where ε is infinite."""
    with np.errstate(invalid="ignore"):
        return np.asarray(np.where(np.isinf(epsilon), 0.0, np.exp(-epsilon) / np.expm1(-epsilon) ** 2))


def undone(function: Function, epsilon: float) -> Function:
    """Lf for discrete noise of ε."""
    a = float(spread(epsilon))
    return lambda x: function(x) - a * (function(x + 1) - 2 * function(x) + function(x - 1))


def undone_smooth(function: Function, epsilon: float) -> Function:
    """F − F''/ε² for Laplace noise of ε, F the cubic spline through f at whole numbers (Catmull and Rom, 1974)."""

    def corrected(x: Floats) -> Floats:
        start = np.floor(x)
        u = x - start
        before, here, after, beyond = (function(start + step) for step in (-1, 0, 1, 2))
        square, cube = before - 2.5 * here + 2 * after - beyond / 2, (beyond - before + 3 * (here - after)) / 2
        value = here + u * ((after - before) / 2 + u * (square + u * cube))
        return np.asarray(value - (2 * square + 6 * cube * u) / epsilon**2)

    return corrected


@dataclass(frozen=True)
class _Class:
    """Users whose numbers have the same law.

    Args:
        users: which ones.
        epsilon: of the noise; infinite for public users.
        continuous: whether it is Laplace's and not the discrete one.
        rough: where users might have been hubs, the ε of each noise in a rough number.
        threshold: from which on a rough number is sent.
        hubs: whether these users sent rough numbers.
    """

    users: Ints
    epsilon: float
    continuous: bool = False
    rough: tuple[float, ...] = ()
    threshold: float = np.inf
    hubs: bool = False

    def read(self, function: Function, x: Floats) -> Floats:
        """The unbiased estimates of f at users' true degrees, from what they sent."""
        if np.isinf(self.epsilon):
            return function(x)
        if self.continuous:
            return undone_smooth(function, self.epsilon)(x)
        if not self.rough:
            return undone(function, self.epsilon)(x)
        rough = function
        for epsilon in self.rough:
            rough = undone(rough, epsilon)
        return rough(x) if self.hubs else self._given_below(undone(function, self.epsilon), rough, x)

    def _given_below(self, fine: Function, rough: Function, x: Floats) -> Floats:
        """E[H(x + S) | x + S < t]: where the threshold is far away, Lf of the fine noise."""
        reach = int(np.ceil(_FAR / min(self.rough)))
        steps = np.arange(-reach, reach + 1.0)
        law = _law(self.rough[0])  # of S by hub counts; by hub lists, of S and the fine noise together
        chance = law(steps) if len(self.rough) > 1 else undone(law, self.epsilon)(steps)
        # noise has no memory: of all numbers from the threshold on, what was rough has the same law
        values, place = np.unique(np.minimum(x, np.ceil(self.threshold)), return_inverse=True)
        found = fine(values)
        near = values >= self.threshold - reach
        sums = values[near, None] + steps
        weight = np.where(sums < self.threshold, chance, 0.0)
        found[near] = (weight * rough(sums)).sum(axis=1) / weight.sum(axis=1)
        return found[place]


def _law(epsilon: float) -> Function:
    return lambda steps: np.tanh(epsilon / 2) * np.exp(-epsilon * np.abs(steps))


def _hubs(reports: Reports, users: Ints) -> NDArray[np.bool_]:
    """The users who sent a rough number."""
    if reports.origin.name == "hub-lists":
        return np.asarray(reports.epsilon2[users] > 0)
    if reports.origin.name == "hub-counts" and reports.answers is not None:
        return reports.answers.asked[users]
    return np.zeros(len(users), np.bool_)


def _rough(reports: Reports, epsilon: float, hub: bool) -> tuple[float, ...]:
    """The ε of each noise in the rough number of users with this ε; none where nobody with it can be a hub."""
    name, given = reports.origin.name, reports.origin.parameters
    if name == "hub-counts":
        return (epsilon, epsilon)
    if name != "hub-lists" or (not hub and epsilon <= given["least"]):
        return ()
    return (epsilon if hub else given["share"] * epsilon,)


def _as_one(epsilon: Floats) -> Floats:
    """The ε of one noise with the variance of two."""
    double = 2 * spread(epsilon)
    return np.asarray(-np.log((2 * double + 1 - np.sqrt(4 * double + 1)) / (2 * double)))


@dataclass(frozen=True)
class NoisyNumbers:
    """The noisy degrees of the users who have reported.

    Args:
        sent: the numbers.
        epsilon: of each, for the smoothed distribution.
        classes: users by law.
    """

    sent: Floats
    epsilon: Floats
    classes: tuple[_Class, ...]

    @classmethod
    def of(cls, reports: Reports, users: Ints, n: int) -> Self:
        """Of some users of one graph of n, who have all reported."""
        sent = np.asarray(reports.noisy_degree)[users]
        epsilon = np.asarray(reports.epsilon1)[users].copy()
        name, given = reports.origin.name, reports.origin.parameters
        if reports.noise not in ("laplace", "discrete") or "+" in name:
            raise DataError(f"Degrees are read off noise of a known law; these come from {reports.origin}.")
        continuous = reports.noise == "laplace"
        if continuous and name == "hub-lists":
            raise DataError("Degrees are read off hub-lists with discrete noise alone: HubLists(noise='discrete').")
        hubs, classes = np.isfinite(epsilon) & _hubs(reports, users), []
        threshold = float(given.get("times", np.inf)) * public_mean_degree(n)
        for each, hub in itertools.product(np.unique(epsilon).tolist(), (False, True)):
            if len(some := np.flatnonzero((epsilon == each) & (hubs == hub))):
                rough = _rough(reports, each, hub) if hub or 1 < n > threshold else ()
                classes.append(_Class(some, each, continuous, rough, threshold, hub))
        if name == "hub-counts":
            epsilon[hubs] = _as_one(epsilon[hubs])
        return cls(sent, epsilon, tuple(classes))

    @classmethod
    def joined(cls, parts: Sequence[NoisyNumbers]) -> Self:
        """Of several graphs, one after the other."""
        starts = np.cumsum([0, *(len(part.sent) for part in parts)])
        classes = [
            replace(each, users=each.users + start)
            for part, start in zip(parts, starts.tolist(), strict=False)
            for each in part.classes
        ]
        sent, epsilon = (np.concatenate([getattr(part, name) for part in parts]) for name in ("sent", "epsilon"))
        return cls(sent, epsilon, tuple(classes))

    def near(self, edge: float) -> NDArray[np.bool_]:
        """The users whose noise may decide on which side of an edge they are: hubs are all beyond the threshold."""
        found = np.isfinite(self.epsilon)
        for each in self.classes:
            if each.hubs and edge < each.threshold - len(each.rough):
                found[each.users] = False
        return found

    def read(self, function: Function) -> tuple[Floats, Floats]:
        """Unbiased estimates of a function of each user's degree, and of the variance that noise gives each."""
        value, squared = np.zeros(len(self.sent)), np.zeros(len(self.sent))
        for each in self.classes:
            x = self.sent[each.users]
            value[each.users] = each.read(function, x)
            squared[each.users] = each.read(lambda d: function(d) ** 2, x)
        return value, value**2 - squared
