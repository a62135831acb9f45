"""``graphldp collect community``: open, change, ask, trust, close, renew and delete communities."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from graphldp.cli.collect import opening, shown
from graphldp.cli.collect.opening import ContactOption, OperatorOption, PurposeOption
from graphldp.cli.collect.store import CommunityArgument, YesOption, actor, ask, open_database
from graphldp.cli.serve import DatabaseOption
from graphldp.cli.shared import console
from graphldp.errors import bad_parameter

if TYPE_CHECKING:
    from graphldp.collector.storage.store import Store

app = typer.Typer(help="Open, show, change, ask, trust, close, renew and delete communities.", no_args_is_help=True)
app.registered_commands = [*opening.app.registered_commands, *shown.app.registered_commands]  # come first in help


@app.command("ask", epilog="Example: graphldp collect community ask cats")
def ask_(
    community: CommunityArgument,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Go on without being asked.")] = False,
    database: DatabaseOption = None,
    as_json: console.JsonOption = False,
) -> None:
    """Ask a community's second question, once and for good.

    By hub-counts hubs are asked how many of their friends are busy. Busy users are those with a noisy degree of 6 or
    more in the reports that are here now. By closed-pairs everybody is asked how many pairs of her friends are friends,
    by all noisy lists that are here now, which every member then reads. Later reports are taken too, but do not change
    the question. Members answer in their browser, or by 'graphldp client answer'.
    """
    from graphldp.collector.actions import communities as actions
    from graphldp.collector.settings import load_settings

    store = open_database(database)
    found = store.community(community)
    reported = store.tally.of([found.key]).get(found.key, (0, 0, 0))[1]
    what = "who is busy" if found.answer_until is None else "all noisy lists, for every member to read,"
    ask(f"{reported:,} of {found.n:,} users of '{community}' have reported. Freeze {what} for good?", yes)
    least = load_settings().min_reports
    question = actions.ask(store, actor(), community, seen=found.version, min_reports=least)
    console.show_one({"community": community, "asked": True, "question": question.digest}, as_json=as_json)


@app.command(epilog="Example: graphldp collect community close cats")
def close(community: CommunityArgument, database: DatabaseOption = None, as_json: console.JsonOption = False) -> None:
    """Close a community for good: it takes no more reports."""
    from graphldp.collector.actions import communities as actions

    actions.close(open_database(database), actor(), community)
    console.show_one({"community": community, "open": False}, as_json=as_json)


@app.command(epilog="Example: graphldp collect community renew cats")
def renew(
    community: CommunityArgument,
    purpose: PurposeOption = None,
    operator: OperatorOption = None,
    contact: ContactOption = None,
    database: DatabaseOption = None,
    as_json: console.JsonOption = False,
) -> None:
    """Close a community's epoch and open the next: the same people and tokens, one more report each.

    Clients draw a new report only when their user asks for it, since it costs its ε again. What you do not say of its
    purpose, its operator and the contact stays.
    """
    from graphldp.collector.actions import communities as actions
    from graphldp.collector.settings import load_settings

    store, asks = open_database(database), None
    if purpose or operator or contact:
        old = store.community(community).inquiry
        before = old.to_json() if old else {}
        given = {"purpose": purpose, "operator": operator, "contact": contact}
        asks = actions.asked_by(load_settings(), **{name: text or before.get(name) for name, text in given.items()})
    made = actions.renew(store, actor(), community, inquiry=asks)
    console.show_one({"community": community, "epoch": made.epoch, "open": True}, as_json=as_json)


@app.command(
    epilog="""Examples:
graphldp collect community change cats --class discussion
graphldp collect community change cats --name 'The cat lovers'
"""
)
def change(
    community: CommunityArgument,
    label: Annotated[
        str | None, typer.Option("--class", metavar="CLASS", help="The class that you know it has: a name or a number.")
    ] = None,
    remove: Annotated[bool, typer.Option("--remove-class", help="Its class is not known any more.")] = False,
    name: Annotated[str | None, typer.Option(metavar="NAME", help="What people call it.")] = None,
    database: DatabaseOption = None,
    as_json: console.JsonOption = False,
) -> None:
    """Say which class a community has, so that it can be trained on, or rename it.

    A class may be new. A new name shows here and on the dashboard at once, and to members from the next epoch on: it is
    part of what they agreed to when they joined, so the old one stays theirs until 'graphldp collect community renew'.
    Their clients then show the change and ask. The id never changes, since invitations and clients know it by that.
    """
    from graphldp.collector.actions import communities as actions

    if (label is not None) + remove + (name is not None) != 1 or (label is not None and not label.strip()):
        must_be = "given, or one of --remove-class and --name"
        raise bad_parameter("class", "graphldp collect community change", must_be, label)
    store = open_database(database)
    if name is not None:
        renamed = actions.rename(store, actor(), community, name)
        console.show_one({"community": community, "name": renamed.called, "members see": renamed.name}, as_json=as_json)
        return
    known = actions.label(store, actor(), community, label).label
    named_so = None if known is None else store.classes.names().get(known)
    console.show_one({"community": community, "label": known, "class": named_so}, as_json=as_json)


@app.command(
    epilog="""Examples:
graphldp collect community trust cats
graphldp collect community trust cats --off
"""
)
def trust(
    community: CommunityArgument,
    off: Annotated[bool, typer.Option("--off", help="Take it back.")] = False,
    database: DatabaseOption = None,
    as_json: console.JsonOption = False,
) -> None:
    """Say that you know the reports of a community to be honest.

    'graphldp collect train --trusted-only' learns from such communities alone. Then no lie of another community changes
    what is learned. A new epoch stays trusted until you take it back.
    """
    from graphldp.collector.actions import communities as actions

    found = actions.trust(open_database(database), actor(), community, trusted=not off)
    console.show_one({"community": community, "trusted": found.trusted}, as_json=as_json)


_NOT_REACHED = "Backups made before still hold it, and so do exported files and models that were trained on it."


@app.command(
    epilog="""Examples:
graphldp collect community delete cats
graphldp collect community delete cats --user 12
"""
)
def delete(
    community: CommunityArgument,
    users: Annotated[
        str | None, typer.Option("--user", metavar="SLOTS", help="Only the reports of these slots: 12, or 0-3,7.")
    ] = None,
    epoch: Annotated[int | None, typer.Option(metavar="N", help="With --user: only the report of this epoch.")] = None,
    yes: YesOption = False,
    database: DatabaseOption = None,
    as_json: console.JsonOption = False,
) -> None:
    """Delete a community for good, in all epochs, from the database and its log, or reports of some users.

    Its roster, invitations, reports, answers, labels and flags go, and its id is not given again. With --user reports
    and answers of these users go; their slots stay taken. Backups made before keep all this, and so do models that were
    trained on it and files that were exported.
    """
    from graphldp.collector.actions import communities as actions

    store = open_database(database)
    if users is not None:
        _delete_reports(store, community, users, epoch, as_json)
        return
    if epoch is not None:
        raise bad_parameter("epoch", "graphldp collect community delete", "given together with --user", epoch)
    going = asdict(store.removals.belongings(community))
    if going["epochs"]:
        counts = ", ".join(f"{count:,} {what}" for what, count in going.items() if count)
        ask(f"Delete '{community}' for good ({counts})? {_NOT_REACHED}", yes)
    gone = asdict(actions.delete(store, actor(), community))
    console.show_one({"community": community, "deleted": True} | gone, as_json=as_json)
    if not as_json:
        console.err.print(_NOT_REACHED, highlight=False, soft_wrap=True)


def _delete_reports(store: Store, community: str, users: str, epoch: int | None, as_json: bool) -> None:
    from graphldp.collector.actions.inviting import parse_slots
    from graphldp.collector.actions.reports import delete_report

    slots = parse_slots(users, store.community(community).n)
    rows = []
    for slot in slots:
        gone = delete_report(store, actor(), community, slot, epoch)
        epochs = gone if as_json else console.in_ranges(gone) or "deleted before"
        rows.append({"community": community, "user": slot, "deleted epochs": epochs})
    if len(rows) == 1:
        console.show_one(rows[0], as_json=as_json)
    else:
        console.show(rows, as_json=as_json)
