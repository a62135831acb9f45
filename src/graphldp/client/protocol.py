"""The client: join, report once, answer once where the report is asked again (see ``answering``), forget.

A report goes through these steps, each on the disk before the next begins (1 to 3 are in ``drawing``):

1. the user's list is matched with the pinned roster, and she is asked; so far nothing has left the device;
2. the ledger is charged (a report that was never drawn is charged anew, not twice);
3. the report is drawn and kept, together with the list it came from;
4. the ledger notes that it was drawn;
5. the kept bytes are sent, and sent again, until they are acknowledged; the ledger notes that, and they stay here.

Stopped anywhere, the next run goes on where the files say. Nothing is sent before step 3 is over, and after step 3
nothing else can be drawn for the same epoch: two different reports never leave the device.

**After the draw nothing that leaves depends on the list.** A later run sends the kept bytes first and looks at the
user's file afterwards, against the roster that is kept here. What a community publishes by then is not asked for: an
answer to a question that the other side wrote would be a way to read the list.
"""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import platformdirs

from graphldp.client import answering, drawing, friends, withdrawing
from graphldp.client.answering import Answered
from graphldp.client.keeping import membership, vault
from graphldp.client.keeping.ledger import Entry, Ledger
from graphldp.client.keeping.membership import Drawn, Membership
from graphldp.client.questions import DECLINED, Approve, Renewal, agreed
from graphldp.client.sampling.entropy import Entropy
from graphldp.client.sending import sealing
from graphldp.client.sending.sender import Sender
from graphldp.errors import ClientError, GraphLDPError
from graphldp.wire import Invitation, Publication, Published

TICK = 1.0
USERS_A_TICK = 50_000  # matching a roster takes microseconds a user, and more or less of them by the list


class Client:
    """One user's client.

    Args:
        home: the vault's folder; by default this user's own data folder.
        tick: a fresh report leaves a whole number of these seconds after its run's last request, or its beginning;
            in a community of many users, of as many times these seconds as it takes to be done in one.
        sender_options: pauses and timeouts of the :class:`~graphldp.client.sending.sender.Sender`.
    """

    def __init__(
        self, home: Path | None = None, *, tick: float = TICK, _entropy: Entropy | None = None, **sender_options: Any
    ) -> None:
        self.home = home or platformdirs.user_data_path("graphldp") / "client"
        self._tick, self._entropy, self._options = tick, _entropy, sender_options

    def join(self, invitation: Invitation, *, accept: int | None, cap: int | None = None) -> Published:
        """Take an invitation, and pin what the community publishes.

        Args:
            invitation: where, and the token.
            accept: the largest ε₁ + ε₂ that the user accepts here, in millionths; None to accept a public list too.
            cap: a new lifetime cap over all communities, in millionths.
        """
        with vault.locked(self.home):
            found = self._fetch(invitation)
            published = found.published
            folder = membership.folder_of(self.home, invitation)
            if (folder / "invitation.json").exists() and membership.load(folder).published != published:
                raise ClientError(
                    "You are in this community already, and it publishes something else by now: "
                    "'graphldp client report --new-epoch' shows what, and asks."
                )
            if cap is not None:
                self._ledger().set_cap(cap)
            membership.pin(folder, found, accept)
            vault.keep(folder / "invitation.json", {"invitation": invitation.to_json()})
        return published

    def report(
        self,
        community: str,
        *,
        server: str | None = None,
        friends_file: Path | None = None,
        choice: str | None = None,
        new_epoch: bool = False,
        dry_run: bool = False,
        resend: bool = False,
        relay: str | None = None,
        approve: Approve = agreed,
    ) -> Drawn:
        """Draw the report if none was drawn, and send the one that was.

        Args:
            community: the community's id.
            server: its collector's address, where the user is in communities of this id on several.
            friends_file: the user's friends; not needed to send again what was drawn before.
            choice: the choice of ε by name, where the community has several.
            new_epoch: draw another report, at its full cost, for a collection that the community has opened since.
            dry_run: stop before sending. The report is drawn, kept and paid for: the bytes shown are those that a
                later run sends. Drawing until one likes the result, or sending only what one likes, would undo the
                noise.
            resend: send the kept bytes also where the collector has acknowledged them.
            relay: the address of a relay that carries them, sealed to the collector.
            approve: asks the user, before anything is drawn.
        """
        with vault.locked(self.home):
            member, ledger = membership.find(self.home, community, server), self._ledger()
            names = _names(friends_file) if new_epoch else None  # a bad file ends the run before anyone hears of it
            if new_epoch:
                member = self._renewed(member, ledger, approve)
            withdrawing.refuse_withdrawn(ledger.find(*member.where, member.published.epoch))
            sealing.check_relay(member, relay)
            begun, drawn = time.monotonic(), member.drawn()
            fresh = drawn is None
            if drawn is None:
                self._refuse_second(member, ledger, new_epoch=new_epoch, resend=resend)
                names = _names(friends_file) if names is None else names
                drawn = drawing.draw(member, ledger, names, choice, approve, self._entropy)
            elif choice not in (None, drawn.choice):
                raise ClientError(f"The report of this epoch was drawn with the choice '{drawn.choice}', and is kept.")
            entry = ledger.find(*member.where, member.published.epoch)
            if entry is None:
                raise ClientError("The ledger does not know the report that is kept; restore it from a backup.")
            ledger.mark(entry, drawn=True)
            if not dry_run:
                if fresh:
                    self._wait(begun, member.published.n)
                drawn = self._send(member, ledger, entry, drawn, resend=resend, relay=relay)
            return drawn if fresh else replace(drawn, note=_note(member, drawn, friends_file))

    def answer(
        self, community: str, *, server: str | None = None, resend: bool = False, relay: str | None = None
    ) -> Answered:
        """Answer a community's second question, if the report of this epoch is asked one; once, and no other question.

        It costs no ε beyond the report's.

        Args:
            community: the community's id.
            server: its collector's address, where the user is in communities of this id on several.
            resend: send the kept answer also where the collector has acknowledged it.
            relay: the address of a relay that carries it, sealed to the collector, who is asked for the question.
        """
        with vault.locked(self.home):
            member, ledger = membership.find(self.home, community, server), self._ledger()
            drawn, entry = answering.to_answer(member, ledger)
            sealing.check_relay(member, relay)
            sender = self._sender(member.invitation)
            if drawn.answer is None:
                drawn = answering.pinned(member, ledger, entry, drawn, sender)
                begun = time.monotonic()
                drawn = answering.counted(member, drawn)
                self._wait(begun, member.published.n)
            return answering.send(member, ledger, drawn, sender, resend=resend, relay=relay)

    def withdraw(self, community: str, *, server: str | None = None) -> list[int]:
        """Have the collector delete all that was reported to a community; gives the epochs. What was spent stays spent.

        Args:
            community: the community's id.
            server: its collector's address, where the user is in communities of this id on several.
        """
        with vault.locked(self.home):
            member, ledger = membership.find(self.home, community, server), self._ledger()
            return withdrawing.withdraw(member, ledger, self._sender(member.invitation))

    def status(self) -> tuple[Ledger, list[Membership]]:
        """The ledger, and the communities that are joined and not forgotten."""
        with vault.locked(self.home):
            return self._ledger(), membership.memberships(self.home)

    def ledger(self, add: Path | None = None) -> Ledger:
        """The ledger, with what another client of the same user has spent where its file is given."""
        with vault.locked(self.home):
            ledger = self._ledger()
            if add is not None:
                ledger.add(add)
            return ledger

    def forget(self, community: str, *, server: str | None = None) -> None:
        """Delete the list, the token and the report; what was spent, and that a report was drawn, stays noted."""
        with vault.locked(self.home):
            member, ledger = membership.find(self.home, community, server), self._ledger()
            entry = ledger.find(*member.where, member.published.epoch)
            if entry is not None and member.report_path.exists():
                ledger.mark(entry, drawn=True)
            vault.drop(member.folder)

    def _wait(self, begun: float, n: int) -> None:
        """How long a draw took does not show in when what was drawn leaves."""
        if self._tick:
            pause = self._tick * (1 + n // USERS_A_TICK)
            time.sleep(pause - (time.monotonic() - begun) % pause)

    def _send(
        self, member: Membership, ledger: Ledger, entry: Entry, drawn: Drawn, *, resend: bool, relay: str | None
    ) -> Drawn:
        """Step 5. Where the report was acknowledged before, the collector is asked whether it still holds it.

        But not by who sends through a relay: the collector would learn her address.
        """
        sender = self._sender(member.invitation)
        if resend or not entry.sent or (relay is None and not sender.holds(member.published.epoch)):
            sealing.deliver(member, sender, "report", drawn.body, relay)
            ledger.mark(entry, drawn=True, sent=True)
        return replace(drawn, acknowledged=True)

    def _refuse_second(self, member: Membership, ledger: Ledger, *, new_epoch: bool, resend: bool) -> None:
        last = ledger.last_epoch(*member.where)
        if last >= member.published.epoch:
            raise ClientError("A report was drawn for this community before, and forgotten; another is never drawn.")
        if resend:
            raise ClientError("There is nothing to send again: no report was drawn for this epoch.")
        if last and not new_epoch:
            raise ClientError(
                f"Your report was drawn in epoch {last} of this community. One for epoch {member.published.epoch} "
                "costs its ε again: ask for the new epoch explicitly."
            )

    def _renewed(self, member: Membership, ledger: Ledger, approve: Approve) -> Membership:
        """Pin what the community publishes now, where the user agrees to it. Her list has no part in this."""
        found = self._fetch(member.invitation)
        current = found.published
        if current.epoch <= ledger.last_epoch(*member.where):
            raise ClientError(f"The community is in epoch {current.epoch}, for which your report is drawn.")
        if not approve(Renewal(member.published, current, *member.people(), found.roster, found.groups)):
            raise ClientError(DECLINED)
        membership.pin(member.folder, found, member.accepted)
        return membership.load(member.folder)

    def _fetch(self, invitation: Invitation) -> Publication:
        fields = self._sender(invitation).fetch()
        found = Publication.from_json(fields)
        if found.published.id != invitation.community:
            raise ClientError("The collector answered with another community.")
        friends.numbered(found.roster)  # one that no list can be matched with is not pinned in place of one that can
        return found

    def _sender(self, invitation: Invitation) -> Sender:
        return Sender(invitation, **self._options)

    def _ledger(self) -> Ledger:
        return Ledger(self.home / "ledger.json")


def _names(path: Path | None) -> list[str]:
    if path is None:
        raise ClientError("Nothing was drawn yet: give the file with your friends.")
    return friends.read_names(path)


def _note(member: Membership, drawn: Drawn, path: Path | None) -> str | None:
    """How a file compares with the list that was drawn from. Looked at last, when nothing more is sent."""
    if path is None:
        return None
    try:
        matched = friends.match(friends.read_names(path), member.roster(), member.published.user)
    except (GraphLDPError, OSError):
        return "Your file could not be compared with the list that your report was drawn from."
    if tuple(matched.neighbours.tolist()) == drawn.friends:
        return None
    return (
        "Your list has changed since this epoch's report was drawn. The report stays as it is; a new one needs a new "
        "epoch of the community, and costs its ε again."
    )
