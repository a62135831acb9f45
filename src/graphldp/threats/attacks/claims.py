"""The reports of liars where devices send a degree, and lists or counts only where it is large.

There are two ways to lie. In *response poisoning* a liar sends any d* that the wire admits. In *input poisoning* she
runs the honest mechanism on a list that she made up, so that her report carries honest noise (Imola, Chowdhury &
Chaudhuri, *Robustness of Locally Differentially Private Graph Analysis Against Poisoning*, 2022).

A liar who claims to be a hub must say more: under :class:`graphldp.HubLists` a list, under
:class:`graphldp.HubCounts` two counts that add up to d*. She makes friends up for it: anybody, the busiest users or the
quietest ones.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphldp.mechanisms import HubCounts, HubLists, NoisyDegrees
from graphldp.mechanisms.degrees.coarsening import coarser
from graphldp.mechanisms.degrees.noise import Noise, noise_of
from graphldp.mechanisms.drawing import backend
from graphldp.mechanisms.drawing.rows import UserRows
from graphldp.mechanisms.drawing.streams import Key, Stream
from graphldp.mechanisms.hubs.hub_lists import hub_threshold
from graphldp.mechanisms.named import at_hand
from graphldp.privacy import allocate
from graphldp.reports import HubAnswers, Reports
from graphldp.threats.lists import spliced
from graphldp.threats.treatments import without_answers
from graphldp.wire import DEGREE_RANGE

Floats = NDArray[np.float64]
Lie = Literal["response", "input"]
Friends = Literal["any", "busy", "quiet"]

WITH_DEGREES = (NoisyDegrees, HubLists, HubCounts)
"""The mechanisms whose reports are degrees, and more only from hubs."""


class Lies(NamedTuple):
    """The claims that liars have agreed on.

    Args:
        who: the liars, numbered over the whole set.
        rows: the same, with empty lists.
        epsilon: what each of them has to spend.
        said: how many friends each says she has.
        lie: any d*, or the honest mechanism on a list of so many.
        friends: who is on the list that a forged hub makes up.
        key: the seed.
    """

    who: NDArray[np.int64]
    rows: UserRows
    epsilon: Floats
    said: Floats
    lie: Lie
    friends: Friends
    key: Key

    def degrees(self, noise: Noise) -> Floats:
        """The d* of liars who claim not to be hubs."""
        return self.said + noise_of(self.rows, self.epsilon, noise, Stream.DEGREE, self.key) * (self.lie == "input")


def forged(reports: Reports, liars: NDArray[np.bool_], claims: Floats, lie: Lie, friends: Friends, key: Key) -> Reports:
    """The reports with what liars claim in place of theirs.

    What honest hubs counted stays as it was, also where a liar is now on the other side of who is busy: only the hub
    knows whether the liar is her friend.

    Args:
        reports: honest ones, by one of :data:`WITH_DEGREES`.
        liars: who lies.
        claims: how many friends each of them says she has; others' are not read.
        lie: any d*, or the honest mechanism on a list of so many.
        friends: who is on the list that a forged hub makes up.
        key: the seed.
    """
    who = np.flatnonzero(liars)
    epsilon = np.where(reports.public, reports.epsilon1, reports.epsilon1 + reports.epsilon2)
    rows = _some(UserRows.of(reports), who)
    whole = lie == "input" or reports.noise == "discrete"
    said = np.rint(claims[who]) if whole else claims[who]
    said = np.clip(said, 0, rows.n - 1) if lie == "input" else np.clip(said, *DEGREE_RANGE)
    lies = Lies(who, rows, epsilon[who], said, lie, friends, key)
    record = at_hand(reports.origin.name)
    known = {name: value for name, value in reports.origin.parameters.items() if name in record.options}
    mechanism = record.make(epsilon, **known)
    bare = _without(reports, liars, epsilon)
    if isinstance(mechanism, HubCounts):
        return _counted(bare, lies, mechanism)
    if isinstance(mechanism, HubLists):
        return _listed(bare, lies, mechanism)
    return _with_degrees(bare, lies, lies.degrees(mechanism.degree_noise or "laplace"))


def _some(rows: UserRows, who: NDArray[np.int64]) -> UserRows:
    """Some users with empty lists: their numbers, and not what they reported."""
    nothing = np.zeros(len(who) + 1, np.int64)
    return UserRows(nothing, np.zeros(0, np.int32), rows.user[who], rows.n[who], rows.graph[who])


def _without(reports: Reports, liars: NDArray[np.bool_], epsilon: Floats) -> Reports:
    """The reports without anything that liars sent beside d*."""
    lists = spliced(reports, liars, np.zeros(np.count_nonzero(liars), np.int64), np.zeros(0, np.int32))
    return replace(
        without_answers(reports, liars),
        indptr=lists.indptr,
        indices=lists.indices,
        budget=replace(
            reports.budget,
            degree=np.where(liars, epsilon, reports.epsilon1),
            edges=np.where(liars, 0.0, reports.epsilon2),
        ),
        trusted=True,
    )


def _with_degrees(reports: Reports, lies: Lies, degree: Floats, **changed: Any) -> Reports:
    assert reports.noisy_degree is not None  # noqa: S101 (every mechanism here releases it)
    noisy = reports.noisy_degree.copy()
    noisy[lies.who] = degree
    return replace(reports, noisy_degree=noisy, **changed, trusted=True)


def _listed(reports: Reports, lies: Lies, mechanism: HubLists) -> Reports:
    """Forged hubs with a list by randomized response, as honest hubs send it."""
    split = allocate(lies.epsilon, "fixed", alpha=1.0 - mechanism.share, n_max=2, owner="HubLists")
    for_degree, for_list = np.asarray(split.degree), np.asarray(split.edges)
    fine = lies.degrees(mechanism.noise)
    rough = fine
    if lies.lie == "input":
        rough = coarser(lies.rows, fine, lies.epsilon, for_degree, mechanism.noise, lies.key)
    threshold = mechanism.threshold(lies.rows.n)
    hub = (rough >= threshold) & (threshold <= lies.rows.n - 1) & (lies.epsilon > mechanism.least)
    who = lies.who[hub]
    count = np.minimum(lies.said[hub], lies.rows.n[hub] - 1).astype(np.int64)
    indptr, indices = made_up(reports, who, count, lies.friends, lies.key)
    rows = replace(_some(UserRows.of(reports), who), indptr=indptr, indices=indices)
    flip = 1 / (np.exp(for_list[hub]) + 1)
    indptr, indices, _ = backend.sample_lists(rows, 1 - flip, flip, lies.key)
    forgers = np.zeros(reports.num_users, np.bool_)
    forgers[who] = True
    lists = spliced(reports, forgers, np.diff(indptr), indices)
    spent = reports.epsilon1.copy(), reports.epsilon2.copy()
    spent[0][who], spent[1][who] = for_degree[hub], for_list[hub]
    budget = replace(reports.budget, degree=spent[0], edges=spent[1])
    changed = {"indptr": lists.indptr, "indices": lists.indices, "budget": budget}
    return _with_degrees(reports, lies, np.where(hub, rough, fine), **changed)


def _counted(reports: Reports, lies: Lies, mechanism: HubCounts) -> Reports:
    """Forged hubs with two counts that add up to d*, and who is busy once the liars' d* are known."""
    who, n = lies.who, lies.rows.n
    second = noise_of(lies.rows, lies.epsilon, "discrete", Stream.SECOND, lies.key) * (lies.lie == "input")
    degree, threshold = lies.degrees("discrete"), hub_threshold(n, mechanism.times)
    hub = (degree + second >= threshold) & (threshold <= n - 1)
    told = _with_degrees(reports, lies, np.where(hub, degree + second, degree))
    busy = np.asarray(told.noisy_degree) >= mechanism.busy
    around = np.bincount(reports.graph_of_user, busy, reports.num_graphs)[reports.graph_of_user[who]] - busy[who]
    sides = {
        "any": np.rint(lies.said * around / np.maximum(n - 1, 1)),
        "busy": np.minimum(lies.said, around),
        "quiet": np.maximum(lies.said - (n - 1 - around), 0.0),
    }
    assert reports.answers is not None  # noqa: S101 (HubCounts asks)
    honest = reports.answers
    asked, quiet, known = honest.asked.copy(), honest.quiet_friends.copy(), honest.busy_friends.copy()
    asked[who] = hub
    quiet[who] = np.where(hub, degree - sides[lies.friends], np.nan)
    known[who] = np.where(hub, sides[lies.friends] + second, np.nan)
    return replace(told, answers=HubAnswers(asked, busy, quiet, known), trusted=True)


def made_up(
    reports: Reports, who: NDArray[np.int64], count: NDArray[np.int64], friends: Friends, key: Key
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """A list of so many users for each of these liars; liars of one graph who choose anybody choose the same.

    Args:
        reports: whose users are chosen from.
        who: the liars, numbered over the whole set.
        count: how many each lists, at most n − 1.
        friends: the busiest by d*, the quietest, or anybody.
        key: the seed.
    """
    if friends == "any":
        rank: NDArray[Any] = backend.first_words(UserRows.of(reports), Stream.FAKES, key)[:, 0]
    else:
        assert reports.noisy_degree is not None  # noqa: S101
        rank = -reports.noisy_degree if friends == "busy" else reports.noisy_degree
    order = np.lexsort((rank, reports.graph_of_user))
    graph = reports.graph_of_user[who]
    long = np.minimum(count + 1, reports.sizes[graph])  # one more, since she may be among them
    ends = np.cumsum(long)
    owner = np.repeat(np.arange(len(who)), long)
    place = np.arange(len(owner)) - np.repeat(ends - long, long)
    member = order[reports.graph_ptr[graph][owner] + place]
    other = member != who[owner]
    before = np.concatenate(([0], np.cumsum(other)))
    kept = other & (before[1:] - before[(ends - long)[owner]] <= count[owner])
    listed = reports.local_users[member[kept]].astype(np.int32)
    owner = owner[kept]
    indptr = np.concatenate(([0], np.cumsum(np.bincount(owner, minlength=len(who)))))
    return indptr, listed[np.lexsort((listed, owner))]
