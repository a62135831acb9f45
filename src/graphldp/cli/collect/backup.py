"""``graphldp collect backup``, ``restore`` and ``verify``: what was collected, kept twice."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from graphldp.cli.collect.store import ask, database_url, open_database
from graphldp.cli.serve import DatabaseOption
from graphldp.cli.shared import console

FileArgument = Annotated[Path, typer.Argument(help="The backup.", metavar="FILE")]
YesOption = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]


def backup(
    file: FileArgument, yes: YesOption = False, database: DatabaseOption = None, as_json: console.JsonOption = False
) -> None:
    """Write all that the collector holds to FILE, while it runs. Of SQLite and PostgreSQL alike.

    FILE is whole or not there. It holds what the database holds, hashes instead of tokens and keys, and is readable by
    you alone. 'graphldp collect verify FILE' checks it.
    """
    from graphldp.collector.storage.backup import back_up

    store = open_database(database)
    if file.exists():
        ask(f"{file} is there already. Replace it?", yes)
    back_up(store.engine, file)
    store.close()
    console.show_one({"file": str(file), "bytes": file.stat().st_size}, as_json=as_json)


def restore(
    file: FileArgument, yes: YesOption = False, database: DatabaseOption = None, as_json: console.JsonOption = False
) -> None:
    """Put what FILE holds in place of all that the database holds. Stop the servers first, and start them after.

    Reports that came in since the backup are dropped: their owners' clients send them again, the same bytes, when
    'graphldp client report' is run once more. Reports that were deleted since stay deleted. Tokens that were replaced
    and operators who were removed since are good again: look at 'graphldp collect operator list'.
    """
    from graphldp.collector.storage.backup import put_aside, sound, unusable
    from graphldp.collector.storage.backup import restore as put_back

    with sound(file) as (source, found):
        broken, here = unusable(database_url(database)), "is new, or cannot be used"
        if broken is None:
            store = open_database(database, make=True)
            communities, reports = store.holdings.totals()
            store.close()
            here = f"holds {reports:,} reports in {communities:,} communities"
        ask(f"The database {here}; {file} holds {found.reports:,} in {found.communities:,}. Replace all?", yes)
        for path in put_aside(broken) if broken is not None else []:
            console.err.print(f"What is left of the database is in {path}.")
        store = open_database(database, make=True)
        put_back(source, store.engine)
        store.close()
    row = {"file": str(file), "communities": found.communities, "reports": found.reports}
    console.show_one(row, as_json=as_json)


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
    from graphldp.collector.storage.backup import opened
    from graphldp.collector.storage.verify import verify as look

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
