"""A degree-corrected block model on noisy counts: how likely a user's counts are if she is of class k.

    c_l | k, θ ~ NegBin(mean θ·B_kl, shape s·B_kl),   z_l = c_l + discrete Laplace(ε)

θ is how sociable she is, on a grid with weights that EM finds among labelled users. B_kl is the share of group l among
the friends of class k: the sums of labelled users' noisy counts, which are unbiased. A negative binomial is a Poisson
count whose rate differs from user to user, s the smaller the more: friends come in clusters, and a Poisson law would
be surer of itself than it may.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, logsumexp

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

SHAPE = 5.0  # s; chosen on splits of Cora that no table uses
_GRID = np.geomspace(0.5, 500.0, 24)  # θ
_ITERATIONS = 20
_POOLED = 50.0  # so many users' worth of all classes' θ goes to each class
_TAIL = 25.0  # noise beyond this many times 1/ε does not occur: e^−25
_MOST = 10_000  # friends in one group, twenty times the largest θ
_HEAVIEST = 4.0  # times what the median user tells of: larger counts weigh as much as that
_SUREST = 5.0  # the most that one user's counts say for a class against another, a log ratio
# both chosen on splits that no table uses: labels are no worse where nobody lies, and much better where some do


@dataclass(frozen=True)
class BlockModel:
    """The model, fitted: B, [classes, groups], and the weight of each θ of the grid, [classes, grid]."""

    shares: Floats
    sociability: Floats

    @classmethod
    def fit(cls, counts: Floats, epsilon: Floats, codes: Ints, users: Ints) -> BlockModel:
        """From the counts z [users, groups] of labelled users, whose ε is ``inf`` where counts are exact.

        Of the classes, from 0 on, those of ``users`` alone are looked at.
        """
        classes = int(codes[users].max()) + 1
        users = users[_possible(counts[users], epsilon[users])]
        limited = _limited(counts[users])
        totals = np.stack([limited[codes[users] == k].sum(axis=0) for k in range(classes)])
        positive = np.maximum(totals, 0.0) + 1.0
        shares = positive / positive.sum(axis=1, keepdims=True)
        own = _by_sociability(counts[users], epsilon[users], shares)[np.arange(len(users)), codes[users]]
        weights = np.full((classes, len(_GRID)), 1 / len(_GRID))
        for _ in range(_ITERATIONS):
            joint = own + np.log(weights[codes[users]])
            belief = np.exp(joint - logsumexp(joint, axis=1, keepdims=True))
            sums = np.stack([belief[codes[users] == k].sum(axis=0) for k in range(classes)]) + 0.1
            sums += _POOLED * sums.sum(axis=0) / sums.sum()
            weights = sums / sums.sum(axis=1, keepdims=True)
        return cls(shares, weights)

    def log_likelihood(self, counts: Floats, epsilon: Floats) -> Floats:
        """log Pr(z | class) of each user, [users, classes]; no class is further behind the likeliest than a limit.

        Where the counts of a few validation users rule out their own class, nobody's would count otherwise.
        """
        told = logsumexp(_by_sociability(counts, epsilon, self.shares) + np.log(self.sociability), axis=2)
        return np.asarray(np.maximum(told, told.max(axis=1, keepdims=True) - _SUREST))


def _possible(counts: Floats, epsilon: Floats) -> NDArray[np.bool_]:
    """The counts that an honest device may have sent: in a sum, those of one liar would outweigh everybody else's."""
    noise = _TAIL / epsilon[:, None]
    return np.asarray(((counts >= -noise) & (counts <= _MOST + noise)).all(axis=1))


def _limited(counts: Floats) -> Floats:
    """Counts as they enter a sum: nobody weighs more than a few median users, whatever she tells of."""
    told = np.abs(counts).sum(axis=1, keepdims=True)
    most = _HEAVIEST * max(1.0, float(np.median(told))) if len(told) else 0.0
    return np.asarray(counts * np.minimum(1.0, most / np.maximum(told, 1.0)))


def _by_sociability(counts: Floats, epsilon: Floats, shares: Floats) -> Floats:
    """log Pr(z | class, θ), [users, classes, grid]; users of one ε share a table of probabilities."""
    whole = np.rint(counts).astype(np.int64)
    found = np.zeros((len(counts), len(shares), len(_GRID)))
    for spent in np.unique(epsilon):
        some = np.flatnonzero(epsilon == spent)
        for group in range(counts.shape[1]):
            values, place = np.unique(whole[some, group], return_inverse=True)
            mean = shares[:, group, None] * _GRID
            table = _log_law(values, mean.ravel(), np.repeat(SHAPE * shares[:, group], len(_GRID)), float(spent))
            found[some] += table.reshape(-1, *mean.shape)[place]
    return found


def _log_law(values: Ints, mean: Floats, shape: Floats, epsilon: float) -> Floats:
    """log Pr(z) of each value for each mean: the negative binomial, convolved with the noise of ε."""
    top = max(int(values.max()), 0) + (1 if np.isinf(epsilon) else int(_TAIL / epsilon) + 1)
    # the wire carries counts of millions: whoever tells of more than the most is as unlikely in all classes
    true = np.arange(min(top, int(values.max(initial=0)) + 2000, _MOST) + 1)[:, None]
    chance = mean / (mean + shape)
    law = gammaln(true + shape) - gammaln(shape) - gammaln(true + 1) + shape * np.log1p(-chance) + true * np.log(chance)
    distance = np.abs(values[:, None] - true[:, 0])
    if np.isinf(epsilon):
        noise = (distance == 0).astype(np.float64)
    else:
        noise = np.tanh(epsilon / 2) * np.exp(-epsilon * distance)
    return np.asarray(np.log(noise @ np.exp(law) + 1e-300))
