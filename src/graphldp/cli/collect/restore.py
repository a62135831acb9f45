"""``graphldp collect restore``: what a backup holds, in place of what is there."""

from __future__ import annotations

from graphldp.cli.collect.store import BackupArgument, YesOption, actor, ask, database_url, open_database
from graphldp.cli.serve import DatabaseOption
from graphldp.cli.shared import console


def restore(
    file: BackupArgument, yes: YesOption = False, database: DatabaseOption = None, as_json: console.JsonOption = False
) -> None:
    """Put what FILE holds in place of all that the database holds. Stop the servers first, and start them after.

    Reports that came in since the backup are dropped. Their owners' clients send the same bytes again when they run
    'graphldp client report' once more. Reports that were deleted or withdrawn since stay deleted, if the database still
    knows of them. A new database does not: delete them again. Tokens that were replaced since work again, and so do the
    keys of operators who were removed since: look at 'graphldp collect operator list'. The audit log does not go back:
    the database keeps its own, and adds entries of the backup's log that follow it.
    """
    from graphldp.collector.storage.copies.backup import put_aside, sound, unusable
    from graphldp.collector.storage.copies.backup import restore as put_back

    with sound(file) as (source, found):
        broken, here = unusable(database_url(database)), "is new, or cannot be used"
        if broken is None:
            store = open_database(database, make=True)
            communities, reports = store.holdings.totals()
            store.close()
            here = f"holds {reports:,} reports in {communities:,} communities"
        ask(f"The database {here}; {file} holds {found.reports:,} in {found.communities:,}. Replace all?", yes)
        if broken is not None:
            for path in put_aside(broken):
                console.err.print(f"What is left of the database is in {path}.", soft_wrap=True)
            console.err.print(
                "Which reports were deleted or withdrawn since the backup is not known here: delete those again, and "
                "ask who withdrew to run 'graphldp client withdraw' once more.",
                soft_wrap=True,
            )
        store = open_database(database, make=True)
        put_back(source, store.engine, actor())
        store.close()
    row = {"file": str(file), "communities": found.communities, "reports": found.reports}
    console.show_one(row, as_json=as_json)
