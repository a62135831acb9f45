"""``graphldp collect export``: the reports as one file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from graphldp.cli.collect.store import CommunitiesOption, actor, open_database
from graphldp.cli.serve import DatabaseOption
from graphldp.cli.shared import console
from graphldp.errors import bad_parameter


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
    from graphldp.collector.actions.collected import export as gather

    if file.suffix != ".npz":
        raise bad_parameter("FILE", "export", "a file that ends in .npz", str(file))
    reports = gather(open_database(database), actor(), communities, labelled=labelled)
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
