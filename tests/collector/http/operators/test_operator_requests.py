"""Every route and every role: who may come in, and who may change something."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from sqlalchemy import select
from tests.collector.http.routes import Way, ways
from tests.collector.site import Site

from graphldp.collector.roles import Role
from graphldp.collector.storage import schema
from graphldp.collector.storage.database import transaction

PUBLIC = {"/", "/how", "/play", "/join", "/join/{name}", "/healthz", "/livez", "/readyz", "/openapi.json", "/metrics"}
PUBLIC |= {"/v1/reports:batch", "/static", "/login", "/login/oidc", "/login/oidc/callback"}
FOR_ADMINISTRATORS = (
    *("/dashboard/operators", "/dashboard/log", "/v1/operator/operators", "/v1/operator/keys"),
    *("/v1/operator/sign-ins", "/v1/operator/log"),
)
TAKES_OUT = ("/export",)  # what reads the reports themselves, and is an action like any other
_NOT_COMPARED = ("audit_log", "sessions", "sign_ins", "clock")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    made = Site(tmp_path_factory.mktemp("site"), {})
    with made.collector:
        yield made
    made.http.close()
    made.store.close()


class Visitor:
    """Somebody with a key of a role, or with none, who sends what each page's form would send."""

    def __init__(self, site: Site, role: Role | None) -> None:
        none = httpx.Limits(max_keepalive_connections=0)
        self.http = httpx.Client(base_url=site.collector.url, timeout=60, limits=none)
        self.name, self.csrf, self.headers = "", "x", dict[str, str]()
        if role is not None:
            self.name = role.title
            key = site.store.operators.add(self.name, role)
            self.headers = {"Authorization": f"Bearer {key}"}
            assert self.http.post("/login", data={"key": key}).status_code == 303
            session = site.store.operators.session(self.http.cookies["graphldp_session"])
            assert session is not None
            self.csrf = session.csrf

    def go(self, way: Way) -> httpx.Response:
        if way.method == "GET":
            return self.http.get(way.address, headers=self.headers)
        if way.path.startswith("/v1/"):
            return self.http.request(way.method, way.address, headers=self.headers, json={"name": "Other"})
        return self.http.request(way.method, way.address, data={"csrf": self.csrf})


def guarded(site: Site) -> list[Way]:
    """The ways that are neither for anybody nor for holders of a token, but for the way out."""
    found = [way for way in ways(site.store) if way.path not in PUBLIC and not way.path.startswith("/v1/communities/")]
    return [way for way in found if way.path != "/logout"]


def contents(site: Site) -> dict[str, list[Any]]:
    tables = [table for table in schema.metadata.sorted_tables if table.name not in _NOT_COMPARED]
    with transaction(site.store.engine) as connection:
        return {table.name: sorted(map(tuple, connection.execute(select(table))), key=repr) for table in tables}


@pytest.mark.attack("collector")
def test_a_stranger_gets_nowhere(site: Site) -> None:
    """Come in without a key, or with a member's token, by any route."""
    before, stranger = contents(site), Visitor(site, None)
    for way in guarded(site):
        answer = stranger.go(way)
        to_login = answer.status_code == 303 and answer.headers["location"] == "/login"
        assert to_login or answer.status_code in (401, 403), way
    assert contents(site) == before


@pytest.mark.attack("collector")
def test_a_members_token_gets_nowhere(site: Site) -> None:
    """Come in without a key, or with a member's token, by any route."""
    before, member = contents(site), Visitor(site, None)
    member.headers = {"Authorization": f"Bearer {site.tokens[0]}"}
    for way in guarded(site):
        answer = member.go(way)
        assert answer.status_code in (303, 401, 403), way
        assert answer.headers.get("location") in (None, "/login"), way
    assert contents(site) == before


@pytest.mark.attack("collector")
def test_a_viewer_sees_and_changes_nothing(site: Site) -> None:
    """Act beyond one's role, by any route of the dashboard or the API."""
    viewer = Visitor(site, Role.VIEWER)
    before = contents(site)
    for way in guarded(site):
        answer = viewer.go(way)
        if way.method == "GET" and not way.path.endswith(TAKES_OUT) and not way.path.startswith(FOR_ADMINISTRATORS):
            assert answer.status_code not in (401, 403), way
            assert answer.headers.get("location") != "/login", way
        else:
            assert answer.status_code in (403, 422), way
    assert contents(site) == before
    done = [each for each in site.store.audit_log.entries() if each.actor == viewer.name and each.outcome == "begun"]
    assert {each.action for each in done} <= {"operator.log-in"}


@pytest.mark.parametrize("role", [Role.OPERATOR, Role.ADMINISTRATOR])
def test_who_may_change_something_is_not_turned_away(site: Site, role: Role) -> None:
    visitor = Visitor(site, role)
    for way in guarded(site):
        answer = visitor.go(way)
        if way.path.startswith(FOR_ADMINISTRATORS) and role < Role.ADMINISTRATOR:
            assert answer.status_code in (403, 422), way
        else:
            assert answer.status_code not in (401, 403), way
        assert answer.headers.get("location") != "/login", way
