"""Jobs in the store: one at a time, on both databases."""

from __future__ import annotations

import threading
from datetime import timedelta

import pytest
from tests.collector.storage.test_clock import YEAR, Machine

from graphldp.collector.storage.operating.jobs import WAITS, Jobs
from graphldp.collector.storage.store import Store
from graphldp.errors import BusyError, ParameterError


def test_one_job_is_under_way_at_a_time(store: Store) -> None:
    first = store.jobs.add("train", {"seed": 3}, "ann")
    assert (first.state, first.settings, first.share) == ("waiting", {"seed": 3}, 0.0)
    with pytest.raises(BusyError, match=f"Job {first.key} .train, asked for by ann. is under way, 0% done"):
        store.jobs.add("label", {}, "bob")
    assert store.jobs.begin(first.key)
    assert not store.jobs.begin(first.key)  # a second process finds it taken
    assert store.jobs.tell(first.key, "reading reports", 0.25)
    job = store.jobs.job(first.key)
    assert (job.state, job.doing, job.share, job.under_way) == ("running", "reading reports", 0.25, True)
    assert store.jobs.end(first.key, "done", result={"accuracy": 0.9})
    assert not store.jobs.end(first.key, "failed", "too late")
    second = store.jobs.add("label", {}, "bob")
    assert [(each.key, each.state) for each in store.jobs.latest()] == [(second.key, "waiting"), (first.key, "done")]
    assert store.jobs.latest()[1].result == {"accuracy": 0.9}
    assert store.jobs.latest()[1].to_json()["ended_at"]


def test_of_many_who_start_at_once_one_does(store: Store) -> None:
    outcomes: list[str] = []

    def start() -> None:
        try:
            store.jobs.add("train", {}, "ann")
            outcomes.append("started")
        except BusyError:
            outcomes.append("busy")

    threads = [threading.Thread(target=start) for _ in range(6)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert sorted(outcomes) == ["busy"] * 5 + ["started"]


def test_a_job_stops_when_asked(store: Store) -> None:
    waiting = store.jobs.add("train", {}, "ann")
    store.jobs.stop(waiting.key)
    assert store.jobs.job(waiting.key).state == "stopped"
    running = store.jobs.add("train", {}, "ann")
    store.jobs.begin(running.key)
    store.jobs.stop(running.key)
    assert store.jobs.job(running.key).state == "stopping"
    assert not store.jobs.tell(running.key, "fitting", 0.5)  # its process learns that it is not to go on
    assert store.jobs.end(running.key, "stopped", "It was stopped.")
    store.jobs.stop(running.key)  # over already
    assert store.jobs.job(running.key).note == "It was stopped."
    with pytest.raises(ParameterError, match="the number of a job"):
        store.jobs.stop(running.key + 1)


def test_a_job_that_falls_silent_is_lost(store: Store) -> None:
    """Its process was killed: it is given up, the next one may begin, and it cannot come back."""
    key = store.jobs.add("train", {}, "ann").key
    store.jobs.begin(key)
    store.jobs.tidy()
    assert store.jobs.job(key).state == "running"
    waiting = Jobs(store.engine, silent=3600.0)
    waiting.tidy()
    assert store.jobs.job(key).under_way
    impatient = Jobs(store.engine, silent=0.0, waits=0.0)
    impatient.tidy()
    lost = store.jobs.job(key)
    assert (lost.state, lost.under_way) == ("lost", False)
    assert "Start it again" in lost.note
    assert not store.jobs.tell(key, "fitting", 0.9)
    store.jobs.add("train", {}, "ann")


@pytest.mark.attack("storage")
@pytest.mark.parametrize("jump", [YEAR, -YEAR])
def test_a_clock_that_jumps_loses_no_job_and_keeps_none_that_is_dead(store: Store, jump: timedelta) -> None:
    """Set the clock ahead while a job runs, or back after its process was killed."""
    machine = Machine(store)
    jobs = Jobs(store.engine, wall=lambda: machine.wall, monotonic=lambda: machine.up)
    key = jobs.add("train", {}, "ann").key
    assert jobs.begin(key)
    machine.wall += jump
    for _ in range(40):  # whoever looks before its next word doubts it, and waits
        jobs.tidy()
        machine.run(timedelta(seconds=2))
        assert jobs.tell(key, "fitting", 0.5)
    machine.wall -= jump  # its process is killed, and the clock is put right
    jobs.tidy()
    assert jobs.job(key).under_way
    machine.run(timedelta(seconds=WAITS))
    jobs.tidy()
    assert jobs.job(key).state == "lost"


def test_who_starts_a_job_waits_for_one_that_is_in_doubt(store: Store) -> None:
    """A command remembers nothing: it waits for a word, and only then says that a job is under way."""
    first = store.jobs.add("train", {}, "ann").key
    store.jobs.begin(first)

    heard = threading.Event()

    def speak() -> None:
        while not heard.wait(0.05):
            store.jobs.tell(first, "", 0.1)

    words = threading.Thread(target=speak)
    words.start()
    try:
        with pytest.raises(BusyError, match=f"Job {first} "):
            Jobs(store.engine, silent=0.0, waits=60.0).add("train", {}, "bob")
    finally:
        heard.set()
        words.join()
    assert Jobs(store.engine, silent=0.0, waits=0.3).add("train", {}, "bob").key != first
    assert store.jobs.job(first).state == "lost"


def test_old_jobs_go(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graphldp.collector.storage.operating.jobs._KEPT", 2)
    keys = []
    for _ in range(5):
        keys.append(store.jobs.add("train", {}, "ann").key)
        store.jobs.end(keys[-1], "done")
    assert [each.key for each in store.jobs.latest()] == keys[:-4:-1]
