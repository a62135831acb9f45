"""``graphldp collect audit-log show``: who did what, and when."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from graphldp.cli.collect.store import open_database
from graphldp.cli.serve import DatabaseOption
from graphldp.cli.shared import console

EPILOG = "Example: graphldp collect audit-log show --last 20"


def show(
    last: Annotated[int, typer.Option(min=1, help="How many entries, the latest last.")] = 50,
    database: DatabaseOption = None,
    as_json: console.JsonOption = False,
) -> None:
    """List what operators did: who, by which way, what, and to which community or operator. No member is named.

    An action is written down before it is done ('begun'). A second entry says that it failed; 'forbidden' says that
    the role did not allow it. The head goes to standard error: keep it in another place, for 'verify'.
    """
    log = open_database(database).audit_log
    rows: list[dict[str, Any]] = []
    for each in (entries := log.entries(last)):
        row = vars(each) | {"at": each.at.isoformat(timespec="seconds")}
        rows.append(row if as_json else {name: value for name, value in row.items() if name != "digest"})
    console.show(rows, as_json=as_json)
    head = entries[-1].head if entries else log.head()
    console.err.print(f"head {head}", soft_wrap=True, highlight=False)
