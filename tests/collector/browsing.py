"""A browser for the tests of pages: Debian's Chromium, which may reach the collector and nothing else.

Its headless shell is the same engine without a window's interface, and takes a quarter of the processor's time.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, BrowserContext, Page, expect

CHROMIUM = shutil.which("chromium-headless-shell") or shutil.which("chromium")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-dev-shm-usage"]
expect.set_options(timeout=60_000)  # a page's own limit does not hold for what is expected of it


@contextmanager
def window(browser: Browser, url: str) -> Iterator[BrowserContext]:
    """A fresh browser window that may reach the collector and nothing else, and must not break its own policy."""
    made = browser.new_context(base_url=url)
    asked: list[str] = []
    made.on("request", lambda request: asked.append(request.url))
    complaints: list[str] = []
    made.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    yield made
    made.close()
    assert all(each.startswith(url) for each in asked)
    assert [said for said in complaints if not said.startswith("Failed to load resource: the server responded")] == []


def opened(context: BrowserContext) -> Page:
    """A page whose waits end on a busy machine too."""
    made = context.new_page()
    made.set_default_timeout(60_000)
    return made


def log_in(page: Page, key: str) -> None:
    page.goto("/login")
    page.get_by_label("Operator key").fill(key)
    page.get_by_role("button", name="Log in").click()
