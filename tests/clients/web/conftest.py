"""The browser client's core as a program, and browsers, with a collector."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, sync_playwright
from tests.clients.web.member import Member
from tests.clients.web.site import Site
from tests.collector.browsing import CHROMIUM, FLAGS

INSECURE = "insecure.example"  # this machine under a name, over http: a browser gives such a page no WebCrypto


@pytest.fixture(scope="session")
def core(web: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The core as a program for Node, see ``clients/web/tests/compare.ts``."""
    folder = tmp_path_factory.mktemp("core")
    build = ["node_modules/.bin/vite", "build", "--ssr", "tests/compare.ts", "--outDir", str(folder)]
    subprocess.run([*build, "--emptyOutDir", "--logLevel", "warn"], cwd=web, check=True, capture_output=True)
    return folder / "compare.js"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Closed with each file: while it runs, no other test of this process can have an event loop."""
    if CHROMIUM is None:
        pytest.skip("needs Chromium (Debian: apt-get install chromium-headless-shell)")
    with sync_playwright() as playwright:
        flags = [*FLAGS, f"--host-resolver-rules=MAP {INSECURE} 127.0.0.1"]
        launched = playwright.chromium.launch(executable_path=CHROMIUM, args=flags)
        yield launched
        launched.close()


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    made = Site(tmp_path_factory.mktemp("site"))
    with made.collector:
        yield made
    made.store.close()


@pytest.fixture
def new_context(browser: Browser, site: Site) -> Iterator[Callable[..., BrowserContext]]:
    """Fresh browser profiles, whose pages may reach the collector and nothing else, and must keep to their policy."""
    made: list[BrowserContext] = []
    asked: list[str] = []
    complaints: list[str] = []

    def make(**options: Any) -> BrowserContext:
        context = browser.new_context(base_url=site.collector.url, **options)
        context.on("request", lambda request: asked.append(request.url))
        context.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
        context.on("weberror", lambda error: complaints.append(str(error.error)))
        made.append(context)
        return context

    yield make
    for context in made:
        context.close()
    allowed = (site.collector.url, site.collector.url.replace("127.0.0.1", INSECURE), "blob:")
    assert all(url.startswith(allowed) for url in asked)
    # what was refused, and what a browser says of a page over http
    expected = ("Failed to load resource", "The Cross-Origin-Opener-Policy header has been ignored")
    assert [said for said in complaints if not said.startswith(expected)] == []


@pytest.fixture
def new_member(new_context: Callable[..., BrowserContext], site: Site) -> Callable[..., Member]:
    """Members by their number, each in a profile of her own."""

    def make(user: int, **options: Any) -> Member:
        return Member(new_context(locale="en"), site.link(user), **options)

    return make
