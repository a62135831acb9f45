"""A job of the dashboard: train or label, in the process that was started for it, and say how far it is."""

from __future__ import annotations

import os
import signal
import threading
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from graphldp.collector.storage.operating.jobs import BackgroundJob
from graphldp.collector.storage.store import Store
from graphldp.errors import GraphLDPError, StoreError
from graphldp.experiments.service.collected import label_collected, train_collected
from graphldp.experiments.service.gathering import Course, Watch

_SECONDS = 2.0  # between two words


def run_job(store: Store, key: int, *, seconds: float = _SECONDS) -> None:
    """Do a job that waits. Whatever becomes of it is said in the store.

    Args:
        store: the collector's.
        key: the job's number.
        seconds: between two words that it is alive.
    """
    if not store.jobs.begin(key):
        return
    job = store.jobs.job(key)
    for left in _folder(job).glob(".job-*.part"):  # of a job whose process was killed while it wrote
        left.unlink(missing_ok=True)
    try:
        with _telling(store, key, seconds) as watch:
            result = _WORK[job.kind](store, job, Course(watch=watch, device="cpu"))
    except KeyboardInterrupt:
        _forget(job)
        store.jobs.end(key, "stopped", "It was stopped. Nothing of it was kept.")
    except (GraphLDPError, OSError) as error:
        _forget(job)
        reason = error.strerror if isinstance(error, OSError) and error.strerror else error
        store.jobs.end(key, "failed", str(reason))
    except BaseException:
        _forget(job)
        store.jobs.end(key, "failed", "It met an error that it did not expect; job.log beside the models says more.")
        raise
    else:
        store.jobs.end(key, "done", result=result)


def _train(store: Store, job: BackgroundJob, course: Course) -> Mapping[str, Any]:
    given = job.settings
    trusted_only = given.get("trusted_only", False)
    labelled = [each for each in store.communities() if each.label is not None and (each.trusted or not trusted_only)]
    run = train_collected(
        *(store, labelled, _model(job), _folder(job) / "results.sqlite"),
        defense=None if given["defense"] == "none" else given["defense"],
        allowance=given.get("allowance"),
        seed=given["seed"],
        recommended=True,
        min_reports=given["min_reports"],
        trusted_only=trusted_only,
        course=course,
    )
    low, high = run.interval or (None, None)
    return {
        "model": run.model,
        "accuracy": run.validation,
        "low": low,
        "high": high,
        "held_out": run.held_out,
        "communities": run.communities,
        "left_out": len(labelled) - run.communities,
        "users": run.users,
        "reported": run.reported,
        "mechanism": run.settings["mechanism"],
        "allowance": run.settings.get("allowance"),
        "trusted_only": run.settings["trusted_only"],
    }


def _label(store: Store, job: BackgroundJob, course: Course) -> Mapping[str, Any]:
    given = job.settings
    wanted = [each for each in store.communities() if each.label is None]
    found = label_collected(store, wanted, Path(given["model"]), min_reports=given["min_reports"], course=course)
    labels = [given for _, given in found]
    promised = [each.certified for each in labels if each.certified is not None]
    return {
        "model": given["model"],
        "labelled": len(labels),
        "left_out": len(wanted) - len(labels),
        "classes": {str(label): count for label, count in sorted(Counter(each.label for each in labels).items())},
        "confidence": sum(each.confidence for each in labels) / len(labels) if labels else None,
        "withstand_a_liar": sum(each > 0 for each in promised) if promised else None,
        "flagged": sum(store.results.flag_counts().values()),
    }


_WORK: dict[str, Callable[[Store, BackgroundJob, Course], Mapping[str, Any]]] = {"train": _train, "label": _label}


def _folder(job: BackgroundJob) -> Path:
    return Path(job.settings["folder"])


def _model(job: BackgroundJob) -> Path:
    return _folder(job) / f"job-{job.key}.npz"


def _forget(job: BackgroundJob) -> None:
    """Take back what a job wrote that is not done."""
    if job.kind == "train":
        _model(job).unlink(missing_ok=True)


@contextmanager
def _telling(store: Store, key: int, seconds: float) -> Iterator[Watch]:
    """Say every few seconds how far a job is, and interrupt it once it is not to go on."""
    told, over = deque([("starting", 0.0)], maxlen=1), threading.Event()

    def watch(doing: str, share: float) -> None:
        told.append((doing, share))

    def tell() -> None:
        while not over.wait(seconds):
            try:
                goes_on = store.jobs.tell(key, *told[-1])
            except StoreError:  # busy: the next word will do
                continue
            if not goes_on and not over.is_set():
                os.kill(os.getpid(), signal.SIGINT)
                return

    # a server ignores these signals, and what it starts would too
    theirs = [(kind, signal.signal(kind, signal.default_int_handler)) for kind in (signal.SIGINT, signal.SIGTERM)]
    teller = threading.Thread(target=tell, name="graphldp-job", daemon=True)
    teller.start()
    try:
        yield watch
    finally:
        over.set()
        teller.join()
        for kind, handler in theirs:
            signal.signal(kind, handler)
