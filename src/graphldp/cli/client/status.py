"""``graphldp client status``: what was joined and spent."""

from __future__ import annotations

import json

from graphldp.cli import console
from graphldp.cli.client.options import HomeOption

EPILOG = "Example: graphldp client status"


def status(home: HomeOption = None, as_json: console.JsonOption = False) -> None:
    """Show your communities, what each report cost, and what is left of your cap. Nothing is sent."""
    from graphldp.client.ledger import shown
    from graphldp.client.protocol import Client

    ledger, members = Client(home).status()
    rows = []
    for member in members:
        if not any(entry.slot == (*member.where, member.published.epoch) for entry in ledger.entries):
            rows.append(_row(*member.where, member.published.epoch, "–", "0", "joined"))
    joined = {member.where for member in members}
    for entry in ledger.entries:
        state = "acknowledged" if entry.sent else "drawn, not acknowledged" if entry.drawn else "not drawn yet"
        state += "" if entry.slot[:2] in joined else ", forgotten"
        rows.append(_row(*entry.slot, entry.choice, shown(entry.millionths), state))
    sums = {"spent": shown(ledger.spent), "cap": shown(ledger.cap), "left": shown(max(ledger.cap - ledger.spent, 0))}
    if as_json:
        print(json.dumps({"reports": rows} | sums, ensure_ascii=False))
        return
    console.show(rows, as_json=False)
    console.show_one(sums, as_json=False)


def _row(server: str, community: str, epoch: int, choice: str, epsilon: str, state: str) -> dict[str, str | int]:
    row: dict[str, str | int] = {"community": community, "server": server, "epoch": epoch}
    return row | {"choice": choice, "ε": epsilon, "state": state}
