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
from graphldp.collector.storage.community_list import SORTS, STATES

BOB = Actor("bob", Role.OPERATOR, "dashboard")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Caller]:
    with Caller(tmp_path_factory.mktemp("site"), "communities").running() as made:
        yield made


def test_a_community_from_its_roster_to_its_end(site: Caller) -> None:
    body = {"id": "dogs", "roster": ["rex", "fido", "bello"], "epsilons": [1.0], "name": "Dogs", "label": "pets"}
    body |= {"purpose": "To see who plays with whom.", "contact": "dogs@example.org"}
    made = site.ask("POST", "", json=body | {"retention_days": 90, "keeps_models": False})
    assert (made.json()["retention_days"], made.json()["keeps_models"]) == (90, False)
    assert (made.json()["purpose"], made.json()["operator"]) == (body["purpose"], "The testers")
    assert (made.status_code, made.json()["mechanism"]) == (201, gl.recommended(1.0).mechanism.origin.name)
    assert (made.json()["class_name"], made.json()["users"], made.json()["open"]) == ("pets", 3, True)
    sent = site.ask("POST", "/dogs/invitations", json={"server": "https://reports.example.org", "days": 7})
    told = sent.json()["invitations"]
    assert [each["name"] for each in told] == body["roster"]
    assert site.store.holder(site.store.community("dogs"), told[1]["token"]) == 1
    assert told[1]["link"].startswith("https://reports.example.org/join#1.")
    assert site.ask("GET", "", params={"search": "dog"}).json()["communities"][0]["invited"] == 3
    changed = site.ask("PATCH", "/dogs", json={"name": "Hounds", "label": None})
    now = {"name": "Hounds", "members_see": "Dogs", "label": None, "trusted": False}
    assert now.items() <= changed.json().items()
    seen = {"If-Match": changed.headers["etag"]}
    changed = site.ask("PATCH", "/dogs", json={"label": "pets", "trusted": True}, headers=seen)
    assert (changed.json()["trusted"], changed.json()["name"]) == (True, "Hounds")
    assert problem(site.ask("PATCH", "/dogs", json={"trusted": None})) == (422, "bad-request")
    assert site.ask("PATCH", "/dogs", json={"label": None}).json()["trusted"] is True
    classes = f"{site.collector.url}/v1/operator/classes"
    named = site.http.put(f"{classes}/0", json={"name": "animals"}, headers={"Authorization": f"Bearer {site.key}"})
    assert named.json() == {"classes": [{"number": 0, "name": "animals", "communities": 0}]}
    renewed = site.ask("POST", "/dogs/renew").json()
    assert (renewed["epoch"], renewed["trusted"]) == (2, True)
    assert site.ask("POST", "/dogs/close").json()["open"] is False
    gone = site.ask("DELETE", "/dogs")
    assert (gone.status_code, gone.json()["deleted"]["users"]) == (200, 3)
    assert problem(site.ask("GET", "/dogs")) == (404, "not-found")


def test_who_saw_an_older_version_changes_nothing(site: Caller) -> None:
    store = site.store
    store.open_community("owls", ["a", "b"], mechanism="dprr", choices=site.cats.choices)
    seen = site.ask("GET", "/owls").headers["etag"]
    close(store, BOB, "owls")
    for method, path, body in (("PATCH", "/owls", {"name": "Birds"}), ("POST", "/owls/renew", None)):
        answer = site.ask(method, path, json=body, headers={"If-Match": seen})
        assert problem(answer) == (412, "changed")
    assert problem(site.ask("DELETE", "/owls", headers={"If-Match": '"nonsense"'})) == (412, "changed")
    after = store.community("owls")
    assert (after.called, after.epoch) == ("owls", 1)
    again = site.ask("GET", "/owls").headers["etag"]
    assert site.ask("PATCH", "/owls", json={"name": "Birds"}, headers={"If-Match": again}).status_code == 200


def test_reports_are_exported_and_deleted(site: Caller, tmp_path: Path) -> None:
    sent = [submission(site.cats, user, site.tokens[user], report(user)) for user in (2, 5)]
    site.store.accept(sent)
    site.store.open_community("mice", ["a", "b"], mechanism="dprr", choices=site.cats.choices)
    few = site.ask("GET", "/mice/export")
    assert problem(few) == (409, "refused")
    assert "holds 1 reports (the setting 'min_reports')" in few.json()["detail"]
    assert list(site.ask("GET", "/cats/arrivals").json()["arrivals"].values()) == [2]
    table = site.ask("GET", "/cats/export")
    rows = list(csv.DictReader(io.StringIO(table.text)))
    assert [(row["slot"], row["noisy_degree"], row["friends"]) for row in rows] == [
        ("2", "3", "7 9 30"),
        ("5", "3", "7 9 30"),
    ]
    (tmp_path / "cats.npz").write_bytes(site.ask("GET", "/cats/export?format=npz").content)
    assert gl.Reports.load(tmp_path / "cats.npz").num_users == site.cats.n
    assert site.ask("DELETE", "/cats/reports/5").json() == {"deleted": [1]}
    assert problem(site.ask("DELETE", "/cats/reports/6")) == (409, "refused")
    assert len(site.ask("GET", "/cats/export").text.splitlines()) == 2


GOOD = {"id": "frogs", "roster": ["ann", "bob"], "epsilons": [1.0]}


@pytest.mark.attack("collector")
@pytest.mark.parametrize(
    ("body", "kind", "said"),
    [
        ({"purpose": "p\u200b"}, (409, "refused"), "The purpose of a community is not printable"),
        ({"roster": ["ann", "Ann"]}, (409, "refused"), "names 1 and 2 are the same to every client"),
        ({"roster": ["anna", "аnnа"]}, (409, "refused"), "look alike"),
        ({"roster": ["ann"]}, (422, "bad-request"), "roster"),
        ({"id": "cats"}, (409, "refused"), "already"),
        ({"id": "Cats"}, (422, "bad-request"), "id"),
        ({"epsilons": [0]}, (422, "bad-request"), "epsilons"),
        ({"mechanism": "magic"}, (409, "refused"), "one of"),
        ({"mechanism": "friend-counts"}, (409, "refused"), "public group"),
        ({"witnesses": True}, (409, "refused"), "12 users or more"),
        ({"witnesses": True, "groups": ["a", "b"]}, (409, "refused"), "2ε"),
        ({"witnesses": "maybe"}, (422, "bad-request"), "witnesses"),
        ({"secret": 1}, (422, "bad-request"), "body"),
    ],
)
def test_a_community_that_cannot_be_is_not_opened(
    site: Caller, body: dict[str, Any], kind: tuple[int, str], said: str
) -> None:
    """A roster with a name twice, a look-alike, or half of an upload."""
    answer = site.ask("POST", "", json=GOOD | body)
    assert problem(answer) == kind
    assert said in answer.json()["detail"]
    assert not {"magic", "secret", "ann", "Ann"} & {*answer.json()["detail"].replace("'", " ").split()}
    assert problem(site.ask("GET", "/frogs")) == (404, "not-found")


def test_a_community_with_witnesses_says_so(site: Caller) -> None:
    roster = [f"bee {number}" for number in range(12)]
    made = site.ask("POST", "", json=GOOD | {"id": "bees", "roster": roster, "witnesses": True}).json()
    assert (made["mechanism"], made["witnesses"]) == ("friend-counts", True)
    assert site.ask("GET", "/cats").json()["witnesses"] is False


@pytest.mark.long
def test_a_million_names_are_one_answer(site: Caller) -> None:
    """One name is there twice, a million apart."""
    names = [f"u{number}" for number in range(10**6)] + ["U7"]
    answer = site.ask("POST", "", json=GOOD | {"roster": names})
    assert problem(answer) == (409, "refused")
    assert "names 8 and 1,000,001 are the same" in answer.json()["detail"]


@pytest.mark.attack("collector")
def test_an_upload_that_is_cut_off_opens_nothing(site: Caller) -> None:
    """A roster with a name twice, a look-alike, or half of an upload."""
    with socket.create_connection(("127.0.0.1", site.collector.port)) as line:
        line.sendall(
            b"POST /v1/operator/communities HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
            b"Authorization: Bearer " + site.key.encode() + b"\r\nContent-Length: 5000\r\n\r\n"
            b'{"id": "frogs", "epsilons": [1], "roster": ["ann", "bob"'
        )
    half = site.ask("POST", "", content=b'{"id": "frogs", "roster": ["a', headers={"Content-Type": "application/json"})
    assert problem(half) == (422, "bad-request")
    assert problem(site.ask("GET", "/frogs")) == (404, "not-found")


@pytest.mark.attack("collector")
def test_only_operators_are_let_in_and_viewers_only_look(site: Caller) -> None:
    """A member's token, or a viewer's key, at the addresses for operators' programs."""
    for key in (site.tokens[3], "x" * 43):
        for method, path in (("GET", ""), ("POST", ""), ("DELETE", "/cats"), ("GET", "/cats/export")):
            answer = site.ask(method, path, key)
            assert problem(answer) == (401, "no-operator")
            assert answer.headers["www-authenticate"] == "Bearer"
    assert site.ask("GET", "/cats", site.viewer).status_code == 200
    for method, path in (("POST", "/cats/close"), ("DELETE", "/cats"), ("GET", "/cats/export")):
        assert problem(site.ask(method, path, site.viewer)) == (403, "not-allowed")
    assert site.store.community("cats").closed_at is None


@pytest.mark.parametrize("body", [{}, {"name": None}])
def test_a_change_of_nothing_is_refused(site: Caller, body: dict[str, Any]) -> None:
    assert problem(site.ask("PATCH", "/cats", json=body)) == (422, "bad-request")
    assert problem(site.ask("PATCH", "/cats", site.viewer, json=body)) == (403, "not-allowed")  # it is not read


def test_the_description_names_every_order_and_state(site: Caller) -> None:
    described = httpx.get(f"{site.collector.url}/openapi.json").json()
    given = described["paths"]["/v1/operator/communities"]["get"]["parameters"]
    listed = {each["name"]: each["schema"].get("enum") for each in given}
    assert (listed["sort"], listed["state"]) == ([*SORTS], [*STATES])
