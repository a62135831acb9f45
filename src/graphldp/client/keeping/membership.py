"""A community that was joined, as the vault keeps it: invitation, what is published, the roster, the one report.

What the community published is *pinned*: kept when the user joined, or agreed to a new epoch, and never fetched again
to be compared. The user's list meets this roster, and its groups, and no other, so nobody can change it under her and
watch what her client does.
"""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

from graphldp.client.keeping import vault
from graphldp.client.keeping.ledger import Entry, Ledger
from graphldp.errors import ClientError, DataError, FormatError, GraphLDPError
from graphldp.wire import Invitation, Publication, Published, Report, address, decode

_SECOND = ("question", "answer")
_LIST = frozenset(("friends", "noise"))


@dataclass(frozen=True)
class Drawn:
    """A report that is kept.

    Args:
        report: what it says.
        body: the bytes that leave the device, and no others.
        choice: the choice of ε by name.
        friends: the numbers of the list that it was drawn from, while a second question may need them; else None.
        acknowledged: whether the collector has it.
        noise: N₂ of a hub who has not answered yet; forgotten by the write that keeps her answer.
        question: the bytes of the one question that she ever answers, from when it is pinned until she has.
        answer: the bytes of her one answer.
        note: what the user should know of her file, where she gave one after the draw.
        group_names: what the groups are called that it counts by, if it does.
    """

    report: Report
    body: bytes = field(repr=False)
    choice: str
    friends: tuple[int, ...] | None = field(repr=False)
    acknowledged: bool = False
    noise: int | None = field(default=None, repr=False)
    question: bytes | None = field(default=None, repr=False)
    answer: bytes | None = field(default=None, repr=False)
    note: str | None = None
    group_names: tuple[str, ...] = ()


@dataclass(frozen=True)
class Membership:
    """A community that was joined: where its files are, and what they hold.

    ``held`` says whether the collector has said, since it was pinned, that it has a report of the pinned epoch.
    """

    folder: Path
    invitation: Invitation
    published: Published
    accepted: int | None
    sealing_key: bytes | None = None
    held: bool = False

    @property
    def where(self) -> tuple[str, str]:
        """The server's address and the community's id."""
        return self.invitation.server, self.invitation.community

    @property
    def report_path(self) -> Path:
        """Where this epoch's report is kept."""
        return report_path(self.folder, self.published.epoch)

    def people(self) -> tuple[list[str], list[int] | None]:
        """The names that were published with the community, and the number of each one's group if it has groups."""
        path = _roster_path(self.folder, self.published)
        found = vault.kept(path)
        if found is None:
            raise ClientError(f"{path}: missing; take the invitation again ('graphldp client join'). Nothing was sent.")
        grouped = isinstance(found, dict)
        names, groups = (found.get("names"), found.get("groups")) if grouped else (found, None)
        try:
            self.published.check_roster(names, groups)
        except DataError:
            raise vault.damaged(path) from None
        return list(names), groups

    def drawn(self) -> Drawn | None:
        """This epoch's report, or None where none was drawn."""
        fields = vault.kept(self.report_path)
        if fields is None:
            return None
        try:
            body = bytes.fromhex(fields["report"])
            report = decode(body, n=self.published.n)
            question, answer = (bytes.fromhex(fields[name]) if name in fields else None for name in _SECOND)
            choice, noise = str(fields["choice"]), fields.get("noise")
            friends = tuple(map(int, fields["friends"])) if noise is not None else None
            if noise is not None and type(noise) is not int:
                raise TypeError
        except (KeyError, TypeError, ValueError):
            raise vault.damaged(self.report_path) from None
        names = self.published.group_names
        return Drawn(report, body, choice, friends, noise=noise, question=question, answer=answer, group_names=names)

    def keep(self, drawn: Drawn) -> None:
        """Keep this epoch's report, and what there is of its second round, in one file.

        The list is kept with the noise of a hub who has not answered yet, and not without it.
        """
        fields: dict[str, Any] = {"choice": drawn.choice, "report": drawn.body.hex()}
        second = {name: getattr(drawn, name) for name in _SECOND}
        fields |= {name: value.hex() for name, value in second.items() if value is not None}
        waiting = {} if drawn.noise is None else {"friends": drawn.friends, "noise": drawn.noise}
        vault.keep(self.report_path, fields | waiting)

    def drop_lists(self, ledger: Ledger) -> None:
        """Delete every list that is kept here and that no second question needs, also where a write was stopped."""
        entry = ledger.find(*self.where, self.published.epoch)
        _drop_lists(self.folder, self.report_path, entry, self.published.answer_until)


def folder_of(home: Path, invitation: Invitation) -> Path:
    """Where a membership is kept: one folder per server and community."""
    key = sha256(f"{invitation.server}\n{invitation.community}".encode()).hexdigest()[:16]
    return home / "memberships" / key


def report_path(folder: Path, epoch: int) -> Path:
    """Where the report of an epoch is kept."""
    return folder / f"report-{epoch}.json"


def pin(folder: Path, found: Publication, accepted: int | None) -> None:
    """Keep what a community publishes; from here on the user's list meets this roster, these groups and no others."""
    path = _roster_path(folder, found.published)
    vault.keep(path, found.roster if found.groups is None else {"names": found.roster, "groups": found.groups})
    fields = {"accepted": accepted, "published": found.published.to_json()}
    key = {} if found.sealing_key is None else {"sealing_key": found.sealing_key.hex()}
    vault.keep(folder / "community.json", fields | key)
    for old in folder.glob("roster-*.json"):
        if old != path:
            old.unlink()


def note_held(folder: Path, epochs: Collection[int]) -> None:
    """Keep with what is pinned whether the collector says that it has a report of that epoch."""
    if (folder / "invitation.json").exists():
        held, path = load(folder).published.epoch in epochs, folder / "community.json"
        vault.keep(path, vault.kept(path) | {"held": held})


def load(folder: Path) -> Membership:
    """The membership in a folder."""
    try:
        invitation = Invitation.from_json(vault.kept(folder / "invitation.json")["invitation"])
        fields = vault.kept(folder / "community.json")
        published, accepted = Published.from_json(fields["published"]), fields["accepted"]
        sealing_key = bytes.fromhex(fields["sealing_key"]) if "sealing_key" in fields else None
        if accepted is not None and type(accepted) is not int:
            raise TypeError
    except (KeyError, TypeError, ValueError):
        raise vault.damaged(folder) from None
    return Membership(folder, invitation, published, accepted, sealing_key, fields.get("held") is True)


def memberships(home: Path) -> list[Membership]:
    """The memberships that are joined and not forgotten. Of two under one address one counts, until it is forgotten."""
    found = [load(path.parent) for path in sorted(home.glob("memberships/*/invitation.json"))]
    proper = {folder_of(home, each.invitation) for each in found}
    return [each for each in found if each.folder in proper]


def tidy(home: Path, ledger: Ledger) -> None:
    """Drop the lists that no question needs, and keep a membership where its server's one address says."""
    for folder in list(home.glob("memberships/*")):
        try:
            member = load(folder)
        except FormatError:  # a damaged membership can answer nothing
            _drop_lists(folder)
            continue
        except ClientError:  # a folder that others can write to stops who needs it, and nobody else
            continue
        member.drop_lists(ledger)
        proper = folder_of(home, member.invitation)
        if not proper.exists():
            folder.rename(proper)


def _drop_lists(
    folder: Path, pinned: Path | None = None, entry: Entry | None = None, until: date | None = None
) -> None:
    """Delete a membership's lists, but for the one that the pinned epoch's report still needs, until its last day."""
    over = until is not None and datetime.now(UTC).date() > until
    for part in folder.glob(".report-*.part"):
        part.unlink()
    for path in folder.glob("report-*.json"):
        with suppress(GraphLDPError, TypeError):  # a damaged file holds no list that could be read
            fields = vault.kept(path)
            waits = path == pinned and "noise" in fields and "answer" not in fields and not over
            if waits and entry is not None:  # neither taken back nor answered by another copy of this vault
                waits = not entry.withdrawn and (entry.question is None or "question" in fields)
            if not waits and not _LIST.isdisjoint(fields):
                vault.keep(path, {name: fields[name] for name in fields if name not in _LIST})


def find(home: Path, community: str, server: str | None) -> Membership:
    """The one membership of a community's id, and of a server's address where one is given."""
    wanted = None if server is None else address(server)
    found = [
        each
        for each in memberships(home)
        if each.invitation.community == community and wanted in (None, each.invitation.server)
    ]
    if not found:
        raise ClientError("You are in no community of this name there; 'graphldp client status' lists yours.")
    if len(found) > 1:
        servers = ", ".join(each.invitation.server for each in found)
        raise ClientError(f"You are in a community of this name on several servers; give --server, one of: {servers}.")
    return found[0]


def _roster_path(folder: Path, published: Published) -> Path:
    return folder / f"roster-{published.roster_digest[:32]}.json"
