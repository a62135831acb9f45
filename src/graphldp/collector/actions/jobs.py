"""Start and stop trainings and labellings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from graphldp.allowance import ALLOWANCE, check_allowance
from graphldp.collector.acting import acting
from graphldp.collector.roles import Actor, Role
from graphldp.collector.storage.operating.jobs import BackgroundJob, Kind
from graphldp.collector.storage.operating.results import Run
from graphldp.collector.storage.store import Store
from graphldp.collector.workshop import Workshop
from graphldp.errors import ParameterError, bad_parameter

DEFENSES = ("recommended", "none")
_LARGEST_SEED = 1 << 32


@acting("job.start", Role.OPERATOR)
def start(
    store: Store,
    actor: Actor,
    kind: Kind,
    workshop: Workshop,
    *,
    defense: str = "recommended",
    allowance: float | None = None,
    seed: int = 0,
    run: int | None = None,
) -> BackgroundJob:
    """Start a job, by the recipe.

    Args:
        store: where it is kept.
        actor: who acts.
        kind: ``"train"`` on all labelled communities, or ``"label"`` all others.
        workshop: where it is done.
        defense: of a training: ``"recommended"`` fits the classifier that withstands liars, ``"none"`` the plain one.
        allowance: how much accuracy that defense may lose where nobody lies; the usual one by default.
        seed: of a training.
        run: whose model labels; the latest one that a job trained, by default.

    Raises:
        BusyError: where another job is under way.
    """
    settings: dict[str, Any] = {"folder": str(workshop.models), "min_reports": workshop.min_reports}
    if allowance is not None and not (kind == "train" and defense == "recommended"):
        raise bad_parameter("allowance", "a job", "left out but for a training by the recommended defense", allowance)
    if kind == "train":
        if defense not in DEFENSES:
            raise bad_parameter("defense", "a job", f"one of {', '.join(DEFENSES)}", defense)
        if not 0 <= seed < _LARGEST_SEED:
            raise bad_parameter("seed", "a job", f"a whole number from 0 to {_LARGEST_SEED - 1}", seed)
        settings |= {"defense": defense, "seed": seed}
        if defense == "recommended":
            settings["allowance"] = ALLOWANCE if allowance is None else check_allowance(allowance, "a job")
    elif kind == "label":
        chosen = _model_of(store, workshop.models, run)
        settings |= {"run": chosen.key, "model": chosen.model}
    else:
        raise bad_parameter("kind", "a job", "train or label", kind)
    job = store.jobs.add(kind, settings, actor.name)
    try:
        workshop.start(job)
    except OSError as error:
        store.jobs.end(job.key, "failed", f"Its process could not be started: {error.strerror}.")
        raise
    return job


@acting("job.stop", Role.OPERATOR)
def stop(store: Store, actor: Actor, key: int) -> BackgroundJob:
    """Ask a job to stop; one that is over stays as it is."""
    store.jobs.stop(key)
    return store.jobs.job(key)


def _model_of(store: Store, models: Path, run: int | None) -> Run:
    """The run whose model is to label. Only models that jobs wrote are read: no path comes from outside."""
    there = models_there(store, models)
    for each in there:
        if run in (None, each.key):
            return each
    if run is None:
        raise ParameterError("No job has trained a model that may be used: start a training first.")
    raise bad_parameter("run", "a job", "the number of a run whose model a job wrote and that may be used", run)


def models_there(store: Store, models: Path) -> list[Run]:
    """The runs of jobs whose models may be used, the latest first; those that learned what had to go are not."""
    return [run for run in store.results.runs() if Path(run.model).parent == models and run.withdrawn_at is None]
