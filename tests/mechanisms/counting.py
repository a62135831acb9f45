"""Counting what the real sampler draws, over many copies of one small graph."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

import graphldp as gl


def copies(graphs: gl.GraphSet, count: int) -> gl.GraphSet:
    """The first graph ``count`` times, each with an id, and so noise, of its own."""
    return replace(graphs.subset(np.zeros(count, np.int64)), graph_ids=np.arange(count), trusted=True)


def matrices(lists: gl.GraphSet | gl.Reports) -> NDArray[np.bool_]:
    """Lists of graphs of one size as an array (graphs, n, n)."""
    n = lists.n_max
    dense = np.zeros((lists.num_users, n), np.bool_)
    dense[np.repeat(np.arange(lists.num_users), lists.degrees), lists.indices] = True
    return dense.reshape(lists.num_graphs, n, n)


def off_diagonal(n: int) -> NDArray[np.bool_]:
    return ~np.eye(n, dtype=np.bool_)


def assert_binomial(hits: ArrayLike, trials: ArrayLike, chance: ArrayLike, alarm: float) -> None:
    """Each count is binomial: exact two-sided tests, whose false alarms add up to at most ``alarm``."""
    hits, trials, chance = (np.asarray(x, np.float64) for x in np.broadcast_arrays(hits, trials, chance))
    tails = np.minimum(stats.binom.cdf(hits, trials, chance), stats.binom.sf(hits - 1, trials, chance))
    assert 2 * tails.min() * tails.size > alarm


def assert_near(total: float, mean: float, variance: float, alarm: float) -> None:
    """A sum of independent bits lies near its mean: Bernstein's bound, no normal approximation."""
    off = abs(total - mean)
    assert 2 * np.exp(-(off**2) / 2 / (variance + off / 3)) > alarm


def assert_counts(counts: NDArray[np.int64], chances: NDArray[np.float64], alarm: float) -> None:
    """Counts of kinds with these chances: chi-square, kinds that are expected less than ten times taken together."""
    expected = counts.sum() * chances
    rare = expected < 10
    merged = np.append(counts[~rare], counts[rare].sum()), np.append(expected[~rare], expected[rare].sum())
    keep = merged[1] > 0
    assert not merged[0][~keep].any()
    assert stats.chisquare(merged[0][keep], merged[1][keep]).pvalue > alarm
