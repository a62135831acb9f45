"""Jobs over HTTP and on the dashboard: who may, one at a time, and what is said."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import httpx
import pytest
from sqlalchemy import update
from tests.collector.site import Caller, problem

from graphldp.collector.dashboard.job_pages import shown_jobs
from graphldp.collector.storage import schema
from graphldp.collector.storage.database import transaction
from graphldp.collector.storage.operating.results import Run


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Caller]:
    with Caller(tmp_path_factory.mktemp("bench"), "jobs").running() as made:
        yield made


def test_a_job_is_refused_seen_and_stopped(bench: Caller) -> None:
    """Another job is under way throughout, so that no process starts here."""
    other = bench.store.jobs.add("train", {"folder": "/secret/place", "seed": 0}, "bob")
    bench.store.jobs.begin(other.key)
    bench.store.jobs.tell(other.key, "reading reports", 0.25)
    refused = bench.ask("POST", json={"kind": "train"})
    assert problem(refused) == (409, "refused")
    assert f"Job {other.key} (train, asked for by bob) is under way, 25% done" in refused.json()["detail"]
    seen = bench.ask("GET", key=bench.viewer).json()["jobs"][0]
    assert (seen["doing"], seen["share"], seen["settings"]) == ("reading reports", 0.25, {"seed": 0})
    assert bench.ask("GET", f"/{other.key}", key=bench.viewer).json() == seen
    for method, path, body in (("POST", "", {"kind": "train"}), ("POST", f"/{other.key}/stop", None)):
        assert problem(bench.ask(method, path, key=bench.viewer, json=body))[0] == 403
    stopped = bench.ask("POST", f"/{other.key}/stop")
    assert (stopped.status_code, stopped.json()["state"]) == (202, "stopping")
    bench.store.jobs.end(other.key, "stopped", "It was stopped.")
    entries = [(each.actor, each.action, each.outcome) for each in bench.store.audit_log.entries()]
    assert ("alice", "job.start", "failed") in entries
    assert ("alice", "job.stop", "begun") in entries
    stops = [each.about for each in bench.store.audit_log.entries() if each.action == "job.stop"]
    assert set(stops) == {str(other.key)}
    assert ("eve", "job.start", "forbidden") in entries


def test_a_number_that_no_job_has_is_no_failure(bench: Caller) -> None:
    secret = bench.store.operators.log_in(bench.key, hours=1)
    assert secret is not None
    session = bench.store.operators.session(secret)
    assert session is not None
    with httpx.Client(base_url=bench.collector.url, cookies={"graphldp_session": secret}) as http:
        for number, status in (("999", 404), ("9" * 30, 422), ("-1", 422)):
            answer = http.post(f"/dashboard/jobs/{number}/stop", data={"csrf": session.csrf})
            assert answer.status_code == status, number


def test_the_form_of_a_training_asks_what_it_may_cost(bench: Caller) -> None:
    """Another job is under way, so that no process starts here: what is refused before that is refused for itself."""
    other = bench.store.jobs.add("train", {"folder": "/secret/place", "seed": 0}, "bob")
    secret = bench.store.operators.log_in(bench.key, hours=1)
    assert secret is not None
    session = bench.store.operators.session(secret)
    assert session is not None
    with httpx.Client(base_url=bench.collector.url, cookies={"graphldp_session": secret}) as http:
        for given, status, told in (
            ({}, 409, "is under way"),
            ({"allowance": "0.05"}, 409, "is under way"),
            ({"allowance": "much", "defense": "none"}, 409, "is under way"),  # what nobody reads
            ({"allowance": "2"}, 422, "must be a number from 0 to 1"),
            ({"allowance": "much"}, 422, "must be a number from 0 to 1"),
        ):
            answer = http.post("/dashboard/jobs/train", data={"csrf": session.csrf, **given})
            assert (answer.status_code, told in answer.text) == (status, True), given
        bench.store.jobs.end(other.key, "done", result=DONE | {"allowance": 0.005})
        page = http.get("/dashboard/jobs").text
    assert 'value="0.01" selected>1 % of labels, if nobody lies' in page
    assert "Withstanding lies was allowed to cost 0.5 % of labels." in page


DONE = {"accuracy": None, "communities": 1, "reported": 2, "users": 2, "left_out": 0}
WRONG: tuple[dict[str, Any], ...] = (
    {},
    {"kind": "erase"},
    {"kind": "train", "seed": -1},
    {"kind": "train", "allowance": 1.5},
    {"kind": "train", "allowance": "much"},
    {"kind": "label", "run": "../x"},
)


@pytest.mark.parametrize("body", WRONG)
def test_what_is_no_job_is_refused(bench: Caller, body: dict[str, Any]) -> None:
    assert problem(bench.ask("POST", json=body)) == (422, "bad-request")


@pytest.mark.attack("collector")
def test_a_model_that_had_to_go_labels_nothing(bench: Caller) -> None:
    """Label by a model that had to go with its reports.

    What members were promised counts when the job is asked for, and not only when it runs.
    """
    bench.store.results.add_run(Run(str(bench.models / "job-1.npz"), 1, 2, 2, None, {}))
    run = bench.store.results.runs()[0].key
    with transaction(bench.store.engine, writes=True) as connection:
        connection.execute(update(schema.runs).where(schema.runs.c.key == run).values(withdrawn_at=datetime.now(UTC)))
    for body in ({"kind": "label"}, {"kind": "label", "run": run}):
        refused = bench.ask("POST", json=body)
        assert problem(refused) == (409, "refused")
        assert "may be used" in refused.json()["detail"]
    assert not shown_jobs(bench.store, bench.models)["trained"]


def test_only_models_that_jobs_wrote_label(bench: Caller) -> None:
    """A run of the command line names a file of whoever ran it; the server reads no path from outside."""
    bench.store.results.add_run(Run("/etc/passwd", 1, 2, 2, None, {}))
    run = bench.store.results.runs()[0].key
    assert problem(bench.ask("POST", json={"kind": "label"})) == (409, "refused")
    refused = bench.ask("POST", json={"kind": "label", "run": run})
    assert problem(refused) == (409, "refused")
    assert "passwd" not in refused.text
    for path in ("/0", "/999999"):
        assert problem(bench.ask("GET", path))[0] in (404, 422)
