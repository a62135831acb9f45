"""``graphldp collect export``, ``missing`` and ``statistics``: the reports that are here, and those that are not."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graphldp.cli.collect.store import CommunitiesOption, CommunityArgument, actor, communities, open_database
from graphldp.cli.serve import DatabaseOption
from graphldp.cli.shared import console
from graphldp.cli.survey import CsvOption, show_statistics

if TYPE_CHECKING:
    from graphldp.collector.storage.collecting.holdings import Holding

app = typer.Typer()


@app.command(epilog="Example: graphldp collect export reports.npz --community cats --community dogs")
def export(
    file: Annotated[Path, typer.Argument(help="Where to write: a .npz, .csv or .parquet file.", metavar="FILE")],
    communities: CommunitiesOption = None,
    labelled: Annotated[
        bool, typer.Option("--labelled", help="Only communities of a known class, which 'graphldp train' needs.")
    ] = False,
    database: DatabaseOption = None,
    as_json: console.JsonOption = False,
) -> None:
    """Write the reports of communities as one file, for 'graphldp train' or for Python.

    In a .npz file, users who have not reported are marked as missing. It has the labels that there are: in Python,
    reports[reports.labelled] are the communities that have one. A .csv file has a row for each report that is held,
    a .parquet file one for each user; it is written some communities at a time, however many there are. Communities
    with fewer reports than the setting 'min_reports' ($GRAPHLDP_MIN_REPORTS) are left out.

    FILE keeps what it holds: reports that are withdrawn or deleted later are still in it. Delete it when you are done.
    """
    from graphldp.collector.actions.reports import export as write
    from graphldp.collector.settings import load_settings

    least = load_settings().min_reports
    made = write(open_database(database), actor(), communities, file, labelled=labelled, min_reports=least)
    if made.left_out:
        console.err.print(f"Left out: {made.left_out} communities in which fewer than {least} have reported.")
    console.show_one({"file": str(file)} | asdict(made), as_json=as_json)


@app.command(
    epilog="""Examples:
graphldp collect missing cats
graphldp collect missing cats --epochs
"""
)
def missing(
    community: CommunityArgument,
    epochs: Annotated[
        bool, typer.Option("--epochs", help="Show instead which slots have a report, epoch by epoch.")
    ] = False,
    database: DatabaseOption = None,
    as_json: console.JsonOption = False,
) -> None:
    """List by name who has not reported yet in a community's epoch, and whether they were invited.

    To remind somebody, send the link again that you sent before: it stays good until it is used. 'graphldp collect
    invite --user' makes a new link, and ends the old one.

    After a restore, ask the users who are missing to run 'graphldp client report' once more. Their clients find out
    that a report is missing, and send the same bytes again.
    """
    from graphldp.wire import WITH_SECOND

    store = open_database(database)
    found = store.community(community)
    holdings = store.holdings.of(community)
    if epochs:
        asks = found.mechanism in WITH_SECOND
        console.show([_slots(each, found.n, asks=asks, as_json=as_json) for each in holdings], as_json=as_json)
        return
    invited, gone = {*holdings[-1].invited}, {*holdings[-1].held, *holdings[-1].deleted}
    rows = [
        {"user": slot, "name": name, "invited": slot in invited}
        for slot, name in enumerate(store.roster(found))
        if slot not in gone
    ]
    console.show(rows, as_json=as_json)
    if not as_json and rows:
        slots = console.in_ranges([slot for slot in range(found.n) if slot not in gone])
        said = f"{len(rows):,} of {found.n:,} have not reported: slots {slots}."
        console.err.print(said, soft_wrap=not console.err.is_terminal, highlight=False)


def _slots(held: Holding, users: int, *, asks: bool, as_json: bool) -> dict[str, Any]:
    """The slots of one epoch; for people in ranges, under headings that say so."""
    slots = {"held": held.held, "deleted": held.deleted}
    slots["invited, not held"] = sorted({*held.invited} - {*held.held, *held.deleted})
    if asks:
        slots |= {"asked": held.asked, "answered": held.answered}
    row: dict[str, Any] = {"epoch": held.epoch, "users": users}
    return row | (slots if as_json else {f"slots {name}": console.in_ranges(each) for name, each in slots.items()})


@app.command(
    epilog="""Examples:

graphldp collect statistics cats

graphldp collect statistics cats dogs --csv > statistics.csv
"""
)
def statistics(
    ids: Annotated[list[str], typer.Argument(help="Their ids.", metavar="COMMUNITY", autocompletion=communities)],
    as_csv: CsvOption = False,
    database: DatabaseOption = None,
    as_json: console.JsonOption = False,
) -> None:
    """Say what communities look like, each number with its 95 % interval; of several, all together first.

    A number that rests on fewer reports than the setting 'min_reports' ($GRAPHLDP_MIN_REPORTS) is left out: of a
    community, a group or a bar of the histogram.
    """
    from graphldp.collector.settings import load_settings
    from graphldp.collector.statistics import statistics_of

    store = open_database(database)
    asked = [store.community(id) for id in dict.fromkeys(ids)]
    found = statistics_of(store, asked, load_settings().min_reports)
    show_statistics(found, as_json=as_json, as_csv=as_csv)
