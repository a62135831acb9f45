"""Two doors: what is for operators is not at the members' door."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from tests.collector.http.routes import ways
from tests.collector.people import report
from tests.collector.site import SETTINGS, Site, problem

from graphldp import wire
from graphldp.collector.http.app import create_app
from graphldp.collector.http.listeners import TwoDoors
from graphldp.collector.settings import door, load_settings
from graphldp.collector.storage.store import Store
from graphldp.errors import ParameterError

FOR_ANYBODY = {"/", "/how", "/play", "/join", "/join/{name}", "/healthz", "/livez", "/readyz", "/openapi.json"}
FOR_ANYBODY |= {"/v1/reports:batch", "/static"}
SPELLINGS = ("/dashboard", "//dashboard", "/join/../login", "/static/%2e%2e/metrics", "/METRICS", "/join\n/../metrics")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    made = Site(tmp_path_factory.mktemp("site"), {**SETTINGS, "admin_listen": "127.0.0.1:0"})
    with made.collector:
        yield made
    made.http.close()
    made.store.close()


@pytest.fixture(scope="module")
def operators(site: Site) -> str:
    """The address of the operators' door."""
    assert site.collector.process is not None
    assert site.collector.process.stdout is not None
    return site.collector.process.stdout.readline().split()[-1]


def test_only_what_is_for_anybody_is_at_the_first_door(site: Site, operators: str) -> None:
    """Every route of the application: a new one is behind the second door until it is let out, here and there."""
    there = set()
    for method, path, address in ways(site.store):
        first = site.http.request(method, f"{site.collector.url}{address}")
        if path in FOR_ANYBODY or path.startswith("/v1/communities/"):
            there.add(path)
            second = site.http.request(method, f"{operators}{address}")
            assert first.status_code == second.status_code, address
        else:
            assert problem(first) == (404, "not-found"), address
    assert there >= FOR_ANYBODY - {"/livez", "/readyz"}
    for path, status in (("/metrics", 200), ("/dashboard", 303), ("/login", 200)):
        assert site.http.get(f"{operators}{path}").status_code == status


@pytest.mark.parametrize("path", SPELLINGS)
def test_no_spelling_and_no_header_opens_the_other_door(site: Site, operators: str, path: str) -> None:
    host = operators.removeprefix("http://")
    headers = {"Host": host, "X-Forwarded-Host": host, "X-Forwarded-Port": host.split(":")[1]}
    request = site.http.build_request("GET", site.collector.url, headers=headers)
    request.extensions = {"target": path.replace("\n", "%0A").encode()}
    answer = site.http.send(request)
    assert answer.status_code == 404
    assert "graphldp_requests" not in answer.text


def test_members_are_not_sent_to_the_operators_door(site: Site, operators: str) -> None:
    """Her browser is at her own door, which is no address for a link: she is asked for the members' one."""
    key = site.store.operators.add("ann")
    at = "/v1/operator/communities/cats/invitations"
    none = httpx.Limits(max_keepalive_connections=0)
    with httpx.Client(base_url=operators, headers={"Authorization": f"Bearer {key}"}, limits=none) as http:
        refused = http.post(at, json={"server": operators, "users": [1]})
        assert problem(refused) == (409, "refused")
        assert "operators' address" in refused.json()["detail"]
        http.post("/login", data={"key": key})
        session = site.store.operators.session(http.cookies["graphldp_session"])
        assert session is not None
        page = "/dashboard/communities/cats/invite"
        assert operators not in http.get(page).text
        form = {"csrf": session.csrf, "who": "slots", "slots": "1", "as": "csv"}
        assert http.post(page, data=form | {"server": operators}).status_code == 422
        assert site.store.holder(site.cats, site.tokens[1]) == 1  # her old link still opens
        made = http.post(page, data=form | {"server": site.collector.url})
        assert f"{site.collector.url}/join#1." in made.text


def test_reports_are_taken_at_both_doors(site: Site, operators: str) -> None:
    for user, url in ((3, site.collector.url), (4, operators)):
        headers = {"Authorization": f"Bearer {site.tokens[user]}", "Content-Type": wire.MEDIA_TYPE}
        sent = site.http.put(f"{url}/v1/communities/cats/reports/{user}", content=report(user), headers=headers)
        assert sent.status_code == 201


def test_with_one_address_everything_is_there(tmp_path: Path) -> None:
    store = Store.open(f"sqlite:///{tmp_path / 'collector.db'}")
    assert not isinstance(create_app(load_settings({}, {}), store), TwoDoors)
    assert isinstance(create_app(load_settings({"admin_listen": "127.0.0.1:8471"}, {}), store), TwoDoors)
    store.close()


def test_addresses_to_listen_on() -> None:
    assert (door("127.0.0.1:8471"), door("[::1]:0")) == (("127.0.0.1", 8471), ("::1", 0))
    for wrong in ("8471", ":8471", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:65536"):
        with pytest.raises(ParameterError, match="'admin_listen' parameter"):
            load_settings({"admin_listen": wrong}, {})
