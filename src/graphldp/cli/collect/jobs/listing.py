"""``graphldp collect jobs list``: the latest jobs."""

from __future__ import annotations

from graphldp.cli.collect.jobs.row import row_of
from graphldp.cli.collect.store import open_database
from graphldp.cli.serve import DatabaseOption
from graphldp.cli.shared import console


def list_jobs(database: DatabaseOption = None, as_json: console.JsonOption = False) -> None:
    """List the latest jobs, with how far they are and what they found."""
    store = open_database(database)
    store.jobs.settle()
    console.show([row_of(each, as_json=as_json) for each in store.jobs.latest()], as_json=as_json)
