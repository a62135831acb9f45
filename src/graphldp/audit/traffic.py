"""All that a client sends, against a collector that lies: the same for neighbouring lists, whatever it is answered.

A report is protected by its noise. Everything around it has none: whether a request follows, how many, in which order,
of which size. So two clients with neighbouring lists get the same entropy, chosen so that their reports are the same
bytes, and meet the same adversary. It refuses reports, cuts connections, renames users between two runs, opens epochs,
offers another ε under an old name, denies what it holds, and does not delete what is withdrawn. All requests that
arrive are compared.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any, cast

from graphldp.audit.finding import Finding
from graphldp.audit.protocol import ROSTER, FailingCollector, Request, failing_collector
from graphldp.client.protocol import Client
from graphldp.client.sampling.entropy import Drawn, Entropy
from graphldp.errors import GraphLDPError
from graphldp.wire import decode

EPSILON = 1.0
_PLAIN_RR = {"mechanism": "rr", "choices": [{"name": "standard", "epsilon1": 0, "epsilon2": EPSILON}]}
_DEARER = {"choices": [{"name": "standard", "epsilon1": 0, "epsilon2": 2 * EPSILON}]}
HUB_FROM = 6
_HUB_LISTS = {
    "mechanism": "hub-lists",
    "hub_from": HUB_FROM,
    "choices": [{"name": "standard", "epsilon1": 0.2 * EPSILON, "epsilon2": 0.8 * EPSILON}],
}
_FRIEND_COUNTS = {
    "mechanism": "friend-counts",
    "group_names": ["even", "odd"],
    "groups": [number % 2 for number in range(len(ROSTER))],
    "choices": [{"name": "standard", "epsilon1": EPSILON, "epsilon2": 0}],
}
NEIGHBOURS = (((), (12,)), ((10, 11, 13), (10, 11, 12, 13)))


class Given(Entropy):
    """Noise that is given, one after the other, and the largest words, with which a list names nobody."""

    def __init__(self, *noises: int) -> None:
        super().__init__(_source=lambda size: b"\xff" * size)
        self.noises = list(noises)

    def until(self, attempt: Callable[[Entropy], Drawn | None]) -> Drawn:
        """The next one."""
        return cast("Drawn", self.noises.pop(0))


@dataclass(frozen=True)
class Move:
    """One move of the adversary, and the user's run after it.

    Args:
        changes: what it publishes from now on, over what it published.
        mishaps: how it answers the reports of this run.
        options: how the user calls ``report``.
        edited: whether the user has another file by now.
        withdraws: whether she calls ``withdraw`` instead.
    """

    changes: dict[str, Any] = field(default_factory=dict)
    mishaps: tuple[str | int, ...] = ()
    options: dict[str, Any] = field(default_factory=dict)
    edited: bool = False
    withdraws: bool = False


def _even_and_odd(friends: Sequence[int]) -> tuple[int, ...]:
    """The noises with which every list gives the same two counts."""
    odd = sum(number % 2 for number in friends)
    return 5 - (len(friends) - odd), 5 - odd


KINDS: dict[str, tuple[dict[str, Any], Callable[[Sequence[int]], tuple[int, ...]]]] = {
    "a list": (_PLAIN_RR, lambda friends: ()),
    # of hub-lists: the noise with which every list gives the same d_fine, and a step of 0 to d_rough
    "no hub": (_HUB_LISTS, lambda friends: (HUB_FROM - 3 - len(friends), True)),
    "a hub": (_HUB_LISTS, lambda friends: (HUB_FROM + 3 - len(friends), True)),
    "counts": (_FRIEND_COUNTS, _even_and_odd),
}
"""What a community publishes, and the noises by which neighbouring lists give the same bytes."""


def renamed(*numbers: int) -> dict[str, Any]:
    """A roster in which some users have other names."""
    return {"roster": [f"{name}-renamed" if number in numbers else name for number, name in enumerate(ROSTER)]}


MOVES = (
    Move(mishaps=("drop", 503)),
    Move({"groups": [int(number == 12) for number in range(len(ROSTER))]}, (503, 503)),  # ignored where there are none
    Move(renamed(12), ("lost", 422)),
    Move(renamed(*range(10, 14)), (429, 409), edited=True),
    Move({"roster": ROSTER[::-1]}, (302,)),
    Move({"n": 41}, (401,), edited=True),
    Move({"n": 40}, (201,)),
    Move({"held": [1]}),
    Move({"held": []}, (500, 200), edited=True),
    Move({"held": "none"}, (410,), {"resend": True}),
    Move({"epoch": 2, "held": [1]}, edited=True),
    Move({"epoch": 2} | _DEARER, (), {"new_epoch": True}),
    Move({"epoch": 2} | _PLAIN_RR | renamed(11, 12), ("drop", "drop"), {"new_epoch": True}),
    Move(renamed(13), (200,)),
    Move({"held": []}, ("drop", 503), withdraws=True),
    Move({"held": []}, (201,), {"resend": True}),
    Move({"held": [1, 2]}, ("lost", 204), withdraws=True, edited=True),
    Move({"epoch": 3}, (201,), {"new_epoch": True}),
)


def recorded(
    server: FailingCollector,
    friends: Sequence[int],
    edited: Sequence[int],
    moves: Sequence[Move],
    kind: str = "a list",
) -> tuple[list[Request], int]:
    """All requests of one user, who joins and goes along with every move, and what she spent.

    Args:
        server: the adversary.
        friends: her list.
        edited: the list in her file later.
        moves: the adversary's.
        kind: how the community collects, one of ``KINDS``.
    """
    terms, noises = KINDS[kind]
    server.requests, server.epoch, server.changes = [], 1, dict(terms)
    server.bodies = []
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "friends.txt"
        client = Client(Path(folder) / "home", tick=0.0, _entropy=Given(*noises(friends)), pauses=(0.0,), timeout=5.0)
        client.join(server.invitation, accept=round(EPSILON * 10**6))
        for move in moves:
            server.changes |= move.changes
            server.mishaps = list(move.mishaps)
            names = edited if move.edited else friends
            file.write_text("\n".join(ROSTER[number] for number in names))
            with suppress(GraphLDPError):
                if move.withdraws:
                    client.withdraw("audit")
                else:
                    client.report("audit", friends_file=file, **move.options)
        return server.requests, client.status()[0].spent


def same_traffic(moves: Sequence[Move] = MOVES) -> Finding:
    """Record both neighbours of every pair; one of them later edits her file, the other does not."""
    requests, same = 0, True
    with failing_collector() as server:
        for (one, other), kind in product(NEIGHBOURS, KINDS):
            first = recorded(server, one, one, moves, kind)
            second = recorded(server, other, range(20, 30), moves, kind)
            same = first == second and all(decode(body).hub == (kind == "a hub") for body in server.bodies[:1])
            requests += len(server.requests)
            if not same:  # one difference is enough to tell them apart
                break
    effort = f"{requests} requests of each neighbour, after {len(moves)} moves of the adversary"
    return Finding("traffic", EPSILON, EPSILON if same else math.inf, same, effort)
