"""Friendships from lists under randomized response: pairs that name each other, weighted by how likely they are.

Two lists tell of each friendship. At the ε at which lists are worth their while, a pair that both ends name is e^(2ε)
times likelier a friendship than before, and one that a single end names is no likelier at all. So only mutual pairs
are looked at: about n²·f² of strangers, with f = 1/(e^ε + 1), beside the true ones. The rate of friendships is
estimated from the same lists, without bias, for pairs that probably have one class and pairs that do not:

    rate_b = (mutual pairs in bin b − pairs there · f²) / (pairs there · ((1 − f)² − f²))
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from graphldp.reports import Reports

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
_BINS = 10
_SAMPLED = 400_000  # pairs, to count how many there are of each kind
_LEAST = 1e-7


def link_graph(reports: Reports, chance: Floats, seed: int) -> sparse.csr_array[Any]:
    """A symmetric graph of likely friendships.

    Args:
        reports: of one graph, drawn by RR or Blink; public users' lists are taken as they are.
        chance: each user's class before friends are heard, [users, classes].
        seed: of the pairs that are counted.
    """
    one, two, certain = _pairs(reports)
    weights = np.ones(len(one))
    if not certain.all():
        weights[~certain] = _likely(reports, chance, one[~certain], two[~certain], np.random.default_rng(seed))
    count = reports.num_users
    graph = sparse.csr_array((weights, (one, two)), shape=(count, count))
    return sparse.csr_array(graph.maximum(graph.T))


def _pairs(reports: Reports) -> tuple[Ints, Ints, NDArray[np.bool_]]:
    """Pairs that both ends name, once each, and those that a public user names, which are certain."""
    count = reports.num_users
    owner = np.repeat(np.arange(count), reports.degrees)
    named = reports.indices.astype(np.int64)
    certain = reports.public[owner]
    code, back = owner * count + named, named * count + owner
    mutual = code[np.minimum(np.searchsorted(code, back), max(len(code) - 1, 0))] == back if len(code) else certain
    both_private = ~certain & ~reports.public[named]
    kept = certain | (mutual & both_private & (owner < named))
    return owner[kept], named[kept], certain[kept]


def _likely(reports: Reports, chance: Floats, one: Ints, two: Ints, rng: np.random.Generator) -> Floats:
    """The posterior of mutual pairs of private users."""
    private = np.flatnonzero(~reports.public)
    flip = 1 / (1 + np.exp(reports.epsilon2))
    a, b = (rng.choice(private, _SAMPLED) for _ in range(2))
    agree, sampled = _agreement(chance, one, two), _agreement(chance, a, b)
    cuts = np.unique(np.quantile(agree, np.linspace(0, 1, _BINS + 1)[1:-1]))
    place, where = np.searchsorted(cuts, agree), np.searchsorted(cuts, sampled)
    bins, total = len(cuts) + 1, len(private) * (len(private) - 1) / 2
    pairs = (np.bincount(where, minlength=bins) + 0.5) * total / _SAMPLED
    strangers = float((flip[a] * flip[b]).mean())
    friends = float(((1 - flip[a]) * (1 - flip[b])).mean())
    mutual = np.bincount(place, minlength=bins)
    rate = np.clip((mutual - pairs * strangers) / (pairs * (friends - strangers)), _LEAST, 0.5)
    odds = np.log(rate / (1 - rate))[place] + reports.epsilon2[one] + reports.epsilon2[two]
    return np.asarray(1 / (1 + np.exp(-odds)))


def _agreement(chance: Floats, one: Ints, two: Ints) -> Floats:
    return np.asarray(np.einsum("pk,pk->p", chance[one], chance[two]))
