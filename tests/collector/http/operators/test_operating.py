"""What operators' programs do over HTTP: the whole way of a community, and clear answers to what is wrong."""

from __future__ import annotations

import csv
import io
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.collector.people import report, submission
from tests.collector.site import Caller, problem

import graphldp as gl
from graphldp.collector.actions.communities import close
from graphldp.collector.roles import Actor, Role
from graphldp.collector.storage.collecting.listing import SORTS, STATES

BOB = Actor("bob", Role.OPERATOR, "dashboard")


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Caller]:
    with Caller(tmp_path_factory.mktemp("office"), "communities").running() as made:
        yield made


def test_a_community_from_its_roster_to_its_end(office: Caller) -> None:
    body = {"id": "dogs", "roster": ["rex", "fido", "bello"], "epsilons": [1.0], "name": "Dogs", "label": "pets"}
    made = office.ask("POST", "", json=body | {"retention_days": 90, "keeps_models": False})
    assert (made.json()["retention_days"], made.json()["keeps_models"]) == (90, False)
    assert (made.status_code, made.json()["mechanism"]) == (201, gl.recommended(1.0).mechanism.origin.name)
    assert (made.json()["class_name"], made.json()["users"], made.json()["open"]) == ("pets", 3, True)
    sent = office.ask("POST", "/dogs/invitations", json={"server": "https://reports.example.org", "days": 7})
    told = sent.json()["invitations"]
    assert [each["name"] for each in told] == body["roster"]
    assert office.store.holder(office.store.community("dogs"), told[1]["token"]) == 1
    assert told[1]["link"].startswith("https://reports.example.org/join#1.")
    assert office.ask("GET", "", params={"search": "dog"}).json()["communities"][0]["invited"] == 3
    changed = office.ask("PATCH", "/dogs", json={"name": "Hounds", "label": None})
    now = {"name": "Hounds", "members_see": "Dogs", "label": None}
    assert now.items() <= changed.json().items()
    classes = f"{office.collector.url}/v1/operator/classes"
    named = office.http.put(f"{classes}/0", json={"name": "animals"}, headers={"Authorization": f"Bearer {office.key}"})
    assert named.json() == {"classes": [{"number": 0, "name": "animals", "communities": 0}]}
    assert office.ask("POST", "/dogs/renew").json()["epoch"] == 2
    assert office.ask("POST", "/dogs/close").json()["open"] is False
    gone = office.ask("DELETE", "/dogs")
    assert (gone.status_code, gone.json()["deleted"]["users"]) == (200, 3)
    assert problem(office.ask("GET", "/dogs")) == (404, "not-found")


def test_who_saw_an_older_version_changes_nothing(office: Caller) -> None:
    store = office.store
    store.open_community("owls", ["a", "b"], mechanism="dprr", choices=office.cats.choices)
    seen = office.ask("GET", "/owls").headers["etag"]
    close(store, BOB, "owls")
    for method, path, body in (("PATCH", "/owls", {"name": "Birds"}), ("POST", "/owls/renew", None)):
        answer = office.ask(method, path, json=body, headers={"If-Match": seen})
        assert problem(answer) == (412, "changed")
    assert problem(office.ask("DELETE", "/owls", headers={"If-Match": '"nonsense"'})) == (412, "changed")
    after = store.community("owls")
    assert (after.called, after.epoch) == ("owls", 1)
    again = office.ask("GET", "/owls").headers["etag"]
    assert office.ask("PATCH", "/owls", json={"name": "Birds"}, headers={"If-Match": again}).status_code == 200


def test_reports_are_exported_and_deleted(office: Caller, tmp_path: Path) -> None:
    sent = [submission(office.cats, user, office.tokens[user], report(user)) for user in (2, 5)]
    office.store.accept(sent)
    office.store.open_community("mice", ["a", "b"], mechanism="dprr", choices=office.cats.choices)
    few = office.ask("GET", "/mice/export")
    assert problem(few) == (409, "refused")
    assert "holds 1 reports (the setting 'min_reports')" in few.json()["detail"]
    assert list(office.ask("GET", "/cats/arrivals").json()["arrivals"].values()) == [2]
    table = office.ask("GET", "/cats/export")
    rows = list(csv.DictReader(io.StringIO(table.text)))
    assert [(row["slot"], row["noisy_degree"], row["friends"]) for row in rows] == [
        ("2", "3", "7 9 30"),
        ("5", "3", "7 9 30"),
    ]
    (tmp_path / "cats.npz").write_bytes(office.ask("GET", "/cats/export?format=npz").content)
    assert gl.Reports.load(tmp_path / "cats.npz").num_users == office.cats.n
    assert office.ask("DELETE", "/cats/reports/5").json() == {"deleted": [1]}
    assert problem(office.ask("DELETE", "/cats/reports/6")) == (409, "refused")
    assert len(office.ask("GET", "/cats/export").text.splitlines()) == 2


GOOD = {"id": "frogs", "roster": ["ann", "bob"], "epsilons": [1.0]}


@pytest.mark.parametrize(
    ("body", "kind", "said"),
    [
        ({"roster": ["ann", "Ann"]}, (409, "refused"), "names 1 and 2 are the same to every client"),
        ({"roster": ["anna", "аnnа"]}, (409, "refused"), "look alike"),
        ({"roster": ["ann"]}, (422, "bad-request"), "roster"),
        ({"id": "cats"}, (409, "refused"), "already"),
        ({"id": "Cats"}, (422, "bad-request"), "id"),
        ({"epsilons": [0]}, (422, "bad-request"), "epsilons"),
        ({"mechanism": "magic"}, (409, "refused"), "one of"),
        ({"mechanism": "friend-counts"}, (409, "refused"), "public group"),
        ({"secret": 1}, (422, "bad-request"), "body"),
    ],
)
def test_a_community_that_cannot_be_is_not_opened(
    office: Caller, body: dict[str, Any], kind: tuple[int, str], said: str
) -> None:
    answer = office.ask("POST", "", json=GOOD | body)
    assert problem(answer) == kind
    assert said in answer.json()["detail"]
    assert not {"magic", "secret", "ann", "Ann"} & {*answer.json()["detail"].replace("'", " ").split()}
    assert problem(office.ask("GET", "/frogs")) == (404, "not-found")


@pytest.mark.long
def test_a_million_names_are_one_answer(office: Caller) -> None:
    """One name is there twice, a million apart."""
    names = [f"u{number}" for number in range(10**6)] + ["U7"]
    answer = office.ask("POST", "", json=GOOD | {"roster": names})
    assert problem(answer) == (409, "refused")
    assert "names 8 and 1,000,001 are the same" in answer.json()["detail"]


def test_an_upload_that_is_cut_off_opens_nothing(office: Caller) -> None:
    with socket.create_connection(("127.0.0.1", office.collector.port)) as line:
        line.sendall(
            b"POST /v1/operator/communities HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
            b"Authorization: Bearer " + office.key.encode() + b"\r\nContent-Length: 5000\r\n\r\n"
            b'{"id": "frogs", "epsilons": [1], "roster": ["ann", "bob"'
        )
    half = office.ask(
        "POST", "", content=b'{"id": "frogs", "roster": ["a', headers={"Content-Type": "application/json"}
    )
    assert problem(half) == (422, "bad-request")
    assert problem(office.ask("GET", "/frogs")) == (404, "not-found")


def test_only_operators_are_let_in_and_viewers_only_look(office: Caller) -> None:
    for key in (office.tokens[3], "x" * 43):
        for method, path in (("GET", ""), ("POST", ""), ("DELETE", "/cats"), ("GET", "/cats/export")):
            answer = office.ask(method, path, key)
            assert problem(answer) == (401, "no-operator")
            assert answer.headers["www-authenticate"] == "Bearer"
    assert office.ask("GET", "/cats", office.viewer).status_code == 200
    for method, path in (("POST", "/cats/close"), ("DELETE", "/cats"), ("GET", "/cats/export")):
        assert problem(office.ask(method, path, office.viewer)) == (403, "not-allowed")
    assert office.store.community("cats").closed_at is None


@pytest.mark.parametrize("body", [{}, {"name": None}])
def test_a_change_of_nothing_is_refused(office: Caller, body: dict[str, Any]) -> None:
    for key in (office.key, office.viewer):
        assert problem(office.ask("PATCH", "/cats", key, json=body)) == (422, "bad-request")


def test_the_description_names_every_order_and_state(office: Caller) -> None:
    described = httpx.get(f"{office.collector.url}/openapi.json").json()
    given = described["paths"]["/v1/operator/communities"]["get"]["parameters"]
    listed = {each["name"]: each["schema"].get("enum") for each in given}
    assert (listed["sort"], listed["state"]) == ([*SORTS], [*STATES])
