"""The second question of a community that has one: pinned, answered once, for ever.

An answer goes through these steps, each on the disk before the next begins:

1. the question is fetched, but only where the report, which the collector has, says that its user is asked again;
2. it is pinned, in the vault and in the ledger: from here on it is the only question that is ever answered;
3. the answer is counted from the list and the noise that were kept with the report, and kept; the same write forgets
   both, without which nothing can be counted again;
4. the kept bytes are sent, and sent again, until they are acknowledged; the ledger notes that.

A question is never fetched again once one is pinned. So the collector can change it, lie in it or refuse the answer,
and hears the same bytes or nothing, whatever the list is.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from graphldp.client.keeping.ledger import Entry, Ledger
from graphldp.client.keeping.membership import Drawn, Membership
from graphldp.client.sampling import hubs, pairs
from graphldp.client.sending.sealing import deliver
from graphldp.client.sending.sender import Sender
from graphldp.client.withdrawing import refuse_withdrawn
from graphldp.errors import ClientError, WireError
from graphldp.wire import Answer, NoisyLists, Report, SecondQuestion, read_question

_ANSWERED = "A question was answered for this report before; another is never answered."


@dataclass(frozen=True)
class Answered:
    """A second question that is answered.

    Args:
        answer: what the answer says.
        body: the bytes that leave the device, and no others.
        report: the report that it belongs to.
    """

    answer: Answer
    body: bytes = field(repr=False)
    report: Report

    @property
    def quiet_friends(self) -> int | None:
        """By hub-counts u₁, which follows from both."""
        return None if self.report.asked is None else (self.report.noisy_degree or 0) - self.answer.count


def to_answer(member: Membership, ledger: Ledger) -> tuple[Drawn, Entry]:
    """The report of a user who is asked again, and its entry. Nothing has been asked of the network so far.

    Raises:
        ClientError: where there is nothing to answer, which her report says, or nothing to answer with.
    """
    drawn, entry = member.drawn(), ledger.find(*member.where, member.published.epoch)
    refuse_withdrawn(entry)
    if drawn is None or entry is None:
        raise ClientError("No report of this epoch is kept here, so there is nothing to answer.")
    if not drawn.report.asked_again:
        raise ClientError("Your report is complete: it is asked no second question. Nothing was sent.")
    if not entry.sent:
        raise ClientError("The collector has not acknowledged your report: 'graphldp client report' sends it first.")
    if drawn.answer is None and drawn.question is None and entry.question is not None:
        raise ClientError(_ANSWERED)
    if drawn.answer is None and drawn.noise is None:
        raise ClientError("Your list is not kept here any more, so nothing can be answered. Nothing was sent.")
    return drawn, entry


def decline(member: Membership) -> None:
    """Delete the list and the noise that wait for a question, whether the report was acknowledged or not."""
    drawn = member.drawn()
    if drawn is None or drawn.noise is None:
        raise ClientError("No list waits here for a second question.")
    member.keep(replace(drawn, friends=None, noise=None))


def pinned(member: Membership, ledger: Ledger, entry: Entry, drawn: Drawn, sender: Sender) -> Drawn:
    """Steps 1 and 2: the one question that is ever answered."""
    if drawn.question is None:
        body = sender.question(member.published.epoch)
        read_question(drawn.report.mechanism, body, member.published.n)
        drawn = replace(drawn, question=body)
        member.keep(drawn)
    digest = _question(member, drawn).digest
    if entry.question not in (None, digest):
        raise ClientError(_ANSWERED)
    ledger.mark_second(entry, digest)
    return drawn


def counted(member: Membership, drawn: Drawn) -> Drawn:
    """The one answer, step 3. The list and the noise are those of the report."""
    if drawn.noise is None or drawn.friends is None:
        raise ClientError("The list of your report is not kept here, so nothing can be answered.")
    question = _question(member, drawn)
    if isinstance(question, NoisyLists):
        answer = pairs.answer(question, drawn.friends, drawn.report, drawn.noise)
    else:
        answer = hubs.answer(question, drawn.friends, member.published.user, drawn.noise)
    drawn = replace(drawn, answer=answer.encode(), friends=None, noise=None, question=None)
    member.keep(drawn)
    return drawn


def send(
    member: Membership, ledger: Ledger, drawn: Drawn, sender: Sender, *, resend: bool, relay: str | None
) -> Answered:
    """Step 4. Where the answer was acknowledged before, the collector is asked whether it still holds it."""
    published, entry = member.published, ledger.find(*member.where, member.published.epoch)
    if drawn.answer is None or entry is None:
        raise ClientError("There is nothing to send.")
    answer = Answer.decode(drawn.answer, n=published.n)
    if resend or not entry.answered or (relay is None and not sender.holds(published.epoch, "answered")):
        deliver(member, sender, "answer", drawn.answer, relay)
        ledger.mark_second(entry, answer.question, answered=True)
    return Answered(answer, drawn.answer, drawn.report)


def _question(member: Membership, drawn: Drawn) -> SecondQuestion:
    try:
        return read_question(drawn.report.mechanism, drawn.question or b"", member.published.n)
    except WireError:
        raise ClientError("The question that is kept with your report is damaged; nothing is answered.") from None
