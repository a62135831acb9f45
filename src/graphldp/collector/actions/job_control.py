"""Actions on trainings and labellings: start and stop them, each in a process of its own beside the server."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any, Self

import platformdirs
from sqlalchemy.engine import make_url

from graphldp.allowance import ALLOWANCE, check_allowance
from graphldp.collector.roles import Actor, Role, acting
from graphldp.collector.settings import Settings
from graphldp.collector.storage.operating.jobs import BackgroundJob, Kind
from graphldp.collector.storage.operating.results import Run
from graphldp.collector.storage.store import Store
from graphldp.errors import ParameterError, StoreError, bad_parameter

DEFENSES = ("recommended", "none")
_LARGEST_SEED = 1 << 32


@acting("job.start", Role.OPERATOR)
def start(
    store: Store,
    actor: Actor,
    kind: Kind,
    processes: JobProcesses,
    *,
    defense: str = "recommended",
    allowance: float | None = None,
    seed: int = 0,
    run: int | None = None,
    trusted_only: bool = False,
) -> BackgroundJob:
    """Start a job, by the recipe.

    Args:
        store: where it is kept.
        actor: who acts.
        kind: ``"train"`` on all labelled communities, or ``"label"`` all others.
        processes: where it is done.
        defense: of a training: ``"recommended"`` fits the classifier that withstands liars, ``"none"`` the plain one.
        allowance: how much accuracy that defense may lose where nobody lies; the usual one by default.
        seed: of a training.
        run: whose model labels; the latest one that a job trained, by default.
        trusted_only: of a training: learn from trusted communities alone.

    Raises:
        BusyError: where another job is under way.
    """
    settings: dict[str, Any] = {"folder": str(processes.models), "min_reports": processes.min_reports}
    if allowance is not None and not (kind == "train" and defense == "recommended"):
        raise bad_parameter("allowance", "a job", "left out but for a training by the recommended defense", allowance)
    if trusted_only and kind != "train":
        raise bad_parameter("trusted_only", "a job", "left out but for a training", trusted_only)
    if kind == "train":
        if defense not in DEFENSES:
            raise bad_parameter("defense", "a job", f"one of {', '.join(DEFENSES)}", defense)
        if not 0 <= seed < _LARGEST_SEED:
            raise bad_parameter("seed", "a job", f"a whole number from 0 to {_LARGEST_SEED - 1}", seed)
        settings |= {"defense": defense, "seed": seed, "trusted_only": trusted_only}
        if defense == "recommended":
            settings["allowance"] = ALLOWANCE if allowance is None else check_allowance(allowance, "a job")
    elif kind == "label":
        chosen = _model_of(store, processes.models, run)
        settings |= {"run": chosen.key, "model": chosen.model}
    else:
        raise bad_parameter("kind", "a job", "train or label", kind)
    job = store.jobs.add(kind, settings, actor.name)
    try:
        processes.start(job)
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


_COMMAND = ("-c", "from graphldp.cli import main; main()", "collect", "run-job")
_SAYS = "graphldp: "  # how our own errors begin; anything else may repeat what nobody should read
_LONGEST = 500

LOG = "job.log"
"""What the process of the latest job wrote, in the folder of models."""


def models_folder(folder: str, database: str) -> Path:
    """The folder where jobs write models: the one that was set, or one beside an SQLite file, or one of this user's."""
    if folder:
        return Path(folder).absolute()
    url = make_url(database)
    if url.get_backend_name() == "sqlite" and url.database:
        return Path(url.database).absolute().parent / "models"
    return platformdirs.user_data_path("graphldp") / "models"


class JobProcesses:
    """Processes for jobs, and how to start one."""

    def __init__(self, store: Store, database: str, models: Path, min_reports: int) -> None:
        self.store, self.models, self.min_reports = store, models, min_reports
        self._environment = os.environ | {"GRAPHLDP_DATABASE": database}

    @classmethod
    def of(cls, settings: Settings, store: Store) -> Self:
        """The processes as the settings have them."""
        return cls(store, settings.database, models_folder(settings.models, settings.database), settings.min_reports)

    def start(self, job: BackgroundJob) -> subprocess.Popen[bytes]:
        """Start a job's process, and note how it ends where it cannot say so itself."""
        self.models.mkdir(parents=True, exist_ok=True, mode=0o700)
        with (self.models / LOG).open("w") as log:  # a file, and no pipe: the job may outlive this process
            process = subprocess.Popen(  # noqa: S603 - this package's own command
                [sys.executable, *_COMMAND, str(job.key)],
                env=self._environment,
                cwd=self.models,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=log,
                start_new_session=True,  # Ctrl-C in the server's terminal is for the server
            )
        threading.Thread(target=self._wait, args=(job.key, process), name="graphldp-processes", daemon=True).start()
        return process

    def _wait(self, key: int, process: subprocess.Popen[bytes]) -> None:
        code = process.wait()
        lines = (self.models / LOG).read_text(errors="replace").splitlines()
        said = [line.removeprefix(_SAYS) for line in lines if line.startswith(_SAYS)]
        note = "Its process ended. Nothing of it was kept. Start it again."
        if code < 0:
            note = f"Its process was ended by {signal.Signals(-code).name}. Nothing of it was kept. Start it again."
        elif said:
            note = said[-1].strip()[:_LONGEST]
        try:
            self.store.jobs.end(key, "lost" if code < 0 else "failed", note)
        except StoreError:  # the database is away: the job is found lost later
            return
