"""All that a client sends, against a collector that lies: the same for neighbouring lists, whatever it is answered.

A report is protected by its noise. Everything around it has none: whether a request follows, how many, in which order,
of which size. So two clients with neighbouring lists get the same entropy, chosen so that their reports are the same
bytes, and meet the same adversary. It refuses reports, cuts connections, renames users between two runs, opens epochs,
offers another ε under an old name, denies what it holds, and does not delete what is withdrawn. All requests that
arrive are compared.

Who is asked again gets such noise that her answer to the first second question is the same, too. There the adversary
asks nobody, asks in no known form, changes its question, refuses the answer and asks anew, denies that it has the
answer. Whatever it asks, no two different answers may come from one device.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, cast

import numpy as np

from graphldp.audit import Finding
from graphldp.audit.protocol import ROSTER, USER, FailingCollector, Request, failing_collector
from graphldp.client.protocol import Client
from graphldp.client.sampling import pairs
from graphldp.client.sampling.entropy import Drawn, Entropy
from graphldp.errors import GraphLDPError
from graphldp.wire import NoisyLists, Question, Report, decode

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
HUB_COUNTS: dict[str, Any] = {
    "mechanism": "hub-counts",
    "hub_from": HUB_FROM,
    "answered": [],
    "choices": [{"name": "standard", "epsilon1": EPSILON, "epsilon2": 0}],
}
CLOSED_PAIRS: dict[str, Any] = {
    "mechanism": "closed-pairs",
    "answer_until": "2999-12-31",
    "answered": [],
    "choices": [{"name": "standard", "epsilon1": 0.25 * EPSILON, "epsilon2": 0.75 * EPSILON}],
}
FIRST = ((), (12,), (10, 11), tuple(range(40)))  # who is said to be busy, in the first question
NEIGHBOURS = (((), (12,)), ((10, 11, 13), (10, 11, 12, 13)))
_ROUGH, _BUSY = 9, 4  # r and u₂ of a hub


class Given(Entropy):
    """Noise that is given, one after the other, and the largest words, with which a list names nobody."""

    def __init__(self, *noises: int) -> None:
        super().__init__(_source=lambda size: b"\xff" * size)
        self.noises = list(noises)

    def until(self, attempt: Callable[[Entropy], Drawn | None]) -> Drawn:
        """The next given noise."""
        return cast("Drawn", self.noises.pop(0))


@dataclass(frozen=True)
class Move:
    """One move of the adversary, and the user's run after it.

    Args:
        changes: what it publishes from now on, over what it published.
        mishaps: how it answers what is sent in this run.
        options: how the user calls ``report`` or ``answer``.
        edited: whether the user has another file by now.
        command: ``"report"``, ``"answer"`` or ``"withdraw"``.
        question: what it asks from now on: who is busy, bytes as they are, or nothing at all; ``"first"`` for its first
            question, ``"same"`` for no change.
    """

    changes: dict[str, Any] = field(default_factory=dict)
    mishaps: tuple[str | int, ...] = ()
    options: dict[str, Any] = field(default_factory=dict)
    edited: bool = False
    command: str = "report"
    question: tuple[int, ...] | bytes | str | None = "same"


def asking(
    question: tuple[int, ...] | bytes | str | None = "same",
    mishaps: tuple[str | int, ...] = (),
    changes: dict[str, Any] | None = None,
    **options: Any,
) -> Move:
    """A move after which the user answers."""
    return Move(changes or {}, mishaps, options, command="answer", question=question)


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
    Move({"held": []}, ("drop", 503), command="withdraw"),
    Move({"held": []}, (201,), {"resend": True}),
    Move({"held": [1, 2]}, ("lost", 204), edited=True, command="withdraw"),
    Move({"epoch": 3}, (201,), {"new_epoch": True}),
)


ASKING_MOVES = (
    Move(mishaps=("drop", 503)),
    asking(None),
    Move(),
    asking(b"\xe3\x01\x00"),
    asking("first", ("drop", "lost")),
    asking((12,), (422,)),
    asking(tuple(range(0, 40, 2)), (409,)),
    asking(None, (503, 503)),
    asking((11, 12), (201,)),
    asking((13,)),
    asking(mishaps=(500, 200), changes={"answered": []}),
    asking((10,), (410,), {"answered": [1]}),
    asking((12, 13), (409,), resend=True),
    Move({"held": []}),
)


def asked(busy: Sequence[int]) -> bytes:
    """The question that says that these are busy."""
    return Question(np.isin(np.arange(len(ROSTER)), busy)).encode()


def clique(some: Sequence[int]) -> bytes:
    """The noisy lists by which these are all friends, and nobody else is."""
    among = np.isin(np.arange(len(ROSTER)), some)
    return NoisyLists(np.outer(among, among) & ~np.eye(len(ROSTER), dtype=np.bool_)).encode()


def _played(
    server: FailingCollector,
    moves: Sequence[Move],
    terms: dict[str, Any],
    noises: Sequence[int],
    lists: tuple[Sequence[int], Sequence[int]],
    first: tuple[int, ...] = (),
    question: Callable[[Sequence[int]], bytes] = asked,
) -> tuple[list[Request], int]:
    """All requests of one user, who joins and goes along with every move, and what she spent.

    Args:
        server: the adversary.
        moves: the adversary's.
        terms: what it publishes at first.
        noises: of her report, and of her answer.
        lists: hers, and the one in her file later.
        first: who is busy, or a clique, by the first question.
        question: the question about some users.
    """
    server.requests, server.bodies, server.answers, server.question = [], [], [], None
    server.epoch, server.changes = 1, dict(terms)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "friends.txt"
        client = Client(Path(folder) / "home", tick=0.0, _entropy=Given(*noises), pauses=(0.0,), timeout=5.0)
        client.join(server.invitation, accept=round(EPSILON * 10**6))
        for move in moves:
            server.changes |= move.changes
            server.mishaps = list(move.mishaps)
            if move.question != "same":
                about = first if isinstance(move.question, str) else move.question
                server.question = question(about) if isinstance(about, tuple) else about
            file.write_text("\n".join(ROSTER[number] for number in lists[move.edited]))
            given = {"report": {"friends_file": file} | move.options, "answer": move.options}.get(move.command, {})
            with suppress(GraphLDPError):
                getattr(client, move.command)("audit", **given)
        return server.requests, client.status()[0].spent


def recorded(
    server: FailingCollector, friends: Sequence[int], edited: Sequence[int], moves: Sequence[Move], kind: str = "a list"
) -> tuple[list[Request], int]:
    """What leaves the device of a user who reports in a community of one of ``KINDS``, and what she spent."""
    terms, noises = KINDS[kind]
    return _played(server, moves, terms, noises(friends), (friends, edited))


def recorded_answers(
    server: FailingCollector, friends: Sequence[int], first: tuple[int, ...], moves: Sequence[Move], *, hub: bool
) -> tuple[list[Request], int]:
    """What leaves a hub-counts user's device, with the noise of one report and of one answer to the first question."""
    second = _BUSY - len({*friends} & {*first})
    noises = (_ROUGH - len(friends) - second, second) if hub else (HUB_FROM - len(friends), -_ROUGH)
    return _played(server, moves, HUB_COUNTS, noises, (friends, friends), first)


def recorded_pairs(
    server: FailingCollector, friends: Sequence[int], first: tuple[int, ...], moves: Sequence[Move]
) -> tuple[list[Request], int]:
    """What leaves a closed-pairs user's device, likewise."""
    report, n = (0.25 * EPSILON, 0.75 * EPSILON, _ROUGH, np.zeros(0, np.int32)), len(ROSTER)
    sent = Report("closed-pairs", n, USER, *report)
    true = pairs.answer(NoisyLists.decode(clique(first), n=n), friends, sent, 0)
    noises = (_ROUGH - len(friends), _BUSY - true.count)
    return _played(server, moves, CLOSED_PAIRS, noises, (friends, friends), first, clique)


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


def same_answers(moves: Sequence[Move] = ASKING_MOVES) -> Finding:
    """Record both neighbours of every pair, as hubs and not, and by closed-pairs, for every first question."""
    requests, same = 0, True
    kinds: tuple[Callable[..., tuple[list[Request], int]], ...] = (
        partial(recorded_answers, hub=True),
        partial(recorded_answers, hub=False),
        recorded_pairs,
    )
    with failing_collector() as server:
        for (one, other), first, (kind, record) in product(NEIGHBOURS, FIRST, enumerate(kinds)):
            found = [record(server, friends, first, moves) for friends in (one, other)]
            same &= found[0] == found[1] and len(set(server.answers)) == (kind != 1)
            requests += len(server.requests)
    effort = f"{requests} requests of each neighbour, after {len(moves)} moves of a collector that asks as it likes"
    return Finding("asking", EPSILON, EPSILON if same else math.inf, same, effort)
