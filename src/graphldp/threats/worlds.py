"""A limit on every learner whose training graphs hold liars: two worlds that look the same to it.

Take a graph A of one class and a graph B of the other, with the same n. If few reports have to change to turn what A
sends into what B sends, liars change them, and the learner cannot know which of the two had which label. Let m be the
share of graphs that can be paired so. In one world labels are as they are, in the other those of a pair are exchanged.

- *Liars in both worlds* meet half way: 2βn reports may differ. What is learned is the same in both, and each graph of a
  pair is labelled correctly in just one. So **no learner has more than 1 − m/2 in both worlds.**
- *Liars in one world only*: βn reports may differ, and the other world is honest. So **what a learner has without liars
  and what it has with them add up to at most 2 − m.**

How many reports differ: users of A and B are put side by side. Noise hides a difference of δ friends with probability
1 − TV(δ), and independent choices add up. Pairs count whose number of differing reports stays within the budget by
four standard deviations.

**What is assumed.** The learner knows training graphs alone, and reads n in steps of 5 %: in a step all graphs have the
same n, by users with one friend who are added. Liars know both classes and are whoever it takes; where they are *drawn
at random* instead, those who differ and are no liars stay, and liars can only add the other graph's: (1 − β)·D ≤ βn.
"""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_bipartite_matching

from graphldp.errors import DataError, bad_parameter
from graphldp.graphs import GraphSet
from graphldp.threats.attacks.poison import check_share

Floats = NDArray[np.float64]
Liars = Literal["both", "one", "random"]
"""In both worlds, in one of them, or in both but drawn at random."""

STEP = 0.05
_FAR = 60  # friends: no noise hides so many
_SIGMAS = 4.0


def hidden(epsilon: float) -> Floats:
    """TV(δ): how often a report tells d from d + δ at best, for δ = 0, …, under discrete Laplace noise.

    TV(2j) = 1 − r^j,   TV(2j + 1) = 1 − 2r^(j+1)/(1 + r)        r = e^(−ε)
    """
    half = np.arange(_FAR // 2)
    decay = np.exp(-epsilon)
    even, odd = 1 - decay**half, 1 - 2 * decay ** (half + 1) / (1 + decay)
    return np.append(np.stack((even, odd), axis=1).ravel(), 1.0)


def differing(a: NDArray[np.int64], b: NDArray[np.int64], epsilon: float) -> tuple[float, float]:
    """The mean and the variance of the number of reports that differ, with users side by side by their degrees.

    Args:
        a: the degrees of one graph's users.
        b: of the other's; the smaller graph gets users with one friend.
        epsilon: ε.
    """
    n = max(len(a), len(b))
    counts = [np.bincount(each, minlength=n + 1) for each in (a, b)]
    for own, each in zip(counts, (a, b), strict=True):
        own[1] += n - len(each)
    same = np.minimum(*counts)
    left, right = (np.repeat(np.arange(len(same)), each - same) for each in counts)
    chance = hidden(epsilon)[np.minimum(np.abs(left - right), _FAR)]
    return float(chance.sum()), float((chance * (1 - chance)).sum())


def exchangeable(graphs: GraphSet, fraction: float, epsilon: float, liars: Liars = "both") -> float:
    """m: the share of graphs whose label liars can exchange with that of a graph of the other class.

    Args:
        graphs: of two classes.
        fraction: β.
        epsilon: of each user's d*.
        liars: where they are.
    """
    check_share(fraction, "fraction", "exchangeable")
    if liars not in get_args(Liars):
        raise bad_parameter("liars", "exchangeable", f"one of {', '.join(get_args(Liars))}", liars)
    if graphs.labels is None or len(np.unique(graphs.labels)) != 2:
        raise DataError("The graphs must be of two classes, between which labels are exchanged.")
    labels, step = np.asarray(graphs.labels), np.floor(np.log(np.maximum(graphs.sizes, 1)) / np.log1p(STEP))
    degrees, first = np.split(graphs.degrees.astype(np.int64), graphs.graph_ptr[1:-1]), labels == labels[0]
    factor = {"both": 2.0, "one": 1.0, "random": 1 / max(1 - fraction, 1e-9)}[liars]
    pairs = 0
    for each in np.unique(step):
        own, others = ([degrees[at] for at in np.flatnonzero((step == each) & side)] for side in (first, ~first))
        if own and others:
            near = np.array([[_alike(a, b, fraction, factor, epsilon) for b in others] for a in own])
            pairs += int(np.count_nonzero(maximum_bipartite_matching(csr_array(near), perm_type="column") >= 0))
    return 2 * pairs / max(len(graphs), 1)


def _alike(a: NDArray[np.int64], b: NDArray[np.int64], fraction: float, factor: float, epsilon: float) -> bool:
    """Whether liars can make two graphs look the same."""
    mean, variance = differing(a, b, epsilon)
    budget = factor * np.floor(fraction * min(len(a), len(b)) + 1e-9)
    return bool(mean + _SIGMAS * np.sqrt(variance) <= budget)
