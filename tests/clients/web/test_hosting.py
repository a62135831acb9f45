"""The page on a host of its own (docs/guides/page.md): it asks the collector that its link names, if allowed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from benchmarks.services import Collector
from playwright.sync_api import Browser, expect
from tests.clients.host import Host, running_host
from tests.clients.web.site import CHOICES, ROSTER, Site

from graphldp.client.sending.page import verify_page
from graphldp.collector.storage.store import Store
from graphldp.wire import Invitation, spoken
from graphldp.wire.bundle import BUNDLE_LIST, bundle_digest, installed_bundle


@pytest.fixture(scope="module")
def host() -> Iterator[Host]:
    with running_host() as server:
        yield server


def test_a_page_elsewhere_asks_the_collector_that_allows_it(browser: Browser, host: Host, tmp_path: Path) -> None:
    database = f"sqlite:///{tmp_path / 'collector.db'}"
    store = Store.open(database)
    store.open_community("cats", ROSTER, mechanism="dprr", choices=CHOICES, name="The cat lovers")
    token = store.invite("cats", [4])[4]
    with Collector(database, {"page_origin": host.url}) as collector:
        host.allow(collector.url)
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
    host.allow(site.collector.url)
    page = browser.new_page()
    with page.context.expect_event("requestfailed", timeout=60_000) as failed:
        page.goto(Invitation(site.collector.url, "cats", site.tokens[7]).to_link(host.url))
    assert failed.value.url.startswith(site.collector.url)
    assert "The cat lovers" not in page.content()
    page.close()


@pytest.mark.attack("page")
def test_the_page_is_asked_for_as_this_browser_asks(browser: Browser, host: Host) -> None:
    """A server that hands our page to who does not say what it is for and what asks, as this browser does."""

    def said(path: str) -> dict[str, str]:
        """What a request for a path says of what it is for."""
        head = next(each.removeprefix(path) for each in host.asked if each.startswith(f"{path}Host"))
        fields = dict(line.lower().split(": ", 1) for line in head.splitlines() if line)
        kept = {name: fields[name] for name in fields if name.startswith(("sec-", "upgrade"))}
        return kept | {name: "some" for name in kept if name.startswith("sec-ch")}  # of its own make

    host.restore()
    page = browser.new_page()
    page.goto(f"{host.url}/join")
    page.close()
    script = named("join")
    window, program = said("/join"), said(script)
    host.asked.clear()
    verify_page(host.url)
    assert said("/join") == window
    assert "sec-fetch-mode" in window
    assert said(script).items() <= program.items()


def named(script: str) -> str:
    """The path of a script of the bundle."""
    return next(
        f"/{each}" for each in installed_bundle() if each.startswith(f"join/{script}-") and each.endswith(".js")
    )


@pytest.mark.attack("page")
@pytest.mark.parametrize("script", ["join", "worker"])
def test_another_script_under_our_name_does_not_run(browser: Browser, host: Host, script: str) -> None:
    """A script that is cached or served under a name of ours, and is not ours, does not run."""
    host.restore()
    path = named(script)
    host.files[path] = b"document.title = 'taken'; postMessage({id: 1, value: 'taken'});"
    page = browser.new_page()
    with page.expect_response(lambda answer: answer.url.endswith(path)):
        page.goto(f"{host.url}/join")
    if script == "worker":
        expect(page.get_by_role("alert")).to_contain_text("A part of this page could not be loaded")
    assert page.title() == "Take part"
    assert page.locator("header").count() == (script == "worker")
    page.close()


LEFT_BEHIND = {
    "a database": "new Promise((done) => { indexedDB.open('other').onsuccess = done; }).then(() => undefined)",
    "storage": "localStorage.setItem('a', 'b')",
    "a cache": "caches.open('other').then(() => undefined)",
    "a service worker": "navigator.serviceWorker.register('/worker.js').then(() => undefined)",
}


@pytest.mark.attack("page")
def test_the_page_refuses_an_address_that_something_else_uses(browser: Browser, host: Host) -> None:
    """What another page of our address has left in a browser, such as a service worker, keeps ours from beginning."""
    host.restore()
    host.files |= {"/other": b"<p>Another page.", "/worker.js": b""}
    host.of = {"/worker.js": {"content-type": "text/javascript"}, "/other": {"content-security-policy": ""}}
    for left in LEFT_BEHIND.values():
        context = browser.new_context(locale="en")
        page = context.new_page()
        page.goto(f"{host.url}/other")
        page.evaluate(left)
        page.goto(f"{host.url}/join#a-token/cats")
        expect(page.get_by_role("alert")).to_contain_text("Something else uses this web address")
        context.close()
    assert not [asked for asked in host.asked if "/v1" in asked]


@pytest.mark.attack("page")
def test_the_page_refuses_a_window_that_another_page_holds(browser: Browser, host: Host) -> None:
    """A page that has opened ours, and could talk to it, keeps it from beginning."""
    host.restore()
    host.files["/other"] = b"<p>Another page."
    context = browser.new_context(locale="en")
    page = context.new_page()
    page.goto(f"{host.url}/other")
    with context.expect_page() as opened:
        page.evaluate("{ window.held = open('/join'); undefined }")
    expect(opened.value.get_by_role("alert")).to_contain_text("Another page has opened this one")
    context.close()
