"""What administrators' programs do over HTTP: keys, roles and the log, and nothing for anybody else."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from tests.collector.operator_site import OperatorSite
from tests.collector.site import problem

from graphldp.collector.roles import Role


@pytest.fixture(scope="module")
def staffed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OperatorSite]:
    made = OperatorSite(tmp_path_factory.mktemp("site"))
    with made.collector, made.http:
        yield made
    made.store.close()


def roles(answer: httpx.Response) -> dict[str, str]:
    return {each["name"]: each["role"] for each in answer.json()["operators"]}


def test_an_operator_from_her_key_to_her_end(staffed: OperatorSite) -> None:
    """Her name has all that an address could stumble over."""
    store, name, at = staffed.store, "bob/ü ?#%", "bob%2F%C3%BC%20%3F%23%25"
    made = staffed.ask("POST", "/operators", json={"name": name, "role": "viewer", "days": 90})
    assert (made.status_code, made.json()["name"]) == (201, name)
    first = made.json()["key"]
    listed = staffed.ask("GET", "/operators")
    assert first not in listed.text
    assert roles(listed)[name] == "viewer"
    assert roles(staffed.ask("PATCH", f"/operators/{at}", json={"role": "operator"}))[name] == "operator"
    second = staffed.ask("POST", f"/keys/{at}", json={}).json()["key"]
    actor = store.operators.keyed(second)
    assert actor is not None
    assert (actor.role, store.operators.keyed(first)) == (Role.OPERATOR, None)
    assert name not in roles(staffed.ask("DELETE", f"/operators/{at}"))
    assert store.operators.keyed(second) is None
    for method, path, body in (
        ("DELETE", f"/operators/{at}", None),
        ("POST", f"/keys/{at}", {}),
        ("POST", "/operators", {"name": "viewer"}),
        ("POST", "/operators", {"name": "oidc:bob"}),
    ):
        assert problem(staffed.ask(method, path, json=body)) == (409, "refused")


@pytest.mark.attack("collector")
@pytest.mark.parametrize(("method", "body"), [("PATCH", {"role": "viewer"}), ("DELETE", None)])
def test_nobody_locks_herself_out(staffed: OperatorSite, method: str, body: dict[str, str] | None) -> None:
    """Make an administrator lock herself out, so that nobody is left who may."""
    refused = staffed.ask(method, "/operators/administrator", json=body)
    assert problem(refused) == (409, "refused")
    assert "your own access" in refused.json()["detail"]
    assert roles(staffed.ask("GET", "/operators"))["administrator"] == "administrator"


def test_who_may_sign_in(staffed: OperatorSite) -> None:
    rule = {"kind": "group", "value": "staff/night", "role": "viewer"}
    assert staffed.ask("PUT", "/sign-ins", json=rule).json()["sign_ins"] == [rule]
    assert staffed.ask("DELETE", "/sign-ins/group/staff%2Fnight").json()["sign_ins"] == []
    assert problem(staffed.ask("DELETE", "/sign-ins/group/staff%2Fnight")) == (409, "refused")


def test_the_log(staffed: OperatorSite) -> None:
    staffed.ask("POST", "/operators", json={"name": "eve"})
    found = staffed.ask("GET", "/log", params={"about": "eve", "action": "operator.add"}).json()
    (entry,) = found["entries"]
    assert (entry["actor"], entry["about"], entry["way"]) == ("administrator", "eve as operator", "api")
    assert found["older"] is None
    checked = staffed.ask("GET", "/log/verify").json()
    assert (checked["head"], checked["problem"]) == (staffed.store.audit_log.head(), None)
    again = staffed.ask("GET", "/log/verify", params={"head": "999:" + "0" * 64}).json()
    assert "cut off" in again["problem"]
    taken = staffed.ask("GET", "/log/download", params={"format": "json"}).json()
    assert [each["digest"] for each in taken] == [each.digest for each in staffed.store.audit_log.entries()]
    assert problem(staffed.ask("GET", "/log", params={"about": "a\0"})) == (422, "bad-request")


WAYS: tuple[tuple[str, str, dict[str, Any] | None], ...] = (
    ("GET", "/operators", None),
    ("POST", "/operators", {"name": "mallory", "role": "administrator"}),
    ("PATCH", "/operators/operator", {"role": "administrator"}),
    ("DELETE", "/operators/administrator", None),
    ("POST", "/keys/administrator", {}),
    ("PUT", "/sign-ins", {"kind": "email", "value": "m@example.org", "role": "administrator"}),
    ("DELETE", "/sign-ins/email/m@example.org", None),
    ("GET", "/log", None),
    ("GET", "/log/verify", None),
    ("GET", "/log/download?format=csv", None),
)


@pytest.mark.attack("collector")
@pytest.mark.parametrize("role", [Role.VIEWER, Role.OPERATOR])
def test_nobody_else_gets_anywhere(staffed: OperatorSite, role: Role) -> None:
    """A viewer or an operator who gives herself a role, reads the log or takes another's key."""
    before = (staffed.store.operators.all(), staffed.store.sign_ins.rules())
    for method, path, body in WAYS:
        answer = staffed.ask(method, path, role, json=body)
        assert problem(answer) == (403, "not-allowed"), path
        assert "takes an administrator" in answer.json()["detail"]
    assert (staffed.store.operators.all(), staffed.store.sign_ins.rules()) == before
    assert staffed.store.operators.keyed(staffed.keys[Role.ADMINISTRATOR]) is not None
