"""Where jobs are done: in processes of their own, beside the server, at a lower priority.

A job outlives the server that started it, and the next server finds it in the store. The database's address travels in
the environment, where other users of the machine do not see its password.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Self

import platformdirs
from sqlalchemy.engine import make_url

from graphldp.collector.settings import Settings
from graphldp.collector.storage.operating.jobs import BackgroundJob
from graphldp.collector.storage.store import Store
from graphldp.errors import StoreError

_COMMAND = ("-c", "from graphldp.cli import main; main()", "collect", "jobs", "run")
_SAYS = "graphldp: "  # how our own errors begin; anything else may repeat what nobody should read
_LONGEST = 500

LOG = "job.log"
"""What the process of the latest job wrote, in the folder of models."""


def models_folder(folder: str, database: str) -> Path:
    """Where jobs write models: the folder that was set, or one beside an SQLite file, or one of this user's."""
    if folder:
        return Path(folder).absolute()
    url = make_url(database)
    if url.get_backend_name() == "sqlite" and url.database:
        return Path(url.database).absolute().parent / "models"
    return platformdirs.user_data_path("graphldp") / "models"


class Workshop:
    """What starts processes for jobs.

    Args:
        store: where the jobs are.
        database: the same store's address.
        models: the folder for models; made when it is first needed.
        min_reports: reports of a community below which it is neither trained on nor labelled.
    """

    def __init__(self, store: Store, database: str, models: Path, min_reports: int) -> None:
        self.store, self.models, self.min_reports = store, models, min_reports
        self._environment = os.environ | {"GRAPHLDP_DATABASE": database}

    @classmethod
    def of(cls, settings: Settings, store: Store) -> Self:
        """As the settings have it."""
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
        threading.Thread(target=self._wait, args=(job.key, process), name="graphldp-workshop", daemon=True).start()
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
