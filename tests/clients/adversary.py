"""One adversary for both clients: the moves of ``never.toml``, played against a client by a real server."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

from graphldp.audit.protocol import EPSILON, ROSTER, FailingCollector, Request
from graphldp.audit.traffic import CLOSED_PAIRS, HUB_COUNTS, asked, clique
from graphldp.wire.deal import GROUPS, dealt_groups, dealt_names

FRIENDS = (10, 11, 12)
HUBS = HUB_COUNTS | {"hub_from": -1000}  # everybody is asked: no noise is so large
WITNESSES = {
    "mechanism": "friend-counts",
    "choices": [{"name": "standard", "epsilon1": sum(EPSILON), "epsilon2": 0}],
    "group_names": list(dealt_names(GROUPS)),
    "groups": dealt_groups("audit", 1, ROSTER, GROUPS),
    "dealt": True,
}
PUBLISHED = {"": {}, "hub-counts": HUBS, "witnesses": WITNESSES, "closed-pairs": CLOSED_PAIRS}
CLOSE = 1e-6


@dataclass(frozen=True)
class Seen:
    """What can be known of a client after an act, beside what left it.

    Args:
        refused: whether the act was refused.
        shown: the text that the member was shown before she agreed to a new round.
        receipt: whether she is shown what left.
        waited: seconds from the act's beginning until its report left; None where none did.
        spent: in millionths of ε.
        entries: the ledger's.
        kept: the fields that are kept with reports.
    """

    refused: bool
    shown: str
    receipt: bool
    waited: float | None
    spent: int
    entries: Sequence[Mapping[str, Any]]
    kept: frozenset[str]


class Driver(Protocol):
    """A fresh device of a member, whose client is driven by the acts of ``never.toml``."""

    def act(self, name: str, friends: Sequence[int] = FRIENDS, slow: float = 0.0, stop: int = 0) -> Seen:
        """Do something."""


@dataclass(frozen=True)
class Move:
    """One move, see ``never.toml``."""

    act: str
    sends: list[str] | str
    ends: str = "done"
    publish: dict[str, Any] = field(default_factory=dict)
    epoch: int | None = None
    busy: list[int] | None = None
    mishaps: list[int | str] = field(default_factory=list)
    friends: tuple[int, ...] = FRIENDS
    slow: float = 0.0
    stop: int = 0
    spent: int | None = None
    entry: dict[str, bool] = field(default_factory=dict)
    keeps: list[str] = field(default_factory=list)
    lacks: list[str] = field(default_factory=list)
    shown: list[str] = field(default_factory=list)
    receipt: bool | None = None


@dataclass(frozen=True)
class Never:
    """One thing that must never happen."""

    name: str
    sentence: str
    moves: tuple[Move, ...]
    publish: str = ""

    def play(self, server: FailingCollector, driver: Driver) -> None:
        """Play all moves; fails where one of them has another end than it must have."""
        server.changes = {"held": []} | PUBLISHED[self.publish]
        sent: dict[str, set[bytes]] = {}
        for number, move in enumerate(self.moves):
            server.requests = []
            server.changes |= _values(move.publish)
            server.epoch = move.epoch or server.epoch
            question = clique if self.publish == "closed-pairs" else asked
            server.question = server.question if move.busy is None else question(move.busy)
            server.mishaps = list(move.mishaps)
            seen = driver.act(move.act, move.friends, move.slow, move.stop)
            _check(move, seen, server.requests, f"{self.name}, move {number + 1}: {move.act}")
            for each in server.requests:
                if each.body:
                    sent.setdefault(_name(each), set()).add(each.body)
        assert all(len(bodies) == 1 for bodies in sent.values()), f"{self.name}: two different messages of one kind"


def catalogue() -> list[Never]:
    """All that must never happen. What hubs are asked is asked about pairs, too, but where nobody is a hub any more."""
    found = tomllib.loads(Path(__file__).with_name("never.toml").read_text(encoding="utf-8"))["never"]
    entries = [Never(**each | {"moves": tuple(Move(**move) for move in each["moves"])}) for each in found]
    asked_all = [
        replace(each, name=f"{each.name}, by closed-pairs", publish="closed-pairs")
        for each in entries
        if each.publish == "hub-counts" and not any("hub_from" in move.publish for move in each.moves)
    ]
    return entries + asked_all


def _values(publish: Mapping[str, Any]) -> dict[str, Any]:
    """TOML has no null, which is the ε of a public list."""
    choices = publish.get("choices")
    if choices is None:
        return dict(publish)
    return {**publish, "choices": [{k: None if v == "null" else v for k, v in each.items()} for each in choices]}


def _check(move: Move, seen: Seen, requests: Sequence[Request], where: str) -> None:
    sends = [_name(each) for each in requests]
    if isinstance(move.sends, str):  # as often as the client likes
        assert set(sends) == {move.sends}, where
    else:
        assert sends == move.sends, where
    assert move.ends == "either" or seen.refused == (move.ends == "refused"), where
    assert move.spent in (None, seen.spent), where
    entry = max(seen.entries, key=lambda each: int(each["epoch"]), default={})
    assert {name: bool(entry.get(name)) for name in move.entry} == move.entry, where
    assert seen.kept >= set(move.keeps), where
    assert not seen.kept & set(move.lacks), where
    assert all(text in seen.shown for text in move.shown), where
    assert move.receipt in (None, seen.receipt), where
    if move.slow:
        assert seen.waited is not None, where
        assert seen.waited > move.slow, where
        assert abs(seen.waited - round(seen.waited)) < CLOSE, where


def _name(request: Request) -> str:
    """A request in short; a path that no client should ask for is named as it is."""
    path, _, query = request.path.partition("?epoch=")
    found = re.fullmatch(r"/v1/communities/audit(?:/(question)|/(report|answer)s/7)?", path)
    if found is None:
        return f"{request.method} {request.path}"
    what = found[1] or (found[2] if request.method == "PUT" else None)
    return " ".join(part for part in (request.method, what, query) if part)
