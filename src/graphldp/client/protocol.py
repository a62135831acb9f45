"""The client: join, report once, forget.

A report goes through these steps, each on the disk before the next begins:

1. the ledger is charged (a report that was never drawn is charged anew, not twice);
2. the report is drawn and kept, together with the list it came from;
3. the ledger notes that it was drawn;
4. the kept bytes are sent, and sent again, until they are acknowledged; the ledger notes that, and they stay here.

Stopped anywhere, the next run goes on where the files say. Nothing is sent before step 2 is over, and after step 2
nothing else can be drawn for the same epoch: two different reports never leave the device.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

import platformdirs

from graphldp.client import friends, sampler, vault
from graphldp.client.ledger import Ledger, shown
from graphldp.client.published import Choice, Invitation, Published
from graphldp.client.sender import Sender
from graphldp.errors import ClientError, FormatError
from graphldp.wire import Report, decode, encode


@dataclass(frozen=True)
class Drawn:
    """A report that is kept.

    Args:
        report: what it says.
        body: the bytes that leave the device, and no others.
        choice: the choice of ε by name.
        unmatched: names of the friends' file that are not in the roster, where the file was just read.
        acknowledged: whether the collector has it.
    """

    report: Report
    body: bytes = field(repr=False)
    choice: str
    unmatched: int | None = None
    acknowledged: bool = False


@dataclass(frozen=True)
class Membership:
    """A community that was joined: where its files are, and what they hold."""

    folder: Path
    invitation: Invitation
    published: Published
    accepted: int | None

    @property
    def where(self) -> tuple[str, str]:
        """Server and community."""
        return self.invitation.server, self.invitation.community


class Client:
    """One user's client.

    Args:
        home: the vault's folder; by default this user's own data folder.
        sender_options: pauses and timeouts of the :class:`~graphldp.client.sender.Sender`.
    """

    def __init__(self, home: Path | None = None, **sender_options: Any) -> None:
        self.home = home or platformdirs.user_data_path("graphldp") / "client"
        self._options = sender_options

    def join(self, invitation: Invitation, *, accept: int | None, cap: int | None = None) -> Published:
        """Take an invitation.

        Args:
            invitation: where, and the token.
            accept: the largest ε₁ + ε₂ that the user accepts here, in millionths; None to accept a public list too.
            cap: a new lifetime cap over all communities, in millionths.
        """
        published, _ = self._fetch(invitation)
        with vault.locked(self.home):
            folder = self._folder(invitation)
            if (folder / "community.json").exists() and self._membership(folder).published != published:
                raise ClientError("You are in this community already, and it publishes something else by now.")
            if cap is not None:
                self._ledger().set_cap(cap)
            vault.keep(folder / "community.json", {"accepted": accept, "published": published.to_json()})
            vault.keep(folder / "invitation.json", {"invitation": invitation.to_json()})
        return published

    def report(
        self,
        community: str,
        *,
        friends_file: Path | None = None,
        choice: str | None = None,
        new_epoch: bool = False,
        dry_run: bool = False,
    ) -> Drawn:
        """Draw the report if none was drawn, and send the one that was.

        Args:
            community: the community's id.
            friends_file: the user's friends; not needed to send again what was drawn before.
            choice: the choice of ε by name, where the community has several.
            new_epoch: draw another report, at its full cost, for a collection that the community has opened since.
            dry_run: stop before sending. The report is drawn and kept: the bytes shown are those that a later run
                sends. Drawing until one likes the result would undo the noise.
        """
        with vault.locked(self.home):
            member, ledger = self._find(community), self._ledger()
            if new_epoch:
                member = self._renewed(member, ledger)
            drawn = self._kept(member)
            if drawn is None:
                self._refuse_second(member, ledger, new_epoch)
                drawn = self._draw(member, ledger, friends_file, choice)
            else:
                self._refuse_change(member, drawn, friends_file, choice)
            entry = ledger.find(*member.where, member.published.epoch)
            if entry is None:
                raise ClientError("The ledger does not know the report that is kept; restore it from a backup.")
            ledger.mark(entry, drawn=True)
            if dry_run:
                return drawn
            if not entry.sent:
                self._sender(member.invitation).put(member.published.user, member.published.epoch, drawn.body)
                ledger.mark(entry, drawn=True, sent=True)
        return Drawn(drawn.report, drawn.body, drawn.choice, drawn.unmatched, acknowledged=True)

    def status(self) -> tuple[Ledger, list[Membership]]:
        """The ledger, and the communities that are joined and not forgotten."""
        with vault.locked(self.home):
            return self._ledger(), [self._membership(folder) for folder in self._folders()]

    def forget(self, community: str) -> None:
        """Delete the list, the token and the report; what was spent, and that a report was drawn, stays noted."""
        with vault.locked(self.home):
            member, ledger = self._find(community), self._ledger()
            entry = ledger.find(*member.where, member.published.epoch)
            if entry is not None and self._kept(member) is not None:
                ledger.mark(entry, drawn=True)
            vault.drop(member.folder)

    def _draw(self, member: Membership, ledger: Ledger, friends_file: Path | None, choice: str | None) -> Drawn:
        """Steps 1 and 2."""
        published = member.published
        if friends_file is None:
            raise ClientError("Nothing was drawn yet: give the file with your friends.")
        chosen = published.choice(choice)
        _check_accepted(chosen, member.accepted)
        names = friends.read_names(friends_file)
        current, roster = self._fetch(member.invitation)
        if current != published:
            raise ClientError(
                "The community publishes something else than when you joined; nothing was drawn. If it has opened a "
                "new epoch, ask for that, and mind that it costs its ε again."
            )
        matched = friends.match(names, roster, published.user)
        ledger.charge(*member.where, published.epoch, chosen)
        report = sampler.draw(
            matched.neighbours,
            mechanism=chosen.mechanism,
            n=published.n,
            user=published.user,
            epsilon1=chosen.epsilon1,
            epsilon2=chosen.epsilon2,
        )
        body = encode(report)
        fields = {"choice": chosen.name, "friends": matched.neighbours.tolist(), "report": body.hex()}
        vault.keep(self._report_path(member), fields)
        return Drawn(report, body, chosen.name, matched.unmatched)

    def _refuse_second(self, member: Membership, ledger: Ledger, new_epoch: bool) -> None:
        last = ledger.last_epoch(*member.where)
        if last >= member.published.epoch:
            raise ClientError("A report was drawn for this community before, and forgotten; another is never drawn.")
        if last and not new_epoch:
            raise ClientError(
                f"Your report was drawn in epoch {last} of this community. One for epoch {member.published.epoch} "
                "costs its ε again: ask for the new epoch explicitly."
            )

    def _refuse_change(self, member: Membership, drawn: Drawn, path: Path | None, choice: str | None) -> None:
        if choice not in (None, drawn.choice):
            raise ClientError(f"The report of this epoch was drawn with the choice '{drawn.choice}', and is kept.")
        if path is None:
            return
        _, roster = self._fetch(member.invitation)
        matched = friends.match(friends.read_names(path), roster, member.published.user)
        if matched.neighbours.tolist() != vault.kept(self._report_path(member))["friends"]:
            raise ClientError(
                "Your list has changed since this epoch's report was drawn. The report stays as it is; a new one needs "
                "a new epoch of the community, and costs its ε again."
            )

    def _renewed(self, member: Membership, ledger: Ledger) -> Membership:
        current, _ = self._fetch(member.invitation)
        if current.epoch <= ledger.last_epoch(*member.where):
            raise ClientError(f"The community is in epoch {current.epoch}, for which your report is drawn.")
        fields = {"accepted": member.accepted, "published": current.to_json()}
        vault.keep(member.folder / "community.json", fields)
        return self._membership(member.folder)

    def _kept(self, member: Membership) -> Drawn | None:
        fields = vault.kept(self._report_path(member))
        if fields is None:
            return None
        body = bytes.fromhex(fields["report"])
        return Drawn(decode(body, n=member.published.n), body, fields["choice"])

    def _fetch(self, invitation: Invitation) -> tuple[Published, list[str]]:
        fields = self._sender(invitation).fetch()
        published, roster = Published.from_json(fields), fields.get("roster")
        if published.id != invitation.community or not isinstance(roster, list):
            raise ClientError("The collector answered with another community, or without a roster.")
        if not all(isinstance(name, str) for name in roster):
            raise ClientError("The roster must be a list of names.")
        published.check_roster(roster)
        return published, roster

    def _sender(self, invitation: Invitation) -> Sender:
        return Sender(invitation, **self._options)

    def _ledger(self) -> Ledger:
        return Ledger(self.home / "ledger.json")

    def _folder(self, invitation: Invitation) -> Path:
        key = sha256(f"{invitation.server}\n{invitation.community}".encode()).hexdigest()[:16]
        return self.home / "memberships" / key

    def _folders(self) -> list[Path]:
        return sorted(path.parent for path in self.home.glob("memberships/*/invitation.json"))

    def _find(self, community: str) -> Membership:
        found = [each for each in map(self._membership, self._folders()) if each.published.id == community]
        if len(found) != 1:
            raise ClientError(
                f"You are in {'several communities' if found else 'no community'} of this name; "
                "'graphldp client status' lists them."
            )
        return found[0]

    def _membership(self, folder: Path) -> Membership:
        try:
            invitation = Invitation.from_json(vault.kept(folder / "invitation.json")["invitation"])
            fields = vault.kept(folder / "community.json")
            return Membership(folder, invitation, Published.from_json(fields["published"]), fields["accepted"])
        except (KeyError, TypeError):
            raise FormatError(f"{folder}: damaged; restore it from a backup.") from None

    def _report_path(self, member: Membership) -> Path:
        return member.folder / f"report-{member.published.epoch}.json"


def _check_accepted(choice: Choice, accepted: int | None) -> None:
    if accepted is None:
        return
    if choice.cost is None:
        raise ClientError(
            f"The choice '{choice.name}' publishes your list; you accepted ε = {shown(accepted)} at most."
        )
    if choice.cost > accepted:
        raise ClientError(
            f"The choice '{choice.name}' costs ε = {shown(choice.cost)}; you accepted {shown(accepted)} at most."
        )
