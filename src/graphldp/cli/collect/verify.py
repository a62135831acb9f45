"""``graphldp collect verify``: read everything, and compare."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from graphldp.cli.collect.store import open_database
from graphldp.cli.serve import DatabaseOption
from graphldp.cli.shared import console


def verify(
    file: Annotated[
        Path | None, typer.Argument(help="A backup; the database itself by default.", metavar="[FILE]")
    ] = None,
    database: DatabaseOption = None,
    as_json: console.JsonOption = False,
) -> None:
    """Read everything and compare: rosters with their digests, slots with rosters, every report with its community.

    Exit code 1 where something is wrong.
    """
    from graphldp.collector.storage.copies.backup import opened
    from graphldp.collector.storage.copies.verify import verify as look

    if file is None:
        store = open_database(database)
        found = look(store.engine)
        store.close()
    else:
        with opened(file) as source:
            found = look(source)
    row: dict[str, Any] = {"communities": found.communities, "reports": found.reports}
    problems: Any = found.problems if as_json else "\n".join(found.problems) or "none"
    console.show_one(row | {"problems": problems}, as_json=as_json)
    if found.problems:
        raise typer.Exit(1)
