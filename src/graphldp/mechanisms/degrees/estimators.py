"""Estimates of the degree by which DPRR computes q: three of them, all functions of d* alone.

``"clip"`` is the paper's max(0, d*). Where d* is noisy it is too large on average: E[max(0, d + Lap(b))] =
d + (b/2)e^(−d/b). ``"unbiased"`` leaves small values out so that the mean comes right again, and ``"bayes"`` is the
posterior mean under a public law of degrees. Each is post-processing of d*, so ε stays what it was; formulas and proofs
are in ``docs/mechanisms/estimators.md``.

Plain arithmetic throughout, so that the tests enumerate the same code on exact rationals. The noise enters as its decay
r = e^(−ε₁).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate
from typing import Any, Literal, get_args

import numpy as np

Estimator = Literal["clip", "unbiased", "bayes"]
ESTIMATORS: tuple[str, ...] = get_args(Estimator)


def unbiased_laplace(noisy_degree: Any, decay: Any) -> Any:
    """x·1[x ≥ b], b = 1/ε₁: its mean is d for every d ≥ b, since ∫ x·e^(x/b) dx from −∞ to b vanishes."""
    with np.errstate(divide="ignore"):  # a public user has decay 0
        return np.where(noisy_degree >= 1 / np.log(1 / np.asarray(decay)), noisy_degree, 0)


def unbiased_discrete(noisy_degree: Any, decay: Any) -> Any:
    """0 below m, (m − c)(1 + c) at m, x above, with c = 1/(e^ε₁ − 1) and m = ⌈c⌉: its mean is d for every d ≥ m.

    Σ_{x≤m} x·r^(m−x) = (m − c)/(1 − r), and (1 + c)(1 − r) = 1: what is left out is put back at m. Where c is whole,
    the value at m is 0 and the estimate is x·1[x > c].
    """
    decay = np.asarray(decay)
    with np.errstate(divide="ignore", invalid="ignore"):  # decay 1, where ε₁ is below a float's precision: nothing left
        cut = decay / (1 - decay)
        first = np.ceil(cut)
        at_first = (first - cut) * (1 + cut)
    return np.where(noisy_degree > first, noisy_degree, np.where(noisy_degree == first, at_first, 0))


def posterior_mean(noisy_degree: Any, n: Any, decay: Any) -> Any:
    """E[D | d*] under the public law Pr(D ≥ d) = 1/d on d = 1, …, n−1, for either law of the noise.

    With k = ⌊d*⌋ and t = d* − k, degrees up to k have the weights π_d·r^(k−d)·r^t and those above π_d·r^(d−k)·r^(−t).
    Both sums obey a recursion in k, so a graph's size costs O(n) once and each of its users O(1). d* outside of
    [1, n−1] says no more than the nearest end does.
    """
    x, n, decay = np.broadcast_arrays(noisy_degree, n, decay)
    mean = np.zeros(x.shape, x.dtype if x.dtype == object else np.float64)
    for users in _alike(n, decay):
        size, r = int(n[users[0]]), decay[users]
        if size < 2:
            continue
        one = r[0] ** 0  # of the kind of number that is computed with
        at = np.minimum(np.maximum(x[users], one), one * (size - 1))
        k = np.floor(at).astype(np.int64)
        t = at - k
        near = 2 * t <= 1
        far_weight = r ** abs(1 - 2 * t)  # of the two factors r^t and r^(1−t), the smaller over the larger
        below, above = np.where(near, 1, far_weight), np.where(near, far_weight, 1)
        low, low_mean, high, high_mean = (np.array(each, x.dtype)[k - 1] for each in _sums(size, r[0]))
        mean[users] = (below * low_mean + above * high_mean) / (below * low + above * high)
    return mean


def _sums(n: int, r: Any) -> Iterator[list[Any]]:
    """For k = 1, …, n−1: Σ π_d·r^(k−d) and Σ d·π_d·r^(k−d) over d ≤ k, then the like of r^(d−k−1) over d > k."""
    one = r**0
    prior = [one / (d * (d + 1)) for d in range(1, n - 1)] + [one / (n - 1)]
    weighted = [p * d for d, p in enumerate(prior, start=1)]
    for terms in (prior, weighted):
        yield list(accumulate(terms, lambda total, term: total * r + term))
    for terms in (prior, weighted):
        beyond = accumulate(terms[:0:-1], lambda total, term: total * r + term, initial=0 * one)
        yield list(beyond)[::-1]


def _alike(n: Any, decay: Any) -> list[Any]:
    """The users with the same n and the same decay, group by group."""
    if not n.size:
        return []
    values, place = np.unique(decay, return_inverse=True)
    code = n.astype(np.int64) * len(values) + place
    order = np.argsort(code, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(code[order])) + 1)
