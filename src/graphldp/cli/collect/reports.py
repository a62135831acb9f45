"""``graphldp collect export`` and ``delete-report``: what was reported."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from graphldp.cli import console
from graphldp.cli.collect.store import CommunitiesOption, CommunityArgument, chosen, open_database
from graphldp.cli.serve import DatabaseOption
from graphldp.errors import bad_parameter


def export(
    file: Annotated[Path, typer.Argument(help="Where to write the reports, a .npz file.", metavar="FILE")],
    communities: CommunitiesOption = None,
    database: DatabaseOption = None,
    as_json: console.JsonOption = False,
) -> None:
    """Write the reports of communities as one file, for 'graphldp train' or for Python.

    Users who have not reported are marked as missing. The file has labels where all of the communities do.
    """
    from graphldp.collector.storage.export import export as gather

    if file.suffix != ".npz":
        raise bad_parameter("FILE", "export", "a file that ends in .npz", str(file))
    store = open_database(database)
    reports = gather(store, chosen(store, communities))
    reports.save(file)
    absent = 0 if reports.missing is None else int(reports.missing.sum())
    row = {
        "file": str(file),
        "communities": reports.num_graphs,
        "users": reports.num_users,
        "reported": reports.num_users - absent,
        "labels": reports.labels is not None,
    }
    console.show_one(row, as_json=as_json)


def delete_report(
    community: CommunityArgument,
    user: Annotated[int, typer.Argument(help="The user's slot.", metavar="USER")],
    database: DatabaseOption = None,
    as_json: console.JsonOption = False,
) -> None:
    """Delete a user's report for good. Her slot stays taken: she cannot report again in this epoch."""
    open_database(database).delete_report(community, user)
    console.show_one({"community": community, "user": user, "deleted": True}, as_json=as_json)
