"""``graphldp collect backup``, ``restore`` and ``verify``: what was collected, kept twice and compared."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from graphldp.cli.collect.store import BackupArgument, YesOption, actor, ask, database_url, open_database
from graphldp.cli.serve import DatabaseOption
from graphldp.cli.shared import console

app = typer.Typer()


@app.command(epilog="Example: graphldp collect backup collector-2026-01-01.backup")
def backup(
    file: BackupArgument, yes: YesOption = False, database: DatabaseOption = None, as_json: console.JsonOption = False
) -> None:
    """Write all that the collector holds to FILE, while it runs. Works for SQLite and PostgreSQL.

    FILE is whole or not there. It holds what the database holds, hashes instead of tokens and keys, and is readable by
    you alone. 'graphldp collect verify FILE' checks it. Reports that are withdrawn or deleted later are still in it:
    keep a backup no longer than you need it.
    """
    from graphldp.collector.actions.administration import back_up
    from graphldp.collector.storage.copies.backup import refuse_databases

    store = open_database(database)
    refuse_databases(store.engine, file)
    if file.exists():
        ask(f"{file} is there already. Replace it?", yes)
    back_up(store, actor(), file)
    store.close()
    console.show_one({"file": str(file), "bytes": file.stat().st_size}, as_json=as_json)


@app.command(epilog="Example: graphldp collect restore collector-2026-01-01.backup")
def restore(
    file: BackupArgument, yes: YesOption = False, database: DatabaseOption = None, as_json: console.JsonOption = False
) -> None:
    """Put what FILE holds in place of all that the database holds. Stop the servers first, and start them after.

    Reports that came in since the backup are dropped. Their owners' clients send the same bytes again when they run
    'graphldp client report' once more. Reports, communities, models and labels that were deleted or withdrawn since
    stay so, if the database still knows of them. A new database does not: FILE brings them back there, and you have to
    delete them again. Tokens that were replaced since work again, and so do the keys of operators who were removed
    since: look at 'graphldp collect operator list'. Which communities are closed, trusted or have a label is as it was
    in FILE: look at 'graphldp collect community show'. The audit log does not go back: the database keeps its own, and
    adds entries of the backup's log that follow it.
    """
    from graphldp.collector.storage.copies.backup import put_aside, refuse_own, sound, unusable
    from graphldp.collector.storage.copies.restoring import restore as put_back
    from graphldp.collector.storage.database import open_engine

    url = database_url(database)
    refuse_own(open_engine(url), file)
    with sound(file) as (source, found):
        broken, here, communities = unusable(url), "is new, or cannot be used", 0
        if broken is None:
            store = open_database(database, make=True)
            communities, reports = store.holdings.totals()
            store.close()
            here = f"holds {reports:,} reports in {communities:,} communities"
        ask(f"The database {here}; {file} holds {found.reports:,} in {found.communities:,}. Replace all?", yes)
        for path in put_aside(broken) if broken is not None else ():
            console.err.print(f"What is left of the database is in {path}.", soft_wrap=True)
        if not communities:
            console.err.print(
                "Which reports were deleted or withdrawn since the backup is not known here: delete those again, and "
                "ask who withdrew to run 'graphldp client withdraw' once more. Models that were withdrawn since may be "
                "used again: delete them.",
                soft_wrap=True,
            )
        store = open_database(database, make=True)
        put_back(source, store.engine, actor())
        store.close()
    row = {"file": str(file), "communities": found.communities, "reports": found.reports}
    console.show_one(row, as_json=as_json)


@app.command(epilog="Example: graphldp collect verify collector-2026-01-01.backup")
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
