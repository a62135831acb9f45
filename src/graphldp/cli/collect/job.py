"""``graphldp collect job``: trainings and labellings in the background."""

from __future__ import annotations

import os
from contextlib import closing, suppress
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from graphldp.cli.collect.store import actor, database_url, open_database, recommended_defense
from graphldp.cli.names import DEFENSE
from graphldp.cli.serve import DatabaseOption
from graphldp.cli.shared import console
from graphldp.cli.shared.options import need_learn
from graphldp.errors import bad_parameter

if TYPE_CHECKING:
    from graphldp.collector.storage.operating.jobs import BackgroundJob, Kind

app = typer.Typer()


def row_of(job: BackgroundJob, *, as_json: bool) -> dict[str, Any]:
    """A job as it is shown: all of it for scripts, one line for people."""
    if as_json:
        return job.to_json()
    return {
        "job": job.key,
        "kind": job.kind,
        "state": job.state,
        "done": f"{job.share:.0%}",
        "asked by": job.asked_by,
        "what": job.doing if job.under_way else job.note or _result(job),
    }


def _result(job: BackgroundJob) -> str:
    """The result of a finished job, in a few words."""
    result = job.result
    if job.kind == "train" and result.get("accuracy") is not None:
        span = f", {result['low']:.0%} to {result['high']:.0%}" if result.get("low") is not None else ""
        return f"accuracy {result['accuracy']:.0%} of {result['held_out']} held out{span}"
    return f"{result['labelled']:,} labelled, {result['left_out']:,} left out" if "labelled" in result else ""


@app.command(
    epilog="""Examples:
graphldp collect job
graphldp collect job train
graphldp collect job stop 3
"""
)
def job(
    what: Annotated[str | None, typer.Argument(help="train, label or stop; nothing lists.", metavar="[WHAT]")] = None,
    number: Annotated[int | None, typer.Argument(help="The job to stop.", metavar="[JOB]")] = None,
    defense: Annotated[str | None, DEFENSE] = None,
    seed: Annotated[int | None, typer.Option(metavar="N", help="train: its seed; 0 unless said.")] = None,
    trusted_only: Annotated[
        bool, typer.Option("--trusted-only", help="train: learn from the trusted communities alone.")
    ] = False,
    run: Annotated[
        int | None, typer.Option(metavar="N", help="label: by the model of this run; the latest unless said.")
    ] = None,
    database: DatabaseOption = None,
    as_json: console.JsonOption = False,
) -> None:
    """List trainings and labellings in the background, start one, or stop one.

    'train' learns from all communities of a known class, 'label' labels all others, by the recipe, in a process of its
    own. This returns at once. One job runs at a time; the list says how far it is, and what jobs found. A job that is
    stopped keeps nothing. Models go to the folder of the setting 'models' ($GRAPHLDP_MODELS).
    """
    from graphldp.collector.actions import job_control as jobs

    if (number is None) == (what == "stop"):
        raise bad_parameter("job", "graphldp collect job", "given after 'stop', and nowhere else", number)
    if what in (None, "stop") and any((defense, seed, trusted_only, run)):
        raise bad_parameter("what", "graphldp collect job", "train or label, where there are options", what)
    if what not in (None, "train", "label", "stop"):
        raise bad_parameter("what", "graphldp collect job", "train, label or stop", what)
    store = open_database(database)
    if what is None:
        store.jobs.settle()
        console.show([row_of(each, as_json=as_json) for each in store.jobs.latest()], as_json=as_json)
        return
    if what == "stop" and number is not None:
        found = jobs.stop(store, actor(), number)
    else:
        from graphldp.collector.actions.job_control import JobProcesses
        from graphldp.collector.settings import load_settings

        settings = load_settings({"database": database_url(database)})
        way, allowance = recommended_defense(defense or "recommended", "graphldp collect job")
        found = jobs.start(
            *(store, actor(), cast("Kind", what), JobProcesses.of(settings, store)),
            defense=way,
            allowance=allowance,
            seed=seed or 0,
            run=run,
            trusted_only=trusted_only,
        )
    console.show_one(row_of(found, as_json=as_json), as_json=as_json)


_NICER = 10  # reports that arrive come first


@app.command("run-job", hidden=True)
def run_job_(
    job: Annotated[int, typer.Argument(help="The job's number.", metavar="JOB")], database: DatabaseOption = None
) -> None:
    """Run a waiting job, in this process."""
    need_learn("collect run-job")
    from graphldp.experiments.service.jobs import run_job

    with suppress(PermissionError):  # a service's filter of system calls may forbid it, and the job matters more
        os.nice(_NICER)
    with closing(open_database(database, stays=True)) as store:
        run_job(store, job)
