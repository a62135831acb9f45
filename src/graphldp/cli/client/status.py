"""``graphldp client status``: what was joined and spent."""

from __future__ import annotations

from graphldp.cli.client.options import HomeOption
from graphldp.cli.shared import console

EPILOG = "Example: graphldp client status"


def status(home: HomeOption = None, as_json: console.JsonOption = False) -> None:
    """Show your communities, what each report cost, and what is left of your cap. Nothing is sent."""
    from graphldp.client.keeping.ledger import shown
    from graphldp.client.protocol import Client
    from graphldp.wire import spoken

    ledger, members = Client(home).status()
    rows, digests = [], {member.where: spoken(member.published.roster_digest) for member in members}
    asked = {(*each.where, each.published.epoch) for each in members if (found := each.drawn()) and found.report.asked}
    for member in members:
        if not any(entry.slot == (*member.where, member.published.epoch) for entry in ledger.entries):
            rows.append(_row(*member.where, member.published.epoch, "–", "0", "joined", digests[member.where]))
    for entry in ledger.entries:
        state = "acknowledged" if entry.sent else "drawn, not acknowledged" if entry.drawn else "not drawn yet"
        state += ", question answered" if entry.answered else ", asked again" if entry.slot in asked else ""
        state += ", withdrawn" if entry.deleted else ", withdrawn, not acknowledged" if entry.withdrawn else ""
        state += "" if entry.slot[:2] in digests else ", forgotten"
        rows.append(_row(*entry.slot, entry.choice, shown(entry.millionths), state, digests.get(entry.slot[:2])))
    sums = {"spent": shown(ledger.spent), "cap": shown(ledger.cap), "left": shown(max(ledger.cap - ledger.spent, 0))}
    if as_json:
        console.show_json({"reports": rows} | sums)
        return
    console.show([{key: row[key] for key in row if key != "roster digest"} for row in rows], as_json=False)
    for (where, community), digest in digests.items():  # not in the table, which would cut addresses short
        line = f"Roster digest of {community} at {where}: {digest}"
        console.out.print(line, markup=False, highlight=False, soft_wrap=True)
    console.show_one(sums, as_json=False)


def _row(
    server: str, community: str, epoch: int, choice: str, epsilon: str, state: str, digest: str | None
) -> dict[str, str | int | None]:
    row: dict[str, str | int | None] = {"community": community, "server": server, "epoch": epoch}
    return row | {"choice": choice, "ε": epsilon, "state": state, "roster digest": digest}
