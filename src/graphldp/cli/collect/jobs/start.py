"""``graphldp collect jobs start``: train or label in the background."""

from __future__ import annotations

from typing import Annotated, cast

import typer

from graphldp.cli.collect.jobs.row import row_of
from graphldp.cli.collect.store import actor, database_url, open_database
from graphldp.cli.serve import DatabaseOption
from graphldp.cli.shared import console
from graphldp.cli.threats import AllowanceOption


def start(
    kind: Annotated[str, typer.Argument(help="'train' or 'label'.", metavar="KIND")],
    defense: Annotated[
        str, typer.Option(help="How to train: 'recommended' withstands liars, 'none' does not.")
    ] = "recommended",
    allowance: AllowanceOption = None,
    seed: Annotated[int, typer.Option(help="The seed of a training.")] = 0,
    run: Annotated[int | None, typer.Option(help="Label by the model of this run; the latest one by default.")] = None,
    database: DatabaseOption = None,
    as_json: console.JsonOption = False,
) -> None:
    """Train on all labelled communities, or label all others, by the recipe, in a process of its own.

    This returns at once. One job runs at a time; 'graphldp collect jobs list' says how far it is. Models go to the
    folder of the setting 'models' ($GRAPHLDP_MODELS).
    """
    from graphldp.collector.actions import jobs
    from graphldp.collector.settings import load_settings
    from graphldp.collector.storage.operating.jobs import Kind
    from graphldp.collector.workshop import Workshop

    store, settings = open_database(database), load_settings({"database": database_url(database)})
    workshop = Workshop.of(settings, store)
    job = jobs.start(
        *(store, actor(), cast("Kind", kind), workshop), defense=defense, allowance=allowance, seed=seed, run=run
    )
    console.show_one(row_of(job, as_json=as_json), as_json=as_json)
