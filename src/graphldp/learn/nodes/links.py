"""Friendships from noisy lists: pairs that were named, weighted by how likely they are.

Each friendship appears in two lists. A user names a friend with probability b = (1 − f)·q and a stranger with a = f·q,
where f = 1/(e^ε₂ + 1); q is 1 under randomized response, and under DPRR the share of her list that she keeps.

- *Randomized response*: pairs that name each other. The odds that such a pair are friends are e^(2ε) times what they
  were; if only one names the other, they do not change.
- *DPRR*: pairs in which one names the other. Lists are short, so two friends seldom both keep each other.

The rate of friendships is estimated from the same lists, without bias, for pairs that probably have one class and pairs
that do not. With s and t the chances that a pair of strangers, or of friends, is looked at,

    rate = (pairs looked at − pairs · s) / (pairs · (t − s))     in each bin

and both ends' words make it a posterior. The likeliest are kept, a fixed number for each user: linear, at any ε.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from graphldp.learn.inference.posterior import sampling_of
from graphldp.reports import Reports

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
_BINS = 10
_SAMPLED = 400_000  # pairs, to count how many there are of each kind
_LEAST = 1e-7
_KEPT = 32  # pairs for each user, the likeliest of all: where lists are mostly noise there are thousands
_FIRST, _SECOND = 1, 2  # which end named the other, added up


def link_graph(reports: Reports, chance: Floats, seed: int) -> sparse.csr_array[Any]:
    """A symmetric graph of likely friendships, from lists of one graph by RR, Blink or DPRR.

    Public users' lists are taken as they are. ``chance`` is each user's class before friends are counted. The seed is
    of the pairs that are counted, and of which of equally likely ones are kept.
    """
    count, public = reports.num_users, reports.public
    shape = (count, count)
    lists = sparse.csr_array((np.ones(reports.num_entries, np.int8), reports.indices, reports.indptr), shape=shape)
    graph = sparse.csr_array(sparse.diags_array(public.astype(np.float64)) @ lists)
    if not public.all():
        one, two, weight = _likely(reports, lists, chance, np.random.default_rng(seed))
        graph = sparse.csr_array(graph + sparse.csr_array((weight, (one, two)), shape=shape))
    return sparse.csr_array(graph.maximum(graph.T))


def _likely(
    reports: Reports, lists: sparse.csr_array[Any], chance: Floats, rng: np.random.Generator
) -> tuple[Ints, Ints, Floats]:
    """The likeliest pairs of private users, each once, with their posterior."""
    odds = np.exp(-reports.epsilon2)
    flip = odds / (1 + odds)
    kept = sampling_of(reports, flip)
    mutual = bool((kept == 1).all())
    one, two, said = _pairs(lists, reports.public, mutual=mutual)
    rate = _rates(reports, chance, (one, two), (flip * kept, (1 - flip) * kept), mutual=mutual, rng=rng)
    with np.errstate(divide="ignore", invalid="ignore"):  # of public users, who are in no pair
        silent = np.log1p(-(1 - flip) * kept) - np.log1p(-flip * kept)
    words = sum(
        np.where(said & end, reports.epsilon2[users], silent[users]) for end, users in ((_FIRST, one), (_SECOND, two))
    )
    posterior = np.asarray(1 / (1 + np.exp(-(np.log(rate / (1 - rate)) + words))))
    if len(one) > (most := _KEPT * reports.num_users):
        best = np.lexsort((rng.random(len(one)), -posterior))[:most]
        return one[best], two[best], posterior[best]
    return one, two, posterior


def _pairs(
    lists: sparse.csr_array[Any], public: NDArray[np.bool_], *, mutual: bool
) -> tuple[Ints, Ints, NDArray[np.int8]]:
    """Pairs of private users that name each other, or of whom one names the other; and who names whom."""
    back = sparse.csr_array(lists.T)
    met = lists.multiply(back) * np.int8(_FIRST | _SECOND) if mutual else _FIRST * lists + _SECOND * back
    found = sparse.coo_array(sparse.triu(met, 1))
    one, two = (each.astype(np.int64) for each in found.coords)
    private = ~(public[one] | public[two])
    return one[private], two[private], found.data[private]


def _rates(
    reports: Reports,
    chance: Floats,
    pairs: tuple[Ints, Ints],
    naming: tuple[Floats, Floats],
    *,
    mutual: bool,
    rng: np.random.Generator,
) -> Floats:
    """How common friendships are among pairs like each of these, by how likely their classes agree."""
    private = np.flatnonzero(~reports.public)
    a, b = (rng.choice(private, _SAMPLED) for _ in range(2))
    agree, sampled = _agreement(chance, *pairs), _agreement(chance, a, b)
    cuts = np.unique(np.quantile(agree, np.linspace(0, 1, _BINS + 1)[1:-1])) if len(agree) else np.zeros(0)
    place, where = np.searchsorted(cuts, agree), np.searchsorted(cuts, sampled)
    bins, total = len(cuts) + 1, len(private) * (len(private) - 1) / 2
    there = (np.bincount(where, minlength=bins) + 0.5) * total / _SAMPLED
    strangers, friends = (
        float((each[a] * each[b] if mutual else 1 - (1 - each[a]) * (1 - each[b])).mean()) for each in naming
    )
    met = np.bincount(place, minlength=bins)
    return np.asarray(np.clip((met - there * strangers) / (there * (friends - strangers)), _LEAST, 0.5)[place])


def _agreement(chance: Floats, one: Ints, two: Ints) -> Floats:
    found = np.zeros(len(one))
    for kind in chance.T:  # class by class: a table of pairs and classes would be large where lists are noise
        found += kind[one] * kind[two]
    return found
