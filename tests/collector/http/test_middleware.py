"""What is for operators is not at the members' address, and a page of one other origin may ask the API."""

from __future__ import annotations

import base64
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import sync_playwright
from tests.collector.browsing import CHROMIUM, FLAGS
from tests.collector.http.routes import ways
from tests.collector.people import report
from tests.collector.site import SETTINGS, Site, problem

from graphldp import wire
from graphldp.collector.app import create_app
from graphldp.collector.http.middleware import TwoAddresses
from graphldp.collector.settings import listen_address, load_settings
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
    """The operators' address."""
    assert site.collector.process is not None
    assert site.collector.process.stdout is not None
    return site.collector.process.stdout.readline().split()[-1]


def test_only_what_is_for_anybody_is_at_the_members_address(site: Site, operators: str) -> None:
    """Every route of the application: a new one is at the operators' address alone until a row says otherwise."""
    there = set()
    for method, path, address, _ in ways(site.store):
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


@pytest.mark.attack("collector")
@pytest.mark.parametrize("path", SPELLINGS)
def test_no_spelling_and_no_header_opens_the_other_address(site: Site, operators: str, path: str) -> None:
    """Reach dashboard or metrics from the members' address, by headers or odd spellings."""
    host = operators.removeprefix("http://")
    headers = {"Host": host, "X-Forwarded-Host": host, "X-Forwarded-Port": host.split(":")[1]}
    request = site.http.build_request("GET", site.collector.url, headers=headers)
    request.extensions = {"target": path.replace("\n", "%0A").encode()}
    answer = site.http.send(request)
    assert answer.status_code == 404
    assert "graphldp_requests" not in answer.text


@pytest.mark.attack("collector")
def test_members_are_not_sent_to_the_operators_address(site: Site, operators: str) -> None:
    """Invitations that lead members to the operators' address.

    Her browser is at the operators' address, which is none for a link: she is asked for the members' one.
    """
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


def test_reports_are_taken_at_both_addresses(site: Site, operators: str) -> None:
    for user, url in ((3, site.collector.url), (4, operators)):
        headers = {"Authorization": f"Bearer {site.tokens[user]}", "Content-Type": wire.MEDIA_TYPE}
        sent = site.http.put(f"{url}/v1/communities/cats/reports/{user}", content=report(user), headers=headers)
        assert sent.status_code == 201


def test_with_one_address_everything_is_there(tmp_path: Path) -> None:
    store = Store.open(f"sqlite:///{tmp_path / 'collector.db'}")
    assert not isinstance(create_app(load_settings({}, {}), store), TwoAddresses)
    assert isinstance(create_app(load_settings({"admin_listen": "127.0.0.1:8471"}, {}), store), TwoAddresses)
    store.close()


def test_addresses_to_listen_on() -> None:
    assert (listen_address("127.0.0.1:8471"), listen_address("[::1]:0")) == (("127.0.0.1", 8471), ("::1", 0))
    for wrong in ("8471", ":8471", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:65536"):
        with pytest.raises(ParameterError, match="'admin_listen' parameter"):
            load_settings({"admin_listen": wrong}, {})


class Blank(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!doctype html><title>elsewhere</title>")

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture(scope="module")
def elsewhere() -> Iterator[int]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Blank) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_address[1]
        server.shutdown()


@pytest.fixture(scope="module")
def hosted(tmp_path_factory: pytest.TempPathFactory, elsewhere: int) -> Iterator[Site]:
    own = {"page_origin": f"http://127.0.0.1:{elsewhere}", "token_per_minute": 6}
    made = Site(tmp_path_factory.mktemp("site"), SETTINGS | own)
    with made.collector:
        yield made
    made.http.close()
    made.store.close()


ASK = """async ([method, address, headers, body]) => {
  const bytes = body && Uint8Array.from(atob(body), (c) => c.charCodeAt(0));
  try {
    const answer = await fetch(address, { method, headers, body: bytes });
    return [answer.status, await answer.text(), answer.headers.get('retry-after')];
  } catch (error) { return error.name; }
}"""


@pytest.mark.attack("collector")
def test_in_a_browser(hosted: Site, elsewhere: int) -> None:
    """A page of another origin that uses a member's browser to talk to the API."""
    if CHROMIUM is None:
        pytest.skip("needs Chromium (Debian: apt-get install chromium-headless-shell)")
    community = f"{hosted.collector.url}/v1/communities/cats"
    token = {"Authorization": f"Bearer {hosted.tokens[4]}"}
    sent = base64.b64encode(report(4)).decode()
    put = ["PUT", f"{community}/reports/4?epoch=1", token | {"Content-Type": wire.MEDIA_TYPE}, sent]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        other = browser.new_page()
        other.goto(f"http://localhost:{elsewhere}/")  # the same server under another name: another origin
        assert other.evaluate(ASK, put) == "TypeError"
        assert other.evaluate(ASK, ["GET", f"{hosted.collector.url}/healthz", {}, None]) == "TypeError"
        assert list(hosted.store.stored(hosted.cats)) == []  # the report never left the browser
        page = browser.new_page()
        page.goto(f"http://127.0.0.1:{elsewhere}/")
        status, text, _ = page.evaluate(ASK, ["GET", community, token, None])
        assert status == 200
        assert '"roster"' in text
        assert page.evaluate(ASK, put)[0] == 201
        assert page.evaluate(ASK, [*put[:3], base64.b64encode(report(4, degree=9)).decode()])[0] == 409
        assert page.evaluate(ASK, ["DELETE", f"{community}/reports/4", token, None])[0] == 204
        answers = [page.evaluate(ASK, ["GET", community, token, None]) for _ in range(4)]
        assert (answers[-1][0], answers[-1][2].isdigit()) == (429, True)  # it reads how long to wait
        for closed in ("/healthz", "/", "/login"):  # the API, and nothing else
            assert page.evaluate(ASK, ["GET", f"{hosted.collector.url}{closed}", {}, None]) == "TypeError"
        browser.close()


def test_a_preflight_allows_what_a_client_needs_and_no_cookies(hosted: Site, elsewhere: int) -> None:
    address = f"{hosted.collector.url}/v1/communities/cats/reports/4"

    def ask(origin: str, method: str = "PUT", headers: str = "authorization,content-type") -> httpx.Response:
        asked = {"Origin": origin, "Access-Control-Request-Method": method, "Access-Control-Request-Headers": headers}
        return hosted.http.options(address, headers=asked)

    own = f"http://127.0.0.1:{elsewhere}"
    assert ask(own).headers["access-control-allow-origin"] == own
    assert "access-control-allow-credentials" not in ask(own).headers
    for origin in (f"http://localhost:{elsewhere}", "null", f"{own}.example.org", own.replace("http", "https")):
        assert "access-control-allow-origin" not in ask(origin).headers
        assert "access-control-allow-origin" not in hosted.http.get(address, headers={"Origin": origin}).headers
    assert ask(own, "POST").status_code == ask(own, headers="x-other").status_code == 400
    assert hosted.http.get(address, headers={"Origin": own}).headers["vary"] == "Origin"


@pytest.mark.attack("collector")
def test_without_the_setting_no_origin_may(tmp_path: Path) -> None:
    """A page of another origin that uses a member's browser to talk to the API."""
    hosted = Site(tmp_path, SETTINGS)
    with hosted.collector:
        answer = hosted.http.get(f"{hosted.collector.url}/v1/communities/cats", headers={"Origin": "https://a.example"})
        assert not any(name.startswith("access-control") for name in answer.headers)
    hosted.http.close()
    hosted.store.close()
