"""``graphldp collect export``, ``held`` and ``delete-report``: what was reported."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from graphldp.cli.collect.store import CommunitiesOption, CommunityArgument, chosen, open_database
from graphldp.cli.serve import DatabaseOption
from graphldp.cli.shared import console
from graphldp.errors import ParameterError, bad_parameter


def export(
    file: Annotated[Path, typer.Argument(help="Where to write the reports, a .npz file.", metavar="FILE")],
    communities: CommunitiesOption = None,
    labelled: Annotated[
        bool, typer.Option("--labelled", help="Only communities that have a label, which 'graphldp train' needs.")
    ] = False,
    database: DatabaseOption = None,
    as_json: console.JsonOption = False,
) -> None:
    """Write the reports of communities as one file, for 'graphldp train' or for Python.

    Users who have not reported are marked as missing. The file has the labels that there are: in Python,
    reports[reports.labelled] are the communities that have one.
    """
    from graphldp.collector.storage.export import export as gather

    if file.suffix != ".npz":
        raise bad_parameter("FILE", "export", "a file that ends in .npz", str(file))
    store = open_database(database)
    wanted = [each for each in chosen(store, communities) if not labelled or each.label is not None]
    if not wanted:
        raise ParameterError("No community has a label yet: 'graphldp collect community label' gives one.")
    reports = gather(store, wanted)
    reports.save(file)
    absent = 0 if reports.missing is None else int(reports.missing.sum())
    row = {
        "file": str(file),
        "communities": reports.num_graphs,
        "users": reports.num_users,
        "reported": reports.num_users - absent,
        "labelled": int(reports.labelled.sum()),
    }
    console.show_one(row, as_json=as_json)


def held(
    community: CommunityArgument,
    database: DatabaseOption = None,
    as_json: console.JsonOption = False,
) -> None:
    """List which slots have a report, epoch by epoch: those to ask again after a restore are the others.

    A client finds out by itself: its user runs 'graphldp client report' once more, and it sends the same bytes.
    """
    store = open_database(database)
    users = store.community(community).n
    show = list if as_json else in_ranges
    rows = [
        {
            "epoch": each.epoch,
            "users": users,
            "held": show(each.held),
            "deleted": show(each.deleted),
            "invited, not held": show(sorted({*each.invited} - {*each.held, *each.deleted})),
        }
        for each in store.holdings.of(community)
    ]
    console.show(rows, as_json=as_json)


def in_ranges(slots: list[int]) -> str:
    """Sorted slots as people write them: 0–3, 7."""
    ranges: list[list[int]] = []
    for slot in slots:
        if ranges and slot == ranges[-1][1] + 1:
            ranges[-1][1] = slot
        else:
            ranges.append([slot, slot])
    return ", ".join(str(first) if first == last else f"{first}–{last}" for first, last in ranges)


def delete_report(
    community: CommunityArgument,
    user: Annotated[int, typer.Argument(help="The user's slot.", metavar="USER")],
    epoch: Annotated[int | None, typer.Option(help="Of one epoch only; of all by default.", metavar="EPOCH")] = None,
    database: DatabaseOption = None,
    as_json: console.JsonOption = False,
) -> None:
    """Delete a user's reports for good, from the database and its log. Her slots stay taken.

    Backups made before the deletion keep them, and so do models that were trained on them and files that were exported.
    """
    deleted = open_database(database).holdings.delete(community, user, epoch)
    shown = deleted if as_json else in_ranges(deleted) or "deleted before"
    console.show_one({"community": community, "user": user, "deleted epochs": shown}, as_json=as_json)
