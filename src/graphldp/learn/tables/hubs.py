"""Who gathers around the busiest user: the one thing about edges that survives the noise.

Let h be the user with the largest d*, and x_j how busy another user j is: d*_j, between 0 and about 8. On raw graphs of
REDDIT-BINARY nearly all that edges add to degrees is in

    T = Σ_j a_hj·x_j,

how busy h's friends are, and with it how busy the others are. h's own list tells. It names a friend with probability
p·q and a stranger with (1−p)·q, and around the mean x̄ strangers cancel out:

    T ≈ Σ_{j named by h} (x_j − x̄) / ((2p−1)·q) + x̄·d*_h

q is read off the list's length, which is q·(d(2p−1) + (n−1)(1−p)) on average. In an undirected graph what a public user
says of h is exact, and replaces what h says of her; the formula then runs over the others.

Where h was asked to count her friends instead (:class:`graphldp.HubCounts`: u₁ who are not busy and u₂ who are), with
x̄₁ and x̄₂ the means of x on the two sides,

    T ≈ x̄·d*_h + u₁·(x̄₁ − x̄) + u₂·(x̄₂ − x̄)
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from graphldp.learn.engine.features.summaries import released_degrees
from graphldp.learn.tables.profiles import noise_variance, total
from graphldp.neighbour_lists import NeighbourLists
from graphldp.pointers import gather_ranges
from graphldp.reports import Reports

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

_BUSY = 8.0  # nobody counts as busier, give or take the noise: a few more hubs would drown the sum in theirs
_STEPS = np.array([1.5, 2.5, 3.5, 7.5])
COUNTS = 6


def hub_profile(X: NeighbourLists) -> Floats:
    """How busy the friends of the busiest user are and how busy the others are; then the same of public users alone.

    Args:
        X: reports or raw graphs, whose users all count as public. Where lists say nothing (all of ε on the degrees),
            friends count as drawn at random.

    Returns:
        [graphs, 11]: T/n, (Σx − T)/n, T/d*_h and (Σx − T)/(n − d*_h); the share of public users with a degree of at
        most 1, 2, 3, 4 to 7, and more; the mean x of h's public friends and of other public users. −1 where there is
        no such user.
    """
    around = _Around.the_busiest(X)
    return np.hstack((around.sides(), around.seen()))


def count_profile(X: NeighbourLists) -> Floats:
    """What the busiest user counted: her quiet and her busy friends, against how many there are.

    Returns:
        [graphs, COUNTS]: u₁/n, u₂/n, u₁ and u₂ over the number of quiet and of busy users, u₂/d*_h, and the busy users
        whom she does not know, over n. −1 where she did not answer; NaN throughout where nobody could be asked.
    """
    if not (isinstance(X, Reports) and X.busy is not None):
        return np.full((X.num_graphs, COUNTS), np.nan)
    around = _Around.the_busiest(X)
    counted = around.counted
    n, quiet, busy = np.maximum(X.sizes - 1.0, 1.0), around.side(~X.busy), around.side(X.busy)
    columns = (
        counted.quiet / n,
        counted.busy / n,
        counted.quiet / np.maximum(quiet.users, 1.0),
        counted.busy / np.maximum(busy.users, 1.0),
        counted.busy / around.hub_degree,
        (busy.users - counted.busy) / n,
    )
    return np.where(counted.there[:, None], np.stack(columns, axis=1), -1.0)


class _Counted(NamedTuple):
    """What each graph's hub counted: u₁, u₂, and whether she did; 0 where not."""

    quiet: Floats
    busy: Floats
    there: Flags


class _Side(NamedTuple):
    """Some of the users around each graph's hub: how many, and the sum of their x."""

    users: Floats
    x: Floats


@dataclass(frozen=True, eq=False)
class _Around:
    """Each graph's hub h, and the users around it.

    Args:
        lists: the graphs.
        hub: h of each graph that has users.
        degree: d* of each user.
        hub_degree: d* of h, from 1 to n − 1; one per graph, like
        flip: 1 − p of h's list.
        others: all users but the hubs.
        public: those of the others whose own list is exact.
        friend: whether h's list, or a public user's own, makes her a friend.
        settled: whether that is certain.
    """

    lists: NeighbourLists
    hub: NDArray[np.int64]
    degree: Floats
    hub_degree: Floats
    flip: Floats
    others: Flags
    public: Flags
    friend: Flags
    settled: Flags

    @classmethod
    def the_busiest(cls, lists: NeighbourLists) -> Self:
        """The user with the largest d* of each graph."""
        degree, graph = released_degrees(lists), lists.graph_of_user
        filled = np.flatnonzero(lists.sizes)
        hub = np.lexsort((-degree, graph))[lists.graph_ptr[filled]]
        others = np.ones(lists.num_users, np.bool_)
        others[hub] = False
        hub_degree, flip = np.ones(lists.num_graphs), np.zeros(lists.num_graphs)
        hub_degree[filled] = np.clip(degree[hub], 1.0, np.maximum(lists.sizes[filled] - 1, 1))
        public = np.ones(lists.num_users, np.bool_)
        if isinstance(lists, Reports) and lists.noisy_degree is not None:
            public = lists.public
            odds = np.exp(-lists.epsilon2[hub])
            flip[filled] = odds / (1 + odds)
        friend, settled = _links(lists, hub, public)
        return cls(lists, hub, degree, hub_degree, flip, others, public & others, friend, settled)

    @cached_property
    def busy(self) -> Floats:
        """The x of every user."""
        return np.clip(self.degree, 0.0, _BUSY + np.sqrt(noise_variance(self.lists)))

    def sides(self) -> Floats:
        """How busy the two sides are, over n and over their own sizes."""
        lists, graph = self.lists, self.lists.graph_of_user
        certain, unsure = self.friend & self.settled & self.others, ~self.settled & self.others
        named = unsure & self.friend
        count = _sum(lists, unsure)
        mean = _sum(lists, unsure, self.busy) / np.maximum(count, 1.0)
        left = np.clip(self.hub_degree - _sum(lists, certain), 0.0, count)
        expected = left * (1 - 2 * self.flip) + count * self.flip
        gain = (1 - 2 * self.flip) * np.minimum(_sum(lists, named) / np.maximum(expected, 1.0), 1.0)
        excess = np.divide(_sum(lists, named, self.busy - mean[graph]), gain, np.zeros_like(gain), where=gain > 0)
        whole = _sum(lists, self.others, self.busy)
        friends = np.clip(_sum(lists, certain, self.busy) + mean * left + excess, 0.0, whole)
        friends = np.where(self.counted.there, self._friends_counted(whole), friends)
        n = np.maximum(lists.sizes - 1.0, 1.0)
        columns = (friends / n, (whole - friends) / n, friends / self.hub_degree)
        return np.stack((*columns, (whole - friends) / np.maximum(n - self.hub_degree, 1.0)), axis=1)

    @cached_property
    def counted(self) -> _Counted:
        """What the hubs answered."""
        found = np.zeros((2, self.lists.num_graphs))
        there = np.zeros(self.lists.num_graphs, np.bool_)
        if isinstance(self.lists, Reports) and self.lists.quiet_friends is not None:
            told = np.stack((self.lists.quiet_friends[self.hub], np.asarray(self.lists.busy_friends)[self.hub]))
            there[self.lists.graph_of_user[self.hub]] = ~np.isnan(told[0])
            found[:, self.lists.graph_of_user[self.hub]] = np.nan_to_num(told)
        return _Counted(found[0], found[1], there)

    def side(self, users: Flags) -> _Side:
        """These of the others."""
        return _Side(_sum(self.lists, users & self.others), _sum(self.lists, users & self.others, self.busy))

    def _friends_counted(self, whole: Floats) -> Floats:
        """T by the two counts, between 0 and the sum over all others."""
        if not (isinstance(self.lists, Reports) and self.lists.busy is not None):
            return whole
        mean = whole / np.maximum(_sum(self.lists, self.others), 1.0)
        found = mean * self.hub_degree
        for told, side in ((self.counted.quiet, ~self.lists.busy), (self.counted.busy, self.lists.busy)):
            users, x = self.side(side)
            found += told * np.where(users > 0, x / np.maximum(users, 1.0) - mean, 0.0)
        return np.clip(found, 0.0, whole)

    def seen(self) -> Floats:
        """What public users show: their degrees, and how busy those are who know h and those who do not."""
        bins = len(_STEPS) + 1
        cell = self.lists.graph_of_user * bins + np.searchsorted(_STEPS, self.degree)
        counts = np.bincount(cell[self.public], minlength=self.lists.num_graphs * bins).reshape(-1, bins)
        sides = (self.public & self.friend, self.public & ~self.friend)
        means = [_over(_sum(self.lists, side, self.busy), _sum(self.lists, side)) for side in sides]
        return np.hstack((_over(counts, counts.sum(axis=1)[:, None]), np.stack(means, axis=1)))


def _links(lists: NeighbourLists, hub: NDArray[np.int64], public: Flags) -> tuple[Flags, Flags]:
    """Whether each user is said to be a friend of her graph's hub, and whether that is certain."""
    graph = lists.graph_of_user
    local, certain = np.full(lists.num_graphs, -1), np.zeros(lists.num_graphs, np.bool_)
    local[graph[hub]], certain[graph[hub]] = lists.local_users[hub], public[hub]
    named = np.zeros(lists.num_users, np.bool_)
    entries, ends = gather_ranges(lists.indptr, hub)
    named[lists.indices[entries] + np.repeat(lists.graph_ptr[graph[hub]], np.diff(ends))] = True
    if lists.directed:
        return named, certain[graph]
    told = np.zeros(lists.num_users, np.bool_)
    speakers = np.flatnonzero(public)
    entries, ends = gather_ranges(lists.indptr, speakers)
    speaker = np.repeat(speakers, np.diff(ends))
    told[speaker[lists.indices[entries] == local[graph[speaker]]]] = True
    return np.where(public & ~certain[graph], told, named), public | certain[graph]


def _sum(lists: NeighbourLists, users: Flags, values: Floats | None = None) -> Floats:
    """How many of these users each graph has, or the sum of their values."""
    return total(lists, users.astype(np.float64) if values is None else np.where(users, values, 0.0))


def _over(part: NDArray[Any], whole: NDArray[Any]) -> Floats:
    """Part/whole; −1 where there is no whole."""
    return np.where(whole > 0, part / np.maximum(whole, 1), -1.0)
