"""Jobs, from the action that starts them to what is left in the store and on the disk."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from benchmarks.services import MissingComponentError, Postgres
from tests.collector.people import ALICE
from tests.experiments.filled_store import fill_store, no_room_beyond

from graphldp.collector.actions.communities import trust
from graphldp.collector.actions.job_control import LOG, JobProcesses, models_folder, start, stop
from graphldp.collector.storage.operating.jobs import BackgroundJob, Kind
from graphldp.collector.storage.store import Store
from graphldp.errors import BusyError, ParameterError
from graphldp.experiments.service import jobs
from graphldp.experiments.service.jobs import run_job
from graphldp.learn.loading import load_classifier
from graphldp.learn.tables.robust_classifier import RobustProfileClassifier


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Store, str]]:
    database = f"sqlite:///{tmp_path_factory.mktemp('jobs') / 'collector.db'}"
    store = Store.open(database)
    fill_store(store)
    yield store, database
    store.close()


class Here(JobProcesses):
    """A processes that starts nothing: the test does the job itself."""

    def start(self, job: BackgroundJob) -> None:  # type: ignore[override]
        self.models.mkdir(exist_ok=True)


@pytest.fixture
def here(filled: tuple[Store, str], tmp_path: Path) -> Here:
    return Here(*filled, tmp_path / "models", 5)


def begun(processes: JobProcesses, kind: Kind) -> BackgroundJob:
    return (
        start(processes.store, ALICE, kind, processes, seed=3)
        if kind == "train"
        else start(processes.store, ALICE, kind, processes)
    )


def left(folder: Path) -> set[str]:
    """What is in the folder of models beside the log and the results, which SQLite keeps in up to three files."""
    return {each.name for each in folder.iterdir() if each.name != LOG and not each.match("results.sqlite*")}


@pytest.mark.usefixtures("few_trees")
def test_a_job_trains_and_another_one_labels(here: Here) -> None:
    store = here.store
    with pytest.raises(ParameterError, match="start a training first"):
        begun(here, "label")
    (here.models).mkdir()
    (here.models / ".job-1.npz.abc.part").write_bytes(b"half")  # of a job that was killed while it wrote
    trained = begun(here, "train")
    with pytest.raises(BusyError, match="under way"):
        begun(here, "train")
    run_job(store, trained.key)
    done = store.jobs.job(trained.key)
    assert (done.state, done.share, done.note) == ("done", 1.0, "")
    run = store.results.runs()[0]
    assert done.result["accuracy"] == run.validation
    assert (done.result["low"], done.result["high"]) == run.interval
    assert done.result["held_out"] == run.held_out == 30
    assert left(here.models) == {f"job-{trained.key}.npz"}
    assert len(load_classifier(Path(run.model)).classes_) == 2
    labelled = begun(here, "label")
    run_job(store, labelled.key)
    found = store.jobs.job(labelled.key).result
    kept = store.results.predictions().values()
    assert found["labelled"] == len(kept) == 10 == sum(found["classes"].values())
    assert found["confidence"] == pytest.approx(sum(each.confidence for each in kept) / 10)
    assert found["withstand_a_liar"] == sum(bool(each.certified) for each in kept)
    assert (found["flagged"], found["left_out"]) == (0, 0)
    run_job(store, labelled.key)  # nobody does it twice
    assert store.jobs.job(labelled.key).result == found


@pytest.mark.usefixtures("few_trees")
def test_a_job_trains_with_the_allowance_that_it_is_given(here: Here) -> None:
    job = start(here.store, ALICE, "train", here, allowance=0.1)
    run_job(here.store, job.key)
    done = here.store.jobs.job(job.key)
    assert done.settings["allowance"] == done.result["allowance"] == 0.1
    loaded = load_classifier(Path(done.result["model"]))
    assert isinstance(loaded, RobustProfileClassifier)
    assert loaded.allowance == 0.1
    for wrong, kind, defense in ((0.1, "train", "none"), (0.1, "label", "recommended"), (2, "train", "recommended")):
        with pytest.raises(ParameterError, match="'allowance' parameter of a job must be"):
            start(here.store, ALICE, kind, here, defense=defense, allowance=wrong)  # type: ignore[arg-type]


@pytest.mark.usefixtures("few_trees")
def test_a_job_learns_from_trusted_communities_alone(here: Here) -> None:
    store = here.store
    failed = start(store, ALICE, "train", here, trusted_only=True)
    run_job(store, failed.key)
    assert "There is no labelled and trusted community with 5 reports" in store.jobs.job(failed.key).note
    chosen = [*(f"thread-{graph}" for graph in range(4, 30)), "thread-39"]  # the last one has no label
    for id in chosen:
        trust(store, ALICE, id)
    job = start(store, ALICE, "train", here, trusted_only=True)
    run_job(store, job.key)
    done = store.jobs.job(job.key)
    assert done.state == "done", done.note
    run = store.results.runs()[0]
    assert (done.result["trusted_only"], done.result["communities"]) == (True, 26)
    assert run.learned_from == [store.community(id).key for id in chosen[:-1]]
    for id in chosen:
        trust(store, ALICE, id, trusted=False)
    with pytest.raises(ParameterError, match="'trusted_only' parameter of a job must be left out but for a training"):
        start(store, ALICE, "label", here, trusted_only=True)


def test_a_job_that_is_stopped_keeps_nothing(here: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    """The store says that it is not to go on while it works; what it wrote before is taken back."""
    job, runs = begun(here, "train"), len(here.store.results.runs())

    def work(store: Store, job: BackgroundJob, _course: object) -> dict[str, object]:
        jobs._model(job).write_bytes(b"a model")
        stop(store, ALICE, job.key)
        threading.Event().wait(30)
        raise AssertionError("it went on")

    monkeypatch.setitem(jobs._WORK, "train", work)
    run_job(here.store, job.key, seconds=0.05)
    assert here.store.jobs.job(job.key).state == "stopped"
    assert left(here.models) == set()
    assert len(here.store.results.runs()) == runs


@pytest.mark.usefixtures("few_trees")
def test_a_full_disk_fails_the_job_and_leaves_nothing(here: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    """A limit on the size of files, from the moment when the model is written, is as good as a full disk."""
    job, whole = begun(here, "train"), RobustProfileClassifier.save

    def save(self: RobustProfileClassifier, path: Path) -> None:
        with no_room_beyond(4096):
            whole(self, path)

    monkeypatch.setattr(RobustProfileClassifier, "save", save)
    run_job(here.store, job.key)
    failed = here.store.jobs.job(job.key)
    assert (failed.state, failed.note) == ("failed", "File too large")
    assert left(here.models) == set()
    assert not [run for run in here.store.results.runs() if Path(run.model).parent == here.models]


@pytest.fixture(params=["sqlite", "postgresql"])
def either(request: pytest.FixtureRequest) -> Iterator[tuple[Store, str]]:
    if request.param == "sqlite":
        yield request.getfixturevalue("filled")
        return
    try:
        server = Postgres()
    except MissingComponentError as error:
        pytest.skip(str(error))
    with server:
        database = server.create("jobs")
        store = Store.open(database)
        fill_store(store)
        yield store, database
        store.close()


@pytest.mark.long
def test_a_process_that_is_killed_is_gone_without_a_trace(either: tuple[Store, str], tmp_path: Path) -> None:
    """SIGKILL half way: the job is lost at once, nothing is left, and the next one may begin."""
    store, database = either
    runs = len(store.results.runs())
    processes = JobProcesses(store, database, tmp_path / "models", 5)
    started = _Started(processes)
    job = begun(started, "train")
    _until(store, job.key, "running")
    with pytest.raises(BusyError):
        begun(started, "train")
    os.kill(started.pid, signal.SIGKILL)
    lost = _until(store, job.key, "lost")
    assert "SIGKILL" in lost.note
    assert left(processes.models) == set()
    assert len(store.results.runs()) == runs
    store.jobs.end(store.jobs.add("train", {}, "ann").key, "stopped")  # the next one may begin


class _Started(JobProcesses):
    """A processes that remembers the process of its latest job."""

    def __init__(self, other: JobProcesses) -> None:
        self.__dict__ |= other.__dict__
        self.pid = 0

    def start(self, job: BackgroundJob):  # type: ignore[no-untyped-def]
        process = super().start(job)
        self.pid = process.pid
        return process


def _until(store: Store, key: int, state: str) -> BackgroundJob:
    for _ in range(1200):
        job = store.jobs.job(key)
        if job.state == state:
            return job
        assert job.under_way, job
        time.sleep(0.05)
    raise AssertionError(f"still {job.state}")


def test_models_lie_beside_the_database_unless_said(tmp_path: Path) -> None:
    assert models_folder("", f"sqlite:///{tmp_path}/collector.db") == tmp_path / "models"
    assert models_folder(str(tmp_path / "own"), "postgresql://ann@host/collector") == tmp_path / "own"
    assert models_folder("", "postgresql://ann@host/collector").name == "models"
