"""All that a hub's client sends in the second round, against a collector that asks as it likes.

Two clients with neighbouring lists get such noise that their reports are the same bytes, and their answers to the first
question too. Then they meet the same adversary. It asks nobody, asks in no known form, asks the first question, changes
it, refuses the answer and asks anew, denies that it has the answer. All requests that arrive are compared; and whoever
was asked what, no two different answers may come from one device.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from graphldp.audit.finding import Finding
from graphldp.audit.protocol import ROSTER, FailingCollector, failing_collector
from graphldp.audit.traffic import EPSILON, HUB_FROM, NEIGHBOURS, Given
from graphldp.client.protocol import Client
from graphldp.errors import GraphLDPError
from graphldp.wire import Question

TERMS = {
    "mechanism": "hub-counts",
    "hub_from": HUB_FROM,
    "answered": [],
    "choices": [{"name": "standard", "epsilon1": EPSILON, "epsilon2": 0}],
}
FIRST = ((), (12,), (10, 11), tuple(range(40)))  # who is said to be busy, in the first question
_ROUGH, _BUSY = 9, 4  # r and u₂ of a hub


@dataclass(frozen=True)
class Asking:
    """One move of the adversary, and the user's run after it.

    Args:
        question: what it asks from now on: who is busy, bytes as they are, or nothing at all; ``"first"`` for its first
            question, ``"same"`` for no change.
        mishaps: how it answers what is sent in this run.
        changes: what it publishes from now on.
        command: ``"answer"`` or ``"report"``.
        options: how the user calls it.
    """

    question: tuple[int, ...] | bytes | str | None = "same"
    mishaps: tuple[str | int, ...] = ()
    changes: dict[str, Any] = field(default_factory=dict)
    command: str = "answer"
    options: dict[str, Any] = field(default_factory=dict)


MOVES = (
    Asking(mishaps=("drop", 503), command="report"),
    Asking(None),
    Asking(command="report"),
    Asking(b"\xe3\x01\x00"),
    Asking("first", ("drop", "lost")),
    Asking((12,), (422,)),
    Asking(tuple(range(0, 40, 2)), (409,)),
    Asking(None, (503, 503)),
    Asking((11, 12), (201,)),
    Asking((13,)),
    Asking(changes={"answered": []}, mishaps=(500, 200)),
    Asking((10,), (410,), {"answered": [1]}),
    Asking((12, 13), (409,), options={"resend": True}),
    Asking(changes={"held": []}, command="report"),
)


def asked(busy: Sequence[int]) -> bytes:
    """The question that says that these are busy."""
    return Question(np.isin(np.arange(len(ROSTER)), busy)).encode()


def noises(friends: Sequence[int], first: Sequence[int], *, hub: bool) -> Given:
    """The noise with which a list gives the one report, and the one answer to the first question."""
    if not hub:
        return Given(HUB_FROM - len(friends), -_ROUGH)
    second = _BUSY - len({*friends} & {*first})
    return Given(_ROUGH - len(friends) - second, second)


def recorded(
    server: FailingCollector, friends: Sequence[int], first: Sequence[int], moves: Sequence[Asking], *, hub: bool
) -> object:
    """All requests of one user, who joins and goes along with every move, and what she spent."""
    server.requests, server.answers, server.epoch, server.changes = [], [], 1, dict(TERMS)
    server.question = None
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "friends.txt"
        file.write_text("\n".join(ROSTER[number] for number in friends))
        entropy = noises(friends, first, hub=hub)
        client = Client(Path(folder) / "home", tick=0.0, _entropy=entropy, pauses=(0.0,), timeout=5.0)
        client.join(server.invitation, accept=round(EPSILON * 10**6))
        for move in moves:
            server.changes |= move.changes
            server.mishaps = list(move.mishaps)
            if move.question != "same":
                server.question = _bytes(move.question, first)
            with suppress(GraphLDPError):
                if move.command == "answer":
                    client.answer("audit", **move.options)
                else:
                    client.report("audit", friends_file=file, **move.options)
        return server.requests, client.status()[0].spent


def _bytes(question: tuple[int, ...] | bytes | str | None, first: Sequence[int]) -> bytes | None:
    if question is None or isinstance(question, bytes):
        return question
    return asked(first if isinstance(question, str) else question)


def same_answers(moves: Sequence[Asking] = MOVES) -> Finding:
    """Record both neighbours of every pair, as hubs and not, for every first question."""
    requests, same = 0, True
    with failing_collector() as server:
        for one, other in NEIGHBOURS:
            for first in FIRST:
                for hub in (True, False):
                    found = [recorded(server, friends, first, moves, hub=hub) for friends in (one, other)]
                    same &= found[0] == found[1] and len(set(server.answers)) == hub
                    requests += len(server.requests)
    effort = f"{requests} requests of each neighbour, after {len(moves)} moves of a collector that asks as it likes"
    return Finding("asking", EPSILON, EPSILON if same else math.inf, same, effort)
