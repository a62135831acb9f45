"""Blink's server: a graph out of noisy degrees and randomized lists (Zhu, Tan & Xiao, CCS 2023).

1. *Prior.* The noisy degrees, brought to between 1 and n−2, make a β-model (:mod:`graphldp.learn.beta_model`).
2. *Posterior.* Each pair's two bits ã_ij and ã_ji are independent evidence for one edge:

       log odds = β_i + β_j ± ε₂ᵢ ± ε₂ⱼ,   + where a name is on the list, − where it is not

3. *Graph.* ``"hard"``: the edges with probability above ½. ``"hybrid"``: the ⌊Σ P⌋ most probable entries, with their
   probability as weight. ``"soft"``: all entries with their weight; kept sparse here, see :func:`denoise`.

Undirected graphs only: in a directed one ã_ij and ã_ji are about different edges, and the β-model is another.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from graphldp.errors import bad_parameter
from graphldp.learn.beta_model import beta_model
from graphldp.learn.evidence import CERTAIN, Evidence
from graphldp.reports import Reports

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Kind = Literal["hard", "soft", "hybrid"]

_HASH = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True)
class Denoised:
    """A graph that was made of reports.

    Args:
        reports: the same users, with the estimated edges as their lists; both ends list an edge.
        weight: the probability of each entry of ``reports.indices``; all 1 in a hard graph.
    """

    reports: Reports
    weight: Floats


def denoise(reports: Reports, kind: Kind = "hybrid", *, entries: int = 64) -> Denoised:
    """Estimate the graphs that the reports of :class:`graphldp.Blink` came from.

    Degrees are rounded to whole numbers, an error far below the noise, so that few different ones are left. Time is
    O(n²) per graph and memory that of the largest graph's n², as for the lists themselves.

    Args:
        reports: of undirected graphs. Users who have not reported leave their graph.
        kind: the graph to make.
        entries: a soft graph keeps, of each graph of n users, the n·``entries`` most probable entries, and so all of
            them where n ≤ ``entries``.

    Example::

        found = denoise(gl.Blink(epsilon=4.0).randomize(graphs, rng=7), "hybrid")
        found.reports.degrees, found.weight
    """
    if kind not in get_args(Kind):
        raise bad_parameter("kind", "denoise", f"one of {', '.join(get_args(Kind))}", kind)
    if isinstance(entries, bool) or not isinstance(entries, int | np.integer) or entries < 1:
        raise bad_parameter("entries", "denoise", "a whole number ≥ 1", entries)
    present = reports.induced() if isinstance(reports, Reports) else reports
    evidence = Evidence.of(present, "denoise", "Blink")
    beta = beta_model(np.rint(np.asarray(present.noisy_degree, np.float64)), present.graph_ptr)
    lengths, indices, weights = np.zeros(present.num_users, np.int64), [], []
    for start, stop in pairwise(present.graph_ptr.tolist()):
        users = slice(start, stop)
        odds = _log_odds(present, users, beta[users], evidence.named[users], evidence.unnamed[users])
        one, two = _chosen(odds, kind, entries)
        weight = np.ones(len(one)) if kind == "hard" else expit(odds[one, two])
        order = np.lexsort((np.concatenate((two, one)), np.concatenate((one, two))))
        lengths[users] = np.bincount(np.concatenate((one, two)), minlength=stop - start)
        indices.append(np.concatenate((two, one))[order].astype(np.int32))
        weights.append(np.tile(weight, 2)[order])
    lists = replace(
        present,
        indptr=np.concatenate(([0], np.cumsum(lengths))),
        indices=np.concatenate([*indices, np.zeros(0, np.int32)]),
        mechanism=f"{kind} graph of {present.mechanism}",
        trusted=True,
    )
    return Denoised(lists, np.concatenate([*weights, np.zeros(0)]))


def _log_odds(reports: Reports, users: slice, beta: Floats, named: Floats, unnamed: Floats) -> Floats:
    """The posterior log odds of each pair of one graph's users, [n, n]; −inf on and below the diagonal."""
    n, pointers = len(beta), reports.indptr[users.start : users.stop + 1]
    said = np.zeros((n, n))
    place = reports.indices[pointers[0] : pointers[-1]] + np.repeat(np.arange(n) * n, np.diff(pointers))
    said.ravel()[place] = np.repeat(named - unnamed, np.diff(pointers))
    odds = np.asarray(said + said.T)
    odds += beta + unnamed
    odds += (beta + unnamed)[:, None]
    odds[np.tri(n, dtype=np.bool_)] = -np.inf
    return odds


def _chosen(odds: Floats, kind: Kind, entries: int) -> tuple[Ints, Ints]:
    """The pairs i < j that make the graph."""
    n = len(odds)
    if kind == "hard":
        one, two = np.nonzero(odds > 0)
        return one, two
    wanted = int(expit(odds).sum()) if kind == "hybrid" else n * entries // 2
    flat = odds.ravel()
    wanted = min(wanted, int(np.count_nonzero(flat > -CERTAIN / 2)))  # a public user's word settles a pair
    if not wanted:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    least = np.partition(flat, len(flat) - wanted)[len(flat) - wanted]
    above, ties = np.flatnonzero(flat > least), np.flatnonzero(flat == least)
    # equal users make equal pairs, thousands of them: those that are taken lie scattered, not all with the first users
    rank = np.argsort(ties.astype(np.uint64) * _HASH, kind="stable")
    one, two = np.divmod(np.concatenate((above, ties[rank[: wanted - len(above)]])), n)
    return one, two
