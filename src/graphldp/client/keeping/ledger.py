"""The ledger: what a user has spent, in all communities together, in whole millionths of ε, so that sums are exact.

An entry is made before a report is drawn, marked when it is drawn, and never deleted: who forgets a community does not
get her ε back, since what she sent is known. A list that was published is noted; it has no ε, and the cap cannot
speak of it.
"""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from graphldp.client.keeping import vault
from graphldp.errors import ClientError, FormatError, WireError
from graphldp.wire import MILLION, Choice, address

DEFAULT_CAP = 5 * MILLION


@dataclass(frozen=True)
class Entry:
    """One report's cost.

    Args:
        server: the collector's address.
        community: the community's id.
        epoch: which of the community's collections.
        choice: the choice of ε by name.
        millionths: ε₁ + ε₂ in millionths; None for a public list.
        drawn: whether the report has been drawn.
        sent: whether the collector has acknowledged it.
        question: the digest of the one second question that was answered for it, or will be.
        answered: whether the collector has acknowledged the answer, which costs nothing more.
        withdrawn: whether she has withdrawn the report: it is never sent again, and its ε stays spent.
        deleted: whether the collector has acknowledged that it deleted the report.
    """

    server: str
    community: str
    epoch: int
    choice: str
    millionths: int | None
    drawn: bool = False
    sent: bool = False
    question: str | None = None
    answered: bool = False
    withdrawn: bool = False
    deleted: bool = False

    @property
    def slot(self) -> tuple[str, str, int]:
        """Which report this is the cost of."""
        return self.server, self.community, self.epoch


class Ledger:
    """The entries and the cap, kept in one file. Used under the vault's lock."""

    def __init__(self, path: Path) -> None:
        self._path = path
        found = vault.kept(path)
        self.cap, self.entries = (DEFAULT_CAP, []) if found is None else _read(found, vault.damaged(path))

    @property
    def spent(self) -> int:
        """The sum of ε over all communities, in millionths."""
        return sum(entry.millionths or 0 for entry in self.entries)

    def find(self, server: str, community: str, epoch: int) -> Entry | None:
        """The entry of a report, if there is one."""
        return next((entry for entry in self.entries if entry.slot == (server, community, epoch)), None)

    def last_epoch(self, server: str, community: str) -> int:
        """The latest epoch in which a report was drawn for a community; 0 for none."""
        return max((e.epoch for e in self.entries if e.slot[:2] == (server, community) and e.drawn), default=0)

    def to_json(self) -> dict[str, Any]:
        """What is kept, and what another client takes with :meth:`add`."""
        return {"version": 1, "cap": self.cap, "entries": [asdict(entry) for entry in self.entries]}

    def add(self, path: Path) -> None:
        """Take in what another client of the same user has spent, from a file that it wrote.

        Where both know a report, the larger cost counts, and every mark of either: what one of them drew, the other
        never draws again. The smaller cap holds.

        Raises:
            FormatError: where the file is no ledger; nothing is changed then.
        """
        refused = FormatError(f"{path}: not a ledger that a client has written. Nothing was changed.")
        try:
            found = json.loads(path.read_bytes())
        except (ValueError, RecursionError):
            raise refused from None
        cap, entries = _read(found, refused)
        known = {entry.slot: entry for entry in self.entries}
        for entry in entries:
            known[entry.slot] = _joined(known[entry.slot], entry) if entry.slot in known else entry
        self.cap, self.entries = min(self.cap, cap), list(known.values())
        self._keep()

    def set_cap(self, millionths: int) -> None:
        """Change the lifetime cap."""
        self.cap = millionths
        self._keep()

    def check(self, server: str, community: str, epoch: int, choice: Choice) -> list[Entry]:
        """The other entries, where a report's cost fits under the cap beside them.

        Raises:
            ClientError: where the sum would pass the lifetime cap.
        """
        others = [entry for entry in self.entries if entry.slot != (server, community, epoch)]
        before = sum(entry.millionths or 0 for entry in others)
        if choice.cost is not None and before + choice.cost > self.cap:
            raise ClientError(
                f"This report costs ε = {shown(choice.cost)}. With the {shown(before)} spent so far it would pass "
                f"the lifetime cap of {shown(self.cap)}; nothing was drawn."
            )
        return others

    def charge(self, server: str, community: str, epoch: int, choice: Choice) -> None:
        """Enter a report's cost before it is drawn.

        An entry whose report was never drawn, because the client was stopped in between, is replaced: it cost nothing.

        Raises:
            ClientError: where the sum would pass the lifetime cap.
        """
        others = self.check(server, community, epoch, choice)
        new = Entry(server, community, epoch, choice.name, choice.cost)
        self.entries = [*others, new]
        self._keep()

    def mark(self, entry: Entry, *, drawn: bool = False, sent: bool = False) -> None:
        """Note that a report was drawn, or acknowledged."""
        self._note(replace(entry, drawn=entry.drawn or drawn, sent=entry.sent or sent))

    def mark_second(self, entry: Entry, question: str, *, answered: bool = False) -> Entry:
        """Note which question is answered for a report, and that the answer was acknowledged."""
        return self._note(replace(entry, question=question, answered=entry.answered or answered))

    def mark_withdrawn(self, entry: Entry, *, deleted: bool = False) -> Entry:
        """Note that a report was withdrawn, and that its deletion was acknowledged."""
        return self._note(replace(entry, withdrawn=True, deleted=deleted))

    def _note(self, new: Entry) -> Entry:
        if new not in self.entries:
            self.entries = [new if each.slot == new.slot else each for each in self.entries]
            self._keep()
        return new

    def _keep(self) -> None:
        vault.keep(self._path, self.to_json())


def _read(found: Any, refused: FormatError) -> tuple[int, list[Entry]]:
    """The cap and the entries that a ledger holds."""
    try:
        cap, entries = found["cap"], [Entry(**fields) for fields in found["entries"]]
    except (KeyError, TypeError):
        raise refused from None
    if type(cap) is not int or not all(_whole(entry) for entry in entries):
        raise refused
    by_slot: dict[tuple[str, str, int], Entry] = {}
    for written in entries:
        try:
            entry = replace(written, server=address(written.server))
        except WireError:
            raise refused from None
        known = by_slot.get(entry.slot)
        by_slot[entry.slot] = entry if known is None else _both(known, entry)
    return cap, list(by_slot.values())


def _both(first: Entry, second: Entry) -> Entry:
    """The entries of two reports for one slot, under two ways to write its address: both left, so both count."""
    costs = [each.millionths for each in (first, second)]
    return replace(_joined(first, second), millionths=None if None in costs else sum(each or 0 for each in costs))


def _joined(ours: Entry, theirs: Entry) -> Entry:
    """One report's entry, from what two clients know of it."""
    dearer = max(ours, theirs, key=lambda entry: math.inf if entry.millionths is None else entry.millionths)
    marks = {name: getattr(ours, name) or getattr(theirs, name) for name in _MARKS}
    return replace(dearer, question=theirs.question if ours.question is None else ours.question, **marks)


_MARKS = ("drawn", "sent", "answered", "withdrawn", "deleted")


def _whole(entry: Entry) -> bool:
    texts = (entry.server, entry.community, entry.choice)
    cost = entry.millionths
    return (
        all(type(text) is str for text in texts)
        and type(entry.epoch) is int
        and (cost is None or (type(cost) is int and cost >= 0))
        and (entry.question is None or type(entry.question) is str)
        and {type(getattr(entry, name)) for name in _MARKS} == {bool}
    )


def shown(millionths: int | None) -> str:
    """ε for people."""
    return "public" if millionths is None else f"{millionths / MILLION:.6f}".rstrip("0").rstrip(".")
