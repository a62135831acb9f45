"""A community to test with, and reports of its users."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from graphldp import wire
from graphldp.collector import tokens
from graphldp.collector.community import Community
from graphldp.collector.roles import Actor, Role
from graphldp.collector.storage.collecting.accepting import Ruling, Submission
from graphldp.collector.storage.store import Store
from graphldp.privacy.hubs import BUSY_FROM
from graphldp.wire import Choice

N = 50
ALICE = Actor("alice", Role.ADMINISTRATOR, "command line")
BEES, HUB, LATE, QUIET = 90, 7, 8, 9
CHOICES = (Choice("standard", 0.1, 0.9), Choice("public", math.inf, math.inf))
HUB_CHOICES = (Choice("standard", 1.0, 0.0), Choice("public", math.inf, math.inf))


def open_cats(store: Store, id: str = "cats", n: int = N, label: int | None = None) -> tuple[Community, dict[int, str]]:
    """A community of n users who all have tokens."""
    made = store.open_community(id, [f"cat {u}" for u in range(n)], mechanism="dprr", choices=CHOICES, label=label)
    return made, store.invite(id)


def report(user: int, degree: int = 3, neighbours: Sequence[int] = (7, 9, 30), n: int = N) -> bytes:
    listed = np.array([other for other in neighbours if other != user])
    return wire.encode(wire.Report("dprr", n, user, 0.1, 0.9, degree, listed))


def public_report(user: int, neighbours: Sequence[int] = (1, 2), n: int = N) -> bytes:
    listed = np.array([other for other in neighbours if other != user])
    return wire.encode(wire.Report("public", n, user, math.inf, math.inf, None, listed))


def submission(community: Community, user: int, token: str, body: bytes | None, degree: int | None = 3) -> Submission:
    return Submission(community.key, user, tokens.hashed(token), body, degree)


def hub_report(user: int, degree: int, *, asked: bool = False) -> bytes:
    return wire.encode(wire.Report("hub-counts", BEES, user, 1.0, 0.0, degree, np.zeros(0, np.int32), asked))


def open_bees(store: Store) -> tuple[Community, dict[int, str]]:
    """Two hubs, of whom one reports late; busy users from 20 on, and one whose list is public."""
    made = store.open_community(
        "bees", [f"bee {u}" for u in range(BEES)], mechanism="hub-counts", choices=HUB_CHOICES, label=0
    )
    tokens = store.invite("bees")
    sent = [(HUB, hub_report(HUB, 85, asked=True), 85), (QUIET, hub_report(QUIET, 80), 80)]
    sent += [
        (user, hub_report(user, degree), degree)
        for user, degree in ((20, BUSY_FROM), (21, BUSY_FROM - 1), (22, -6), (23, 12))
    ]
    public = wire.Report("public", BEES, 24, math.inf, math.inf, None, np.arange(1, BUSY_FROM + 1, dtype=np.int32))
    taken = store.accept([submission(made, user, tokens[user], body, degree) for user, body, degree in sent])
    taken += store.accept([submission(made, 24, tokens[24], wire.encode(public), None)])
    assert set(taken) == {Ruling.STORED}
    return made, tokens


ANTS = ("east", "north", "<b>west</b>")


def open_ants(
    store: Store, counts: Sequence[Sequence[int]], epsilon: float = 1.0, groups: Sequence[str] | None = None
) -> Community:
    """Friends counted by three groups; whoever comes after those with counts has a public list of three friends."""
    choices = [Choice("standard", epsilon, 0.0), CHOICES[1]]
    groups = groups or [ANTS[user % 3] for user in range(N)]
    made = store.open_community(
        "ants", [f"ant {u}" for u in range(N)], mechanism="friend-counts", choices=choices, groups=groups
    )
    secrets, nobody = store.invite("ants"), np.zeros(0, np.int32)
    last, friends = len(counts), np.array([0, 3, 6], np.int32)  # all in one group
    sent = [
        wire.Report("friend-counts", N, user, epsilon, 0.0, None, nobody, counts=tuple(own))
        for user, own in enumerate(counts)
    ]
    sent.append(wire.Report("public", N, last, math.inf, math.inf, None, friends))
    taken = store.accept([submission(made, each.user, secrets[each.user], wire.encode(each), None) for each in sent])
    assert set(taken) == {Ruling.STORED}
    return made
