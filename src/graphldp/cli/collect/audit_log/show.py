"""``graphldp collect audit-log show``: who did what, and when."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from graphldp.cli.collect.store import actor, open_database
from graphldp.cli.serve import DatabaseOption
from graphldp.cli.shared import console

if TYPE_CHECKING:
    from graphldp.collector.storage.operating.audit_log import LogEntry

EPILOG = "Example: graphldp collect audit-log show --last 20 --about cats"


def show(
    last: Annotated[
        int, typer.Option(min=1, max=1_000_000, help="How many of the latest entries; the newest comes last.")
    ] = 50,
    who: Annotated[
        str, typer.Option("--actor", help="Only entries of operators whose name contains this.", metavar="TEXT")
    ] = "",
    action: Annotated[str, typer.Option(help="Only entries whose action contains this.", metavar="TEXT")] = "",
    about: Annotated[
        str,
        typer.Option(help="Only entries about a community or an operator whose name contains this.", metavar="TEXT"),
    ] = "",
    database: DatabaseOption = None,
    as_json: console.JsonOption = False,
) -> None:
    """List what operators did: who, how, what, and to which community or operator. No member is named.

    An action is written down before it is done ('begun'). A second entry says that it failed; 'forbidden' says that
    the role did not allow it. The head goes to standard error: keep it in another place, for 'verify'.
    """
    from graphldp.collector.actions.audit_log import entry_values, read_log
    from graphldp.collector.storage.operating.log_pages import LogWanted

    store = open_database(database)
    entries = read_log(store, actor(), LogWanted(who, action, about), last).entries[::-1]
    rows = [entry_values(each) for each in entries]
    console.show(rows if as_json else [_shown(each) for each in entries], as_json=as_json, whole=["action"])
    console.err.print(f"head {store.audit_log.head()}", soft_wrap=True, highlight=False)


def _shown(entry: LogEntry) -> dict[str, Any]:
    """An entry in few columns, so that its words are whole in a narrow terminal."""
    return {
        "entry": str(entry.number),
        "at (UTC)": f"{entry.at:%Y-%m-%d %H:%M:%S}",
        "who": f"{entry.actor} ({entry.role}, {entry.way})",
        "action": entry.action,
        "about": entry.about,
        "outcome": entry.outcome,
    }
