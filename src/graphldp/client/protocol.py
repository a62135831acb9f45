"""The client: join, report once, answer once where the report is asked again (see ``answering``), forget.

A report goes through these steps, each on the disk before the next begins (1 to 3 are in ``drawing``):

1. the user's list is matched with the pinned roster, and she is asked; so far nothing has left the device;
2. the ledger is charged (a report that was never drawn is charged anew, not twice);
3. the report is drawn and kept; the list it came from only where a second question may need it, and until then;
4. the ledger notes that it was drawn;
5. the kept bytes are sent, and sent again, until they are acknowledged; the ledger notes that, and they stay here.

Stopped anywhere, the next run goes on where the files say. Nothing is sent before step 3 is over, and after step 3
nothing else can be drawn for the same epoch: two different reports never leave the device.

**After the draw nothing that leaves depends on the list.** A later run sends the kept bytes and does not read the
user's file. What a community publishes by then is not asked for: an answer to a question that the other side wrote
would be a way to read the list. Before the draw a list is looked up, which takes no time that could be seen, and shown,
which takes the user's: dice blur it by up to a minute (``_wait``).
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import platformdirs

from graphldp.client import answering, drawing, friends, slots, withdrawing
from graphldp.client.answering import Answered
from graphldp.client.keeping import membership, vault
from graphldp.client.keeping.ledger import Entry, Ledger
from graphldp.client.keeping.membership import Drawn, Membership
from graphldp.client.questions import DECLINED, Approve, Pick, Renewal, agreed, whom_to_ask
from graphldp.client.sampling.entropy import Entropy
from graphldp.client.sending import sealing
from graphldp.client.sending.sender import Sender
from graphldp.errors import ClientError
from graphldp.wire import Invitation, Publication, Published
from graphldp.wire.layout import LAYOUTS

TICK = 1.0
LATEST = 64  # ticks within which a report leaves after its first; the browser client has the same
USERS_A_TICK = 50_000  # matching a roster takes microseconds a user, and more or less of them by the list

_NOT_READ = (
    "Your file was not read: the report of this epoch is drawn, and stays as it is. A new one needs a new epoch of the "
    "community, and costs its ε again."
)


class Client:
    """One user's client. Its methods take a community's id, and its collector's address where several have this id.

    Args:
        home: the vault's folder; by default this user's own data folder.
        tick: a fresh report leaves a whole number of these seconds after its run has read the community's names; in a
            community of many users, of as many times these seconds as it takes to be done in one. Then it waits
            for up to ``LATEST`` of these seconds more, as chance has it: a few seconds more or less over her list
            hardly show.
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
        with self._opened():
            found = self._fetch(invitation)
            published = found.published
            folder = membership.folder_of(self.home, invitation)
            slots.refuse_held(found, self._ledger(), invitation, folder)
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
        pick: Pick | None = None,
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
            server: its collector's address.
            friends_file: the user's friends; not read where the report was drawn before.
            pick: without a file, asks the user who of the roster they are.
            choice: the choice of ε by name, where the community has several.
            new_epoch: draw another report, at its full cost, for a collection that the community has opened since.
            dry_run: stop before sending. The report is drawn, kept and paid for: the bytes shown are those that a
                later run sends. Drawing until one likes the result, or sending only what one likes, would undo the
                noise.
            resend: send the kept bytes also where the collector has acknowledged them.
            relay: the address of a relay that carries them, sealed to the collector.
            approve: asks the user, before anything is drawn.
        """
        with self._opened():
            member, ledger = membership.find(self.home, community, server), self._ledger()
            # a bad file ends the run before anyone hears of it
            listed = _list_of(friends_file, pick) if new_epoch else None
            if new_epoch:
                member = self._renewed(member, ledger, approve)
            withdrawing.refuse_withdrawn(ledger.find(*member.where, member.published.epoch))
            sealing.check_relay(member, relay)
            drawn, begun = member.drawn(), 0.0
            fresh = drawn is None
            if drawn is None:
                slots.refuse_second(member, ledger, new_epoch=new_epoch, resend=resend)
                people = drawing.people(member)
                begun = time.monotonic()  # from here on it may take longer by her list
                names = (listed or _list_of(friends_file, pick))(people.others(member.published.user))
                drawn = drawing.draw(member, people, ledger, names, choice, approve, self._entropy)
            elif choice not in (None, drawn.choice):
                raise ClientError(f"The report of this epoch was drawn with the choice '{drawn.choice}', and is kept.")
            entry = ledger.find(*member.where, member.published.epoch)
            if entry is None:
                raise ClientError("The ledger does not know the report that is kept; restore it from a backup.")
            ledger.mark(entry, drawn=True)
            if not dry_run:
                if fresh:
                    self._wait(begun, member.published.n, Entropy().below(LATEST))
                drawn = self._send(member, ledger, entry, drawn, resend=resend, relay=relay)
            return drawn if fresh or friends_file is None else replace(drawn, note=_NOT_READ)

    def answer(
        self, community: str, *, server: str | None = None, resend: bool = False, relay: str | None = None
    ) -> Answered:
        """Answer a community's second question, if the report of this epoch is asked one; once, and no other question.

        It costs no ε beyond the report's.

        Args:
            community: the community's id.
            server: its collector's address.
            resend: send the kept answer also where the collector has acknowledged it.
            relay: the address of a relay that carries it, sealed to the collector, who is asked for the question.
        """
        with self._opened():
            member, ledger = membership.find(self.home, community, server), self._ledger()
            drawn, entry = answering.to_answer(member, ledger)
            sealing.check_relay(member, relay)
            sender = self._sender(member.invitation, member.published)
            if drawn.answer is None:
                drawn = answering.pinned(member, ledger, entry, drawn, sender)
                begun, pairs = time.monotonic(), LAYOUTS[member.published.mechanism].asks_all
                drawn = answering.counted(member, drawn)
                # how long pairs take to count hangs on how many friends there are
                self._wait(begun, member.published.n, Entropy().below(LATEST) if pairs else 0)
            return answering.send(member, ledger, drawn, sender, resend=resend, relay=relay)

    def decline(self, community: str, *, server: str | None = None) -> None:
        """Never answer the second question: delete the list and the noise that wait for it. Nothing is sent."""
        with self._opened():
            answering.decline(membership.find(self.home, community, server))

    def withdraw(self, community: str, *, server: str | None = None) -> list[int]:
        """Have the collector delete all that was reported; gives the epochs. What was spent stays spent."""
        with self._opened():
            member, ledger = membership.find(self.home, community, server), self._ledger()
            return withdrawing.withdraw(member, ledger, self._sender(member.invitation, member.published))

    def status(self) -> tuple[Ledger, list[Membership]]:
        """The ledger, and the communities that are joined and not forgotten."""
        with self._opened():
            return self._ledger(), membership.memberships(self.home)

    def ledger(self, add: Path | None = None) -> Ledger:
        """The ledger, with what another client of the same user has spent where its file is given."""
        with self._opened():
            ledger = self._ledger()
            if add is not None:
                ledger.add(add)
                membership.tidy(self.home, ledger)  # of what was taken back, or answered, elsewhere
            return ledger

    def forget(self, community: str, *, server: str | None = None) -> None:
        """Delete the list, the token and the report; what was spent, and that a report was drawn, stays noted."""
        with self._opened():
            member, ledger = membership.find(self.home, community, server), self._ledger()
            entry = ledger.find(*member.where, member.published.epoch)
            if entry is not None and member.report_path.exists():
                ledger.mark(entry, drawn=True)
            vault.drop(member.folder)

    @contextmanager
    def _opened(self) -> Iterator[None]:
        """The vault, for this client alone, and without what is not kept any more."""
        with vault.locked(self.home):
            membership.tidy(self.home, self._ledger())
            yield

    def _wait(self, begun: float, n: int, later: int = 0) -> None:
        """Wait for a tick: when a report leaves tells nothing of its draw, and little of some seconds over her list.

        Args:
            begun: when the work began.
            n: the community's size.
            later: how many ticks of a second it waits besides.
        """
        if self._tick:
            pause = self._tick * (1 + n // USERS_A_TICK)
            time.sleep(pause - (time.monotonic() - begun) % pause + later * self._tick)

    def _send(
        self, member: Membership, ledger: Ledger, entry: Entry, drawn: Drawn, *, resend: bool, relay: str | None
    ) -> Drawn:
        """Send the kept report, step 5. Where it was acknowledged before, the collector is asked if it still holds it.

        But not by who sends through a relay: the collector would learn her address.
        """
        sender = self._sender(member.invitation, member.published)
        if resend or not entry.sent or (relay is None and not sender.holds(member.published.epoch)):
            sealing.deliver(member, sender, "report", drawn.body, relay)
            ledger.mark(entry, drawn=True, sent=True)
        return replace(drawn, acknowledged=True)

    def _renewed(self, member: Membership, ledger: Ledger, approve: Approve) -> Membership:
        """Pin what the community publishes now, where the user agrees to it. Her list has no part in this."""
        found = self._fetch(member.invitation, member.published)
        current = found.published
        if current.epoch <= ledger.last_epoch(*member.where):
            raise ClientError(f"The community is in epoch {current.epoch}, for which your report is drawn.")
        slots.refuse_held(found, ledger, member.invitation, member.folder)
        if not approve(Renewal(member.published, current, *member.people(), found.roster, found.groups)):
            raise ClientError(DECLINED)
        membership.pin(member.folder, found, member.accepted)
        renewed = membership.load(member.folder)
        renewed.drop_lists(ledger)
        return renewed

    def _fetch(self, invitation: Invitation, known: Published | None = None) -> Publication:
        fields = self._sender(invitation, known).fetch()
        found = Publication.from_json(fields)
        if found.published.id != invitation.community:
            raise ClientError("The collector answered with another community.")
        return found

    def _sender(self, invitation: Invitation, known: Published | None = None) -> Sender:
        return Sender(invitation, asking=whom_to_ask(known.inquiry) if known else "", **self._options)

    def _ledger(self) -> Ledger:
        return Ledger(self.home / "ledger.json")


def _list_of(path: Path | None, pick: Pick | None) -> Pick:
    """Where the names of the user's friends come from: her file, which is read here, or herself."""
    if path is not None:
        names = friends.read_names(path)
        return lambda _: names
    if pick is None:
        raise ClientError("Nothing was drawn yet: give the file with your friends, or tick them by name in a terminal.")
    return pick
