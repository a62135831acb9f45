"""``graphldp collect jobs run``: what the process of a job runs. Nobody types it."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from graphldp.cli.collect.store import open_database
from graphldp.cli.serve import DatabaseOption
from graphldp.cli.shared.source import need_learn

_NICER = 10  # reports that arrive come first


def run(
    job: Annotated[int, typer.Argument(help="The job's number.", metavar="JOB")], database: DatabaseOption = None
) -> None:
    """Run a waiting job, in this process."""
    need_learn("collect jobs run")
    from graphldp.experiments.service.jobs import run_job

    os.nice(_NICER)
    run_job(open_database(database), job)
