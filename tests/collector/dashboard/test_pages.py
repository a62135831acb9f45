"""All pages, in Chromium. They are for whom they should be, fit, and can be read."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect
from tests.collector.browsing import log_in
from tests.collector.dashboard.site import Site

from graphldp.collector.dashboard.pages import Templates
from graphldp.collector.settings import load_settings


def test_pages_are_for_operators(page: Page, site: Site) -> None:
    ways = ("", "/invite", "/delete", "/export")
    of_cats = [f"/dashboard/communities/cats{way}" for way in ways]
    for address in ("/dashboard", "/dashboard/runs", "/dashboard/new", "/dashboard/classes", *of_cats):
        page.goto(address)
        expect(page).to_have_url(re.compile("/login$"))
    log_in(page, site.tokens[0])  # a user's token opens no page
    expect(page.get_by_role("alert")).to_have_text("This is no operator’s key.")
    log_in(page, site.key)
    expect(page.get_by_role("heading", level=1)).to_have_text("Communities")
    page.get_by_role("button", name="Log out").click()
    page.goto("/dashboard")
    expect(page).to_have_url(re.compile("/login$"))


def test_the_start_page_is_for_members(page: Page, site: Site) -> None:
    page.goto("/")
    expect(page.get_by_role("heading", level=1)).to_have_text("Take part without telling who your friends are")
    expect(page.get_by_role("region", name="Who runs this server")).to_contain_text("The cats’ club.")
    expect(page.get_by_role("link", name="club@cats.example")).to_have_attribute("href", "mailto:club@cats.example")
    for link, heading in (("How it works", "How it works"), ("See it with an invented list", "Play with ε")):
        page.goto("/")
        page.get_by_role("main").get_by_role("link", name=link, exact=True).click()
        expect(page.get_by_role("heading", level=1)).to_have_text(heading)
    page.get_by_role("link", name="For operators: log in").click()
    expect(page).to_have_url(re.compile("/login$"))
    page.goto("/how")  # the numbers are those of docs/concepts/epsilon.md
    expect(page.get_by_role("row").nth(3)).to_have_text(re.compile(r"^\s*1\s*23.2 %\s*73.1 %"))


@pytest.mark.parametrize("address", ["/", "/how", "/play"])
def test_members_read_their_own_language_on_a_phone(browser: Browser, site: Site, address: str) -> None:
    """By what their browser asks for, or by the link on the page; nothing sticks out sideways at 390 pixels."""
    with browser.new_context(
        base_url=site.collector.url, locale="de-AT", viewport={"width": 390, "height": 844}
    ) as own:
        page = own.new_page()
        for lang, other in (("de", "English"), ("en", "Deutsch")):
            page.goto(address) if lang == "de" else None
            assert page.evaluate("[document.documentElement.lang, document.documentElement.scrollWidth]") == [lang, 390]
            table = page.locator("table")
            assert table.count() == 0 or table.evaluate("(each) => each.scrollWidth <= each.parentElement.clientWidth")
            page.get_by_role("link", name=other).click()
        expect(page.locator("html")).to_have_attribute("lang", "de")


@pytest.mark.parametrize(("contact", "link"), [("javascript:alert(1)", 0), ("https://cats.example/us", 1), ("", 0)])
def test_a_contact_is_a_link_only_where_it_is_one(contact: str, link: int) -> None:
    text = Templates(load_settings({"contact": contact}, {})).render("start.html")
    assert text.count(f'href="{contact}"') == link
    assert contact in text


def test_errors_are_pages_for_people_and_problems_for_programs(page: Page, site: Site) -> None:
    missing = page.goto("/nothing/here")
    assert missing is not None
    assert missing.status == 404
    expect(page.get_by_role("heading", level=1)).to_have_text("There is nothing at this address.")
    expect(page.get_by_text("open the link that you were sent")).to_be_visible()
    page.get_by_role("link", name="To the start").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Take part without telling who your friends are")
    entered = page.goto("/v1/communities/cats")  # a person may open any address
    assert entered is not None
    assert (entered.status, entered.headers["content-type"]) == (401, "text/html; charset=utf-8")
    assert "default-src 'none'" in entered.headers["content-security-policy"]
    for accept in ("*/*", "application/json", ""):
        answer = httpx.get(f"{site.collector.url}/nothing/here", headers={"Accept": accept})
        assert (answer.status_code, answer.headers["content-type"]) == (404, "application/problem+json")
    wrong = httpx.post(f"{site.collector.url}/dashboard/communities/cats/close", headers={"Accept": "text/html"})
    assert (wrong.status_code, "Go back, load the page again" in wrong.text) == (403, True)


def test_axe_finds_nothing(page: Page, site: Site, web: Path) -> None:
    script = web / "node_modules" / "axe-core" / "axe.min.js"
    for address in ("/", "/how", "/login", "/nothing/here", "/play"):
        page.goto(address)
        page.evaluate(script.read_text("utf-8"))
        found = page.evaluate("axe.run().then((done) => done.violations.map((each) => each.id + each.nodes[0].html))")
        assert found == [], address


def test_no_page_carries_a_token_or_a_list(page: Page, site: Site) -> None:
    log_in(page, site.key)
    for address in ("/dashboard", "/dashboard/communities/cats", "/dashboard/runs", "/play"):
        page.goto(address)
        content = page.content()
        assert not any(token.partition(".")[2] in content for token in site.tokens.values())
        assert site.key not in content
    cookie = page.context.cookies()[0]
    assert cookie["httpOnly"]
    assert cookie["sameSite"] == "Strict"


def test_everything_is_reached_by_keyboard(page: Page, site: Site) -> None:
    page.goto("/login")
    expect(page.get_by_label("Operator key")).to_be_focused()
    page.keyboard.type(site.key)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Communities")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()
    focused = set()
    for _ in page.locator("main").locator("a, button, input, select, summary, [tabindex='0']").all():
        page.keyboard.press("Tab")
        focused.add(page.evaluate("document.activeElement.textContent.trim()"))
    assert "cats" in focused


OPEN = ("/login", "/", "/how", "/nothing/here", "/play")
OF_CATS = [f"/dashboard/communities/cats{way}" for way in ("", "/invite", "/delete")]
FOR_OPERATORS = (
    *("/dashboard", *OF_CATS, "/dashboard/communities/ants", "/dashboard/runs", "/dashboard/new", "/dashboard/jobs"),
    *("/dashboard/operators", "/dashboard/log", "/dashboard/classes"),
)


def test_pages_fit_and_can_be_read(page: Page, site: Site) -> None:
    """Nothing sticks out sideways, and text stands out from its ground by 4.5 to 1 (WCAG AA).

    On a desk and on a phone, in light and in dark colours. Each page is loaded once.
    """
    schemes: tuple[Literal["light", "dark"], ...] = ("light", "dark")
    for address in (*OPEN, *FOR_OPERATORS):
        if address == FOR_OPERATORS[0]:
            log_in(page, site.key)
        page.goto(address)
        assert page.locator("h1").count() == 1, address
        assert page.evaluate("[...document.querySelectorAll('img')].every(i => i.hasAttribute('alt'))"), address
        for width in (1100, 390):
            page.set_viewport_size({"width": width, "height": 900})
            assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), (address, width)
            for scheme in schemes:
                page.emulate_media(color_scheme=scheme, reduced_motion="reduce")  # colours change at once
                assert page.evaluate(LOWEST_CONTRAST) >= 4.5, (address, width, scheme)


LOWEST_CONTRAST = """() => {
  const parse = (c) => c.match(/[\\d.]+/g).map(Number);
  const light = (c) => {
    const linear = (v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    const [r, g, b] = parse(c).map((v) => linear(v / 255));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (e) => {
    for (; e; e = e.parentElement) {
      const c = getComputedStyle(e).backgroundColor;
      if (parse(c)[3] !== 0) return c;
    }
    return 'rgb(255, 255, 255)';
  };
  let lowest = 21;
  for (const e of document.querySelectorAll('body *')) {
    const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
    if (!own || !e.checkVisibility() || e.closest('svg')) continue;
    const [a, b] = [light(getComputedStyle(e).color), light(ground(e))].sort((x, y) => y - x);
    lowest = Math.min(lowest, (a + 0.05) / (b + 0.05));
  }
  return lowest;
}"""
