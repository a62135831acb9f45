"""``graphldp collect export``: the reports as one file."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from graphldp.cli.collect.store import CommunitiesOption, actor, open_database
from graphldp.cli.serve import DatabaseOption
from graphldp.cli.shared import console


def export(
    file: Annotated[Path, typer.Argument(help="Where to write: a .npz, .csv or .parquet file.", metavar="FILE")],
    communities: CommunitiesOption = None,
    labelled: Annotated[
        bool, typer.Option("--labelled", help="Only communities that have a label, which 'graphldp train' needs.")
    ] = False,
    database: DatabaseOption = None,
    as_json: console.JsonOption = False,
) -> None:
    """Write the reports of communities as one file, for 'graphldp train' or for Python.

    In a .npz file, users who have not reported are marked as missing. It has the labels that there are: in Python,
    reports[reports.labelled] are the communities that have one. A .csv file has a row for each report that is held,
    a .parquet file one for each user; it is written some communities at a time, however many there are. Communities
    with fewer reports than the setting 'min_reports' ($GRAPHLDP_MIN_REPORTS) are left out.
    """
    from graphldp.collector.actions.collected import export as write
    from graphldp.collector.settings import load_settings

    least = load_settings().min_reports
    made = write(open_database(database), actor(), communities, file, labelled=labelled, min_reports=least)
    if made.left_out:
        console.err.print(f"Left out: {made.left_out} communities in which fewer than {least} have reported.")
    console.show_one({"file": str(file)} | asdict(made), as_json=as_json)
