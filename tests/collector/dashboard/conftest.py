"""Collectors for all tests of pages that change nothing for each other, and a browser window for each test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright
from tests.collector.browsing import CHROMIUM, FLAGS, opened, window
from tests.collector.dashboard.site import Site
from tests.collector.operator_site import OperatorSite


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Closed with its module: while it runs, no other test of this process can have an event loop."""
    if CHROMIUM is None:
        pytest.skip("needs Chromium (Debian: apt-get install chromium-headless-shell)")
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield launched
        launched.close()


@pytest.fixture(scope="package")
def staffed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OperatorSite]:
    made = OperatorSite(tmp_path_factory.mktemp("site"))
    with made.collector, made.http:
        yield made
    made.store.close()


@pytest.fixture(scope="package")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    made = Site(tmp_path_factory.mktemp("site"))
    with made.collector:
        yield made
    made.store.close()


@pytest.fixture
def context(browser: Browser, site: Site) -> Iterator[BrowserContext]:
    with window(browser, site.collector.url) as made:
        yield made


@pytest.fixture
def page(context: BrowserContext) -> Page:
    return opened(context)
