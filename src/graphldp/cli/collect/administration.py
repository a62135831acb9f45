"""``graphldp collect class``, ``sealing`` and ``log``: names of classes, the key of relays, what operators did."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from graphldp.cli.collect.store import actor, open_database
from graphldp.cli.serve import DatabaseOption
from graphldp.cli.shared import console
from graphldp.errors import bad_parameter

if TYPE_CHECKING:
    from graphldp.collector.storage.operating.audit_log import LogEntry
    from graphldp.collector.storage.store import Store

app = typer.Typer()
_MOST_DAYS = 3650


@app.command(
    "class",
    epilog="""Examples:
graphldp collect class
graphldp collect class 1 discussion
""",
)
def class_(
    number: Annotated[int | None, typer.Argument(help="The number of a class.", metavar="[CLASS]")] = None,
    name: Annotated[str | None, typer.Argument(help="Its new name.", metavar="[NAME]")] = None,
    database: DatabaseOption = None,
    as_json: console.JsonOption = False,
) -> None:
    """List the classes by number and how many communities are known to have each, or rename one.

    A new name shows on every page and in every output. The number stays.
    """
    if number is not None:
        from graphldp.collector.actions.communities import name_class

        if name is None:
            raise bad_parameter("name", "graphldp collect class", "given after the number", None)
        name_class(open_database(database), actor(), name, number)
        console.show_one({"class": number, "name": name}, as_json=as_json)
        return
    from graphldp.collector.storage.community_list import class_sizes

    store = open_database(database)
    names, counts = store.classes.names(), class_sizes(store)
    rows = [
        {"class": known, "name": names.get(known), "communities": counts.get(known, 0)}
        for known in sorted(names | counts)
    ]
    console.show(rows, as_json=as_json)


@app.command(
    epilog="""Examples:
graphldp collect sealing
graphldp collect sealing --rotate --overlap-days 30
"""
)
def sealing(
    rotate: Annotated[bool, typer.Option("--rotate", help="Publish a new key, the first one or the next.")] = False,
    overlap_days: Annotated[
        float | None,
        typer.Option(help="How long the old key still opens reports that are on their way; 30.", metavar="DAYS"),
    ] = None,
    database: DatabaseOption = None,
    as_json: console.JsonOption = False,
) -> None:
    """Show the keys to which clients seal reports that relays carry, or publish a new one.

    A running server takes a new key up at once. Clients seal to the key that they saw when they joined. After the
    overlap that key is deleted, so nobody can open what a relay may have kept; clients are then told to take the new
    one. After a leak, use 0 days.
    """
    if rotate:
        from datetime import timedelta

        from graphldp.collector.actions.administration import rotate_sealing_key

        days = 30.0 if overlap_days is None else overlap_days
        if not 0 <= days <= _MOST_DAYS:
            must_be = f"a number of days from 0 to {_MOST_DAYS}"
            raise bad_parameter("overlap_days", "graphldp collect sealing", must_be, days)
        made = rotate_sealing_key(open_database(database), actor(), timedelta(days=days))
        console.show_one({"key": made.id.hex(), "published": made.public.hex()}, as_json=as_json)
        return
    if overlap_days is not None:
        raise bad_parameter("overlap_days", "graphldp collect sealing", "given together with --rotate", overlap_days)
    rows = [
        {
            "key": each.id.hex(),
            "made": each.made_at.isoformat(timespec="minutes"),
            "opens until": "–" if each.retires_at is None else each.retires_at.isoformat(timespec="minutes"),
        }
        for each in open_database(database).sealing_keys.listed()
    ]
    console.show(rows, as_json=as_json)


@app.command(
    epilog="""Examples:
graphldp collect log --last 20 --about cats
graphldp collect log --verify
"""
)
def log(
    last: Annotated[
        int, typer.Option(min=1, max=1_000_000, metavar="N", help="How many of the latest entries; the newest is last.")
    ] = 50,
    who: Annotated[
        str, typer.Option("--actor", help="Only of operators whose name contains this.", metavar="TEXT")
    ] = "",
    action: Annotated[str, typer.Option(help="Only entries whose action contains this.", metavar="TEXT")] = "",
    about: Annotated[
        str, typer.Option(help="Only about communities or operators whose name contains this.", metavar="TEXT")
    ] = "",
    verify: Annotated[bool, typer.Option("--verify", help="Check instead that the log is whole.")] = False,
    head: Annotated[
        str | None, typer.Option(help="With --verify: a head printed before; the log has to hold it.", metavar="HEAD")
    ] = None,
    database: DatabaseOption = None,
    as_json: console.JsonOption = False,
) -> None:
    """List what operators did: who, how, what, and to which community or operator. No member is named.

    An action is written down before it is done ('begun'). A second entry says that it failed; 'forbidden' says that
    the role did not allow it. The head goes to standard error: keep it in another place, for --verify.

    An entry's digest covers it and all before it. --verify names the first broken entry, with exit code 1: one that was
    changed, deleted, put in or moved shows by itself. Entries that were cut off at the end do not, and neither does a
    log that was written anew from the start: these show only against a --head that you kept elsewhere.
    """
    store = open_database(database)
    if verify:
        _verify(store, head, as_json)
        return
    if head is not None:
        raise bad_parameter("head", "graphldp collect log", "given together with --verify", head)
    from graphldp.collector.actions.log_reading import entry_values, read_log
    from graphldp.collector.storage.operating.audit_log import LogSearch

    entries = read_log(store, actor(), LogSearch(who, action, about), last).entries[::-1]
    rows = [entry_values(each) if as_json else _shown(each) for each in entries]
    console.show(rows, as_json=as_json, whole=["action"])
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


def _verify(store: Store, head: str | None, as_json: bool) -> None:
    from graphldp.collector.actions import log_reading

    found = log_reading.verify(store, actor(), head)
    problem = found.problem if as_json else found.problem or "none"
    console.show_one({"entries": found.entries, "head": found.head, "problem": problem}, as_json=as_json)
    if found.problem is not None:
        raise typer.Exit(1)
