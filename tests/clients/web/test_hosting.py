"""The page on a host of its own, as docs/page.md has it: it asks the collector that its link names, if allowed."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect
from tests.clients.web.site import CHOICES, ROSTER, Site
from tests.collector.services import Collector

from graphldp.client.sending.page import verify_page
from graphldp.collector.storage.store import Store
from graphldp.wire import Invitation, spoken
from graphldp.wire.bundle import BUNDLE_LIST, PAGE, bundle_digest, installed_bundle

TYPES = {"html": "text/html", "js": "text/javascript", "css": "text/css", "svg": "image/svg+xml"}


class Host(ThreadingHTTPServer):
    """The bundle's files, served by somebody else than the collector, with the policy of docs/page.md."""

    collector = ""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _Files(BaseHTTPRequestHandler):
    server: Host

    def do_GET(self) -> None:
        path = PAGE if self.path == "/join" else self.path.removeprefix("/")
        body = installed_bundle().get(path)
        self.send_response(404 if body is None else 200)
        self.send_header("Content-Type", TYPES.get(path.rpartition(".")[2], "application/json"))
        policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; worker-src 'self'"
        self.send_header("Content-Security-Policy", f"{policy}; connect-src 'self' {self.server.collector}")
        self.end_headers()
        self.wfile.write(body or b"")

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture(scope="module")
def host() -> Iterator[Host]:
    with Host(("127.0.0.1", 0), _Files) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def test_a_page_elsewhere_asks_the_collector_that_allows_it(browser: Browser, host: Host, tmp_path: Path) -> None:
    database = f"sqlite:///{tmp_path / 'collector.db'}"
    store = Store.open(database)
    store.open_community("cats", ROSTER, mechanism="dprr", choices=CHOICES, name="The cat lovers")
    token = store.invite("cats", [4])[4]
    with Collector(database, {"page_origin": host.url}) as collector:
        host.collector = collector.url
        page = browser.new_page()
        page.goto(Invitation(collector.url, "cats", token).to_link(host.url))
        expect(page.locator("main")).to_contain_text("The cat lovers", timeout=60_000)
        digest = spoken(bundle_digest(installed_bundle()[BUNDLE_LIST]))
        expect(page.locator("body")).to_contain_text(digest)
        assert token not in page.url
        page.close()
        assert verify_page(host.url).same
    store.close()


def test_a_collector_that_does_not_allow_it_tells_it_nothing(browser: Browser, host: Host, site: Site) -> None:
    host.collector = site.collector.url
    page = browser.new_page()
    with page.context.expect_event("requestfailed", timeout=60_000) as failed:
        page.goto(Invitation(site.collector.url, "cats", site.tokens[7]).to_link(host.url))
    assert failed.value.url.startswith(site.collector.url)
    assert "The cat lovers" not in page.content()
    page.close()
