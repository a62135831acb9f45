"""Which slots a report is drawn for: none that has one already, on this device or at the collector."""

from __future__ import annotations

from pathlib import Path

from graphldp.client.keeping.ledger import Ledger
from graphldp.client.keeping.membership import Membership, note_held, report_path
from graphldp.client.questions import whom_to_ask
from graphldp.errors import ClientError
from graphldp.wire import Invitation, Publication

_HELD = (
    "The collector says that it has your report already, and this device has drawn none. A second one would cost its ε "
    "again, and no ledger would know. If you reported with another client, go on there. If you did not, somebody else "
    "has your invitation: tell whoever sent it to you. {} Nothing was drawn."
)


def refuse_held(found: Publication, ledger: Ledger, invitation: Invitation, folder: Path) -> None:
    """Refuse a slot of which the collector holds a report that this device has not drawn, now and at the next draw.

    Args:
        found: what the community publishes now.
        ledger: what this device has drawn.
        invitation: where, and for which community.
        folder: where the membership is kept, or will be.
    """
    note_held(folder, found.held)
    epoch = found.published.epoch
    entry = ledger.find(invitation.server, invitation.community, epoch)
    drawn = report_path(folder, epoch).exists() or (entry is not None and entry.drawn)
    if epoch in found.held and not drawn:
        raise ClientError(_HELD.format(whom_to_ask(found.published.inquiry)))


def refuse_second(member: Membership, ledger: Ledger, *, new_epoch: bool, resend: bool) -> None:
    """Refuse another draw for an epoch that had one, and one for a new epoch that was not asked for."""
    last = ledger.last_epoch(*member.where)
    if last >= member.published.epoch:
        raise ClientError("A report was drawn for this community before, and forgotten; another is never drawn.")
    if resend:
        raise ClientError("There is nothing to send again: no report was drawn for this epoch.")
    if member.held:
        raise ClientError(_HELD.format(whom_to_ask(member.published.inquiry)))
    if last and not new_epoch:
        raise ClientError(
            f"Your report was drawn in epoch {last} of this community. One for epoch {member.published.epoch} "
            "costs its ε again: ask for the new epoch explicitly."
        )
