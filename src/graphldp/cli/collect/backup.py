"""``graphldp collect backup``: what was collected, kept twice."""

from __future__ import annotations

from graphldp.cli.collect.store import BackupArgument, YesOption, actor, ask, open_database
from graphldp.cli.serve import DatabaseOption
from graphldp.cli.shared import console


def backup(
    file: BackupArgument, yes: YesOption = False, database: DatabaseOption = None, as_json: console.JsonOption = False
) -> None:
    """Write all that the collector holds to FILE, while it runs. Works for SQLite and PostgreSQL.

    FILE is whole or not there. It holds what the database holds, hashes instead of tokens and keys, and is readable by
    you alone. 'graphldp collect verify FILE' checks it.
    """
    from graphldp.collector.actions.keeping import back_up

    store = open_database(database)
    if file.exists():
        ask(f"{file} is there already. Replace it?", yes)
    back_up(store, actor(), file)
    store.close()
    console.show_one({"file": str(file), "bytes": file.stat().st_size}, as_json=as_json)
