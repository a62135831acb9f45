"""``graphldp collect audit-log verify``: is the log as it was written?"""

from __future__ import annotations

from typing import Annotated

import typer

from graphldp.cli.collect.store import actor, open_database
from graphldp.cli.serve import DatabaseOption
from graphldp.cli.shared import console

EPILOG = "Example: graphldp collect audit-log verify"


def verify(
    head: Annotated[
        str | None,
        typer.Option(help="A head that 'show' or 'verify' printed before; the log has to hold it.", metavar="HEAD"),
    ] = None,
    database: DatabaseOption = None,
    as_json: console.JsonOption = False,
) -> None:
    """Check the log: each entry's digest covers it and all before it. Exit code 1 names the first broken entry.

    An entry that was changed, deleted, put in or moved shows by itself. Entries that were cut off at the end do not,
    and neither does a log that was written anew from the start: these show only against a head that you kept elsewhere.
    """
    from graphldp.collector.actions import audit_log

    found = audit_log.verify(open_database(database), actor(), head)
    problem = found.problem if as_json else found.problem or "none"
    console.show_one({"entries": found.entries, "head": found.head, "problem": problem}, as_json=as_json)
    if found.problem is not None:
        raise typer.Exit(1)
