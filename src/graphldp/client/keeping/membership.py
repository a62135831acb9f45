"""A community that was joined, as the vault keeps it: invitation, what is published, the roster, the one report.

What the community published is *pinned*: kept when the user joined, or agreed to a new epoch, and never fetched again
to be compared. The user's list meets this roster, and its groups, and no other, so nobody can change it under her and
watch what her client does.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from graphldp.client.keeping import vault
from graphldp.errors import ClientError, DataError
from graphldp.wire import Invitation, Publication, Published, Report, address, decode

_SECOND = ("question", "answer")


@dataclass(frozen=True)
class Drawn:
    """A report that is kept.

    Args:
        report: what it says.
        body: the bytes that leave the device, and no others.
        choice: the choice of ε by name.
        friends: the numbers of the list that it was drawn from.
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
    friends: tuple[int, ...] = field(repr=False)
    acknowledged: bool = False
    noise: int | None = field(default=None, repr=False)
    question: bytes | None = field(default=None, repr=False)
    answer: bytes | None = field(default=None, repr=False)
    note: str | None = None
    group_names: tuple[str, ...] = ()


@dataclass(frozen=True)
class Membership:
    """A community that was joined: where its files are, and what they hold."""

    folder: Path
    invitation: Invitation
    published: Published
    accepted: int | None
    sealing_key: bytes | None = None

    @property
    def where(self) -> tuple[str, str]:
        """Server and community."""
        return self.invitation.server, self.invitation.community

    @property
    def report_path(self) -> Path:
        """Where this epoch's report is kept."""
        return self.folder / f"report-{self.published.epoch}.json"

    def roster(self) -> list[str]:
        """The names that were published with the community."""
        return self.people()[0]

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
            choice, friends, noise = str(fields["choice"]), tuple(map(int, fields["friends"])), fields.get("noise")
            if noise is not None and type(noise) is not int:
                raise TypeError
        except (KeyError, TypeError, ValueError):
            raise vault.damaged(self.report_path) from None
        names = self.published.group_names
        return Drawn(report, body, choice, friends, noise=noise, question=question, answer=answer, group_names=names)

    def keep(self, drawn: Drawn) -> None:
        """Keep this epoch's report, and what there is of its second round, in one file."""
        fields = {"choice": drawn.choice, "friends": drawn.friends, "report": drawn.body.hex()}
        second = {name: getattr(drawn, name) for name in _SECOND}
        fields |= {name: value.hex() for name, value in second.items() if value is not None}
        vault.keep(self.report_path, fields | ({} if drawn.noise is None else {"noise": drawn.noise}))


def folder_of(home: Path, invitation: Invitation) -> Path:
    """Where a membership is kept: one folder per server and community."""
    key = sha256(f"{invitation.server}\n{invitation.community}".encode()).hexdigest()[:16]
    return home / "memberships" / key


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
    return Membership(folder, invitation, published, accepted, sealing_key)


def memberships(home: Path) -> list[Membership]:
    """All that are joined and not forgotten."""
    return [load(path.parent) for path in sorted(home.glob("memberships/*/invitation.json"))]


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
