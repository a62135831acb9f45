"""Taking a report back: the collector deletes it, and this device never sends it again.

Each step is on the disk before the next begins:

1. the ledger notes that the reports of this community are withdrawn: from here on none of them is sent again, and none
   of their questions is answered, so the list that may wait for one is deleted;
2. the collector is asked to delete them, until it acknowledges that; the ledger notes it.

The request names the slot and the latest epoch in which a report was drawn. Neither depends on the list.
"""

from __future__ import annotations

from graphldp.client.keeping.ledger import Entry, Ledger
from graphldp.client.keeping.membership import Membership
from graphldp.client.sending.sender import Sender
from graphldp.errors import ClientError


def withdraw(member: Membership, ledger: Ledger, sender: Sender) -> list[int]:
    """Withdraw all that was drawn for a community; gives the epochs.

    Raises:
        ClientError: where nothing was drawn.
        SendError: where the collector did not acknowledge it; what was withdrawn stays so, and can be asked for again.
    """
    kept = ledger.find(*member.where, member.published.epoch)
    if kept is not None and member.report_path.exists():
        ledger.mark(kept, drawn=True)  # the device was stopped between keeping the report and marking it
    drawn = [each for each in ledger.entries if each.slot[:2] == member.where and each.drawn]
    if not drawn:
        raise ClientError("No report was drawn for this community here, so there is nothing to withdraw.")
    for entry in drawn:
        ledger.mark_withdrawn(entry)
    member.drop_lists(ledger)
    epochs = sorted(entry.epoch for entry in drawn)
    sender.withdraw(member.published.user, epochs[-1])
    for entry in drawn:
        ledger.mark_withdrawn(entry, deleted=True)
    return epochs


def refuse_withdrawn(entry: Entry | None) -> None:
    """Refuse to send, or to answer for, what was withdrawn."""
    if entry is not None and entry.withdrawn:
        raise ClientError(
            "You withdrew your report of this epoch: it is not sent again, and no other is drawn for it. "
            "'graphldp client withdraw' asks for its deletion once more."
        )
