"""A page of one other origin may use the API, in a real browser. Any other may not, and nothing else may be read."""

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
from tests.collector.people import report
from tests.collector.site import SETTINGS, Site

from graphldp import wire


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
def site(tmp_path_factory: pytest.TempPathFactory, elsewhere: int) -> Iterator[Site]:
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


def test_in_a_browser(site: Site, elsewhere: int) -> None:
    if CHROMIUM is None:
        pytest.skip("needs Chromium (Debian: apt-get install chromium)")
    community = f"{site.collector.url}/v1/communities/cats"
    token = {"Authorization": f"Bearer {site.tokens[4]}"}
    sent = base64.b64encode(report(4)).decode()
    put = ["PUT", f"{community}/reports/4?epoch=1", token | {"Content-Type": wire.MEDIA_TYPE}, sent]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        other = browser.new_page()
        other.goto(f"http://localhost:{elsewhere}/")  # the same server under another name: another origin
        assert other.evaluate(ASK, put) == "TypeError"
        assert other.evaluate(ASK, ["GET", f"{site.collector.url}/healthz", {}, None]) == "TypeError"
        assert list(site.store.stored(site.cats)) == []  # the report never left the browser
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
            assert page.evaluate(ASK, ["GET", f"{site.collector.url}{closed}", {}, None]) == "TypeError"
        browser.close()


def test_a_preflight_allows_what_a_client_needs_and_no_cookies(site: Site, elsewhere: int) -> None:
    address = f"{site.collector.url}/v1/communities/cats/reports/4"

    def ask(origin: str, method: str = "PUT", headers: str = "authorization,content-type") -> httpx.Response:
        asked = {"Origin": origin, "Access-Control-Request-Method": method, "Access-Control-Request-Headers": headers}
        return site.http.options(address, headers=asked)

    own = f"http://127.0.0.1:{elsewhere}"
    assert ask(own).headers["access-control-allow-origin"] == own
    assert "access-control-allow-credentials" not in ask(own).headers
    for origin in (f"http://localhost:{elsewhere}", "null", f"{own}.example.org", own.replace("http", "https")):
        assert "access-control-allow-origin" not in ask(origin).headers
        assert "access-control-allow-origin" not in site.http.get(address, headers={"Origin": origin}).headers
    assert ask(own, "POST").status_code == ask(own, headers="x-other").status_code == 400
    assert site.http.get(address, headers={"Origin": own}).headers["vary"] == "Origin"


def test_without_the_setting_no_origin_may(tmp_path: Path) -> None:
    site = Site(tmp_path, SETTINGS)
    with site.collector:
        answer = site.http.get(f"{site.collector.url}/v1/communities/cats", headers={"Origin": "https://a.example"})
        assert not any(name.startswith("access-control") for name in answer.headers)
    site.http.close()
    site.store.close()
