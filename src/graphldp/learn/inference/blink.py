"""Blink's server: a graph out of noisy degrees and randomized lists (Zhu, Tan & Xiao, CCS 2023).

1. *Prior.* The noisy degrees, cut to between 1 and n−2, make a β-model (:mod:`graphldp.learn.inference.beta_model`).
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
from scipy import sparse
from scipy.special import expit

from graphldp.errors import bad_parameter, check_whole
from graphldp.learn.inference.beta_model import beta_model
from graphldp.learn.inference.posterior import CERTAIN, Evidence
from graphldp.mechanisms import Blink
from graphldp.reports import Reports

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Kind = Literal["hard", "soft", "hybrid"]

_STRIP = 64  # rows of a matrix that are gone through together: they fit into a processor's cache
_BYTE = 255  # as many ones add up in a byte
_BITS = np.array([1, 2, 4, 8], np.uint8)  # nobody names the other, the first does, the second does, both do
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
    O(n²) per graph; memory is a byte for each of the largest graph's n² pairs, and O(K·(n+K)) where its users have K
    different degrees and ε₂.

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
    check_whole(entries, "entries", "denoise", 1)
    present = reports.induced() if isinstance(reports, Reports) else reports
    evidence = Evidence.of(present, "denoise", Blink)
    beta = beta_model(np.rint(np.asarray(present.noisy_degree, np.float64)), present.graph_ptr)
    silent, spoken = beta + evidence.unnamed, evidence.named - evidence.unnamed
    lengths, indices, weights = np.zeros(present.num_users, np.int64), [], []
    for start, stop in pairwise(present.graph_ptr.tolist()):
        users = slice(start, stop)
        if start == stop:
            continue
        pairs = _Pairs(present, users, silent[users], spoken[users])
        chosen, odds = _chosen(pairs, stop - start, kind, entries)
        one, two = np.divmod(chosen, stop - start)
        weight = np.ones(len(chosen)) if kind == "hard" else expit(odds)
        order = np.lexsort((np.concatenate((two, one)), np.concatenate((one, two))))
        lengths[users] = np.bincount(np.concatenate((one, two)), minlength=stop - start)
        indices.append(np.concatenate((two, one))[order].astype(np.int32))
        weights.append(np.tile(weight, 2)[order])
    lists = replace(
        present,
        indptr=np.concatenate(([0], np.cumsum(lengths))),
        indices=np.concatenate([*indices, np.zeros(0, np.int32)]),
        origin=replace(present.origin, name=f"{present.origin.name}-{kind}"),
        trusted=True,
    )
    return Denoised(lists, np.concatenate([*weights, np.zeros(0)]))


class _Pairs:
    """The pairs i < j of one graph's users, by what is known about them.

    The log odds of a pair follow from each end's share of them and from who names whom. Shares take few values, since
    degrees are whole numbers: with K of them there are 4·K² combinations, and only those are computed with. A user adds
    her ``silent`` to the log odds of her pairs, and her ``spoken`` where she names the other.
    """

    def __init__(self, reports: Reports, users: slice, silent: Floats, spoken: Floats) -> None:
        shares, self._place = np.unique(silent + 1j * spoken, return_inverse=True)
        own, names = shares.real, shares.imag
        self.odds: Floats = names[:, None, None] * [0, 1, 0, 1] + names[:, None] * [0, 0, 1, 1]
        self.odds += own[:, None]
        self.odds += own[:, None, None]  # [K, K, 4]: of each combination
        pointers = reports.indptr[users.start : users.stop + 1]
        lists, n = reports.indices[pointers[0] : pointers[-1]], users.stop - users.start
        held = (np.ones(len(lists), np.uint8), lists, (pointers - pointers[0]).astype(lists.dtype))
        self._said = sparse.csr_array(held, shape=(n, n)).toarray()
        self._said += 1
        self._strips = [slice(first, min(first + _STRIP, n)) for first in range(0, n, _STRIP)]
        for rows in self._strips:  # behind its first row and column nothing has been written to
            answers = self._said[rows.start :, rows].T.copy()
            answers *= answers
            self._said[rows, rows.start :] *= answers  # 1, 2, 4 or 8: a bit for each of the four
            self._said[rows, : rows.start] = 0
            self._said[rows, rows][np.tri(rows.stop - rows.start, dtype=np.bool_)] = 0

    def counts(self) -> Ints:
        """How many pairs there are of each combination, [K, K, 4]."""
        found = np.zeros((len(self.odds), 4, len(self._place)), np.int32)
        order = np.argsort(self._place, kind="stable")
        starts = np.searchsorted(self._place[order], np.arange(len(self.odds)))
        for share, alike in enumerate(np.split(order, starts[1:])):
            for some in (alike[first : first + _BYTE] for first in range(0, len(alike), _BYTE)):
                is_bit = self._said[some][:, None] == _BITS[:, None]
                found[share] += np.add.reduce(is_bit.view(np.uint8), axis=0, dtype=np.uint8)
        return np.add.reduceat(found[:, :, order], starts, axis=2, dtype=np.int64).transpose(0, 2, 1)

    def having(self, wanted: NDArray[np.bool_]) -> tuple[Ints, Floats]:
        """The pairs of the wanted combinations, each as i·n + j in ascending order, and their log odds."""
        n, pairs = len(self._place), [np.zeros(0, np.int64)]
        bits = np.asarray(wanted @ _BITS, np.uint8)[:, self._place]
        for rows in self._strips:
            among = self._said[rows, rows.start :] & bits[self._place[rows], rows.start :]
            one, two = np.divmod(np.flatnonzero(among != 0), n - rows.start)
            pairs.append((one + rows.start) * n + two + rows.start)
        found = np.concatenate(pairs)
        one, two = np.divmod(found, n)
        which = np.searchsorted(_BITS, self._said[one, two])
        return found, self.odds[self._place[one], self._place[two], which]


def _chosen(pairs: _Pairs, n: int, kind: Kind, entries: int) -> tuple[Ints, Floats]:
    """The pairs that make the graph, as i·n + j, and their log odds."""
    if kind == "hard":
        return pairs.having(pairs.odds > 0)
    counts = np.where(pairs.odds > -CERTAIN / 2, pairs.counts(), 0)  # a public user's word settles a pair
    wanted = min(int((counts * expit(pairs.odds)).sum()) if kind == "hybrid" else n * entries // 2, int(counts.sum()))
    if not wanted:
        return np.zeros(0, np.int64), np.zeros(0)
    falling = np.argsort(-pairs.odds.ravel())
    least = pairs.odds.ravel()[falling[np.searchsorted(np.cumsum(counts.ravel()[falling]), wanted)]]
    found, odds = pairs.having(pairs.odds >= least)
    ties = np.flatnonzero(odds == least)
    # equal users make equal pairs, thousands of them: those that are taken lie scattered, not all with the first users
    rank = np.argsort(found[ties].astype(np.uint64) * _HASH, kind="stable")
    over = ties[rank[len(ties) - (len(found) - wanted) :]]
    return np.delete(found, over), np.delete(odds, over)
