"""Profiles of hubs: who gathers around the busiest user, the one thing about edges that survives the noise.

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

from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphldp.learn.engine.features.summaries import released_degrees
from graphldp.learn.tables.profiles import noise_variance, total
from graphldp.neighbour_lists import NeighbourLists
from graphldp.neighbour_lists.pointers import gather_ranges
from graphldp.reports import Reports

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

_BUSY = 8.0  # nobody counts as busier, give or take the noise: a few more hubs would drown the sum in theirs
_STEPS = np.array([1.5, 2.5, 3.5, 7.5])
COUNTS = 6


def hub_profile(X: NeighbourLists) -> Floats:
    """The profile of a hub: how busy her friends are and how busy the others are; then the same of public users alone.

    Args:
        X: reports or raw graphs, whose users all count as public. Where lists say nothing (all of ε on the degrees),
            friends count as drawn at random.

    Returns:
        [graphs, 11]: T/n, (Σx − T)/n, T/d*_h and (Σx − T)/(n − d*_h); the share of public users with a degree of at
        most 1, 2, 3, 4 to 7, and more; the mean x of h's public friends and of other public users. −1 where there is
        no such user.
    """
    around = _Around(X)
    return np.hstack((around.sides(), around.seen()))


def count_profile(X: NeighbourLists) -> Floats:
    """The profile of what the busiest user counted: her quiet and her busy friends, against how many there are.

    Returns:
        [graphs, COUNTS]: u₁/n, u₂/n, u₁ and u₂ over the number of quiet and of busy users, u₂/d*_h, and the busy users
        whom she does not know, over n. −1 where she did not answer; NaN throughout where nobody could be asked.
    """
    around = _Around(X)
    if around.answers is None:
        return np.full((X.num_graphs, COUNTS), np.nan)
    (quiet_friends, busy_friends), is_busy = around.counted, around.answers.busy
    n, quiet, busy = np.maximum(X.sizes - 1.0, 1.0), around.sum(~is_busy), around.sum(is_busy)
    columns = (
        quiet_friends / n,
        busy_friends / n,
        quiet_friends / np.maximum(quiet, 1.0),
        busy_friends / np.maximum(busy, 1.0),
        busy_friends / around.hub_degree,
        (busy - busy_friends) / n,
    )
    return np.where(around.answered[:, None], np.stack(columns, axis=1), -1.0)


class _Around:
    """Each graph's hub h, the user with the largest d*, and the users around it.

    Attributes:
        hub: h of each graph that has users.
        hub_degree: d* of h, from 1 to n − 1, and ``flip``, 1 − p of h's list, of each graph.
        others: all users but the hubs; ``public`` are those of them whose own list is exact.
        friend: whether h's list, or a public user's own, makes her a friend; ``settled`` whether that is certain.
        counted: what each graph's hub counted, u₁ and u₂, if she ``answered``; 0 where not.
        busy: x of every user.
    """

    def __init__(self, lists: NeighbourLists) -> None:
        self.lists, self.degree, graph = lists, released_degrees(lists), lists.graph_of_user
        filled = np.flatnonzero(lists.sizes)
        self.hub = np.lexsort((-self.degree, graph))[lists.graph_ptr[filled]]
        self.others = np.ones(lists.num_users, np.bool_)
        self.others[self.hub] = False
        self.hub_degree, self.flip = np.ones(lists.num_graphs), np.zeros(lists.num_graphs)
        self.hub_degree[filled] = np.clip(self.degree[self.hub], 1.0, np.maximum(lists.sizes[filled] - 1, 1))
        public = np.ones(lists.num_users, np.bool_)
        if isinstance(lists, Reports) and lists.noisy_degree is not None:
            public = lists.public
            odds = np.exp(-lists.epsilon2[self.hub])
            self.flip[filled] = odds / (1 + odds)
        self.public = public & self.others
        self.friend, self.settled = _links(lists, self.hub, public)
        self.busy = np.clip(self.degree, 0.0, _BUSY + np.sqrt(noise_variance(lists)))
        self.answers = lists.answers if isinstance(lists, Reports) else None
        self.counted, self.answered = np.zeros((2, lists.num_graphs)), np.zeros(lists.num_graphs, np.bool_)
        if self.answers is not None:
            told = np.stack((self.answers.quiet_friends[self.hub], self.answers.busy_friends[self.hub]))
            self.answered[filled], self.counted[:, filled] = ~np.isnan(told[0]), np.nan_to_num(told)

    def sum(self, users: Flags, values: Floats | None = None) -> Floats:
        """How many of these users but the hubs each graph has, or the sum of their values."""
        some = users & self.others
        return total(self.lists, some.astype(np.float64) if values is None else np.where(some, values, 0.0))

    def sides(self) -> Floats:
        """How busy the two sides are, over n and over their own sizes."""
        certain, unsure = self.friend & self.settled, ~self.settled
        named = unsure & self.friend
        count = self.sum(unsure)
        mean = self.sum(unsure, self.busy) / np.maximum(count, 1.0)
        left = np.clip(self.hub_degree - self.sum(certain), 0.0, count)
        expected = left * (1 - 2 * self.flip) + count * self.flip
        gain = (1 - 2 * self.flip) * np.minimum(self.sum(named) / np.maximum(expected, 1.0), 1.0)
        above = self.sum(named, self.busy - mean[self.lists.graph_of_user])
        excess = np.divide(above, gain, np.zeros_like(gain), where=gain > 0)
        whole = self.sum(self.others, self.busy)
        friends = np.clip(self.sum(certain, self.busy) + mean * left + excess, 0.0, whole)
        friends = np.where(self.answered, self._friends_counted(whole), friends)
        n = np.maximum(self.lists.sizes - 1.0, 1.0)
        columns = (friends / n, (whole - friends) / n, friends / self.hub_degree)
        return np.stack((*columns, (whole - friends) / np.maximum(n - self.hub_degree, 1.0)), axis=1)

    def _friends_counted(self, whole: Floats) -> Floats:
        """T by the two counts, between 0 and the sum over all others."""
        if self.answers is None:
            return whole
        mean = whole / np.maximum(self.sum(self.others), 1.0)
        found = mean * self.hub_degree
        for told, side in zip(self.counted, (~self.answers.busy, self.answers.busy), strict=True):
            users = self.sum(side)
            found += told * np.where(users > 0, self.sum(side, self.busy) / np.maximum(users, 1.0) - mean, 0.0)
        return np.clip(found, 0.0, whole)

    def seen(self) -> Floats:
        """The numbers that public users show: their degrees, and how busy those are who know h and those who do not."""
        bins = len(_STEPS) + 1
        cell = self.lists.graph_of_user * bins + np.searchsorted(_STEPS, self.degree)
        counts = np.bincount(cell[self.public], minlength=self.lists.num_graphs * bins).reshape(-1, bins)
        sides = (self.public & self.friend, self.public & ~self.friend)
        means = [_over(self.sum(side, self.busy), self.sum(side)) for side in sides]
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


def _over(part: NDArray[Any], whole: NDArray[Any]) -> Floats:
    """Part/whole; −1 where there is no whole."""
    return np.where(whole > 0, part / np.maximum(whole, 1), -1.0)
