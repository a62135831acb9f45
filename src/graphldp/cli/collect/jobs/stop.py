"""``graphldp collect jobs stop``: end a job before it is done."""

from __future__ import annotations

from typing import Annotated

import typer

from graphldp.cli.collect.jobs.row import row_of
from graphldp.cli.collect.store import actor, open_database
from graphldp.cli.serve import DatabaseOption
from graphldp.cli.shared import console


def stop(
    job: Annotated[int, typer.Argument(help="The job's number.", metavar="JOB")],
    database: DatabaseOption = None,
    as_json: console.JsonOption = False,
) -> None:
    """Ask a job to stop. It keeps nothing."""
    from graphldp.collector.actions import jobs

    console.show_one(row_of(jobs.stop(open_database(database), actor(), job), as_json=as_json), as_json=as_json)
