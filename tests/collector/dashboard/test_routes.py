"""Playing with ε, in Chromium."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect
from tests.collector.browsing import opened, window
from tests.collector.dashboard.site import Site

import graphldp as gl
from graphldp import wire
from graphldp.client.explain import PRIORS, conclude


@pytest.fixture(scope="module")
def page(browser: Browser, site: Site) -> Iterator[Page]:
    """One window for all: each test loads the page anew, and nothing stays."""
    with window(browser, site.collector.url) as context:
        yield opened(context)


def test_playing_with_epsilon(page: Page) -> None:
    page.goto("/play")
    people = page.get_by_role("list", name="The 119 others in the community").get_by_role("listitem")
    expect(people).to_have_count(119)
    expect(page.locator("#summary")).to_contain_text(
        "Ada has 10 friends. Her report names nobody. It says that she has"
    )
    fields = page.locator("main input, main textarea, main select, main [contenteditable]")
    assert {each.get_attribute("type") for each in fields.all()} == {"range", "radio"}  # no field takes a list
    page.get_by_role("radio", name=re.compile("^RR")).check()
    page.get_by_role("slider").fill("8")
    expect(page.locator("#epsilon-out")).to_have_text("8.0")
    # at ε = 8 a bit flips with probability 1/2,982: all ten friends stay in one draw of 298 or more, so five tries
    # without any that shows all of them happen once in 10¹²
    for _ in range(5):
        if page.locator(".people .kept").count() == 10:
            break
        page.get_by_role("button", name="Draw again").click()
    expect(page.locator(".people .kept")).to_have_count(10)
    expect(page.get_by_text("10% likely beforehand becomes 0.0% to 99.7% likely.")).to_be_visible()
    page.get_by_role("slider").fill("0.2")
    expect(page.get_by_text("10% likely beforehand becomes 8.3% to 11.9% likely.")).to_be_visible()


def test_the_same_in_german(page: Page) -> None:
    page.goto("/play?lang=de")
    expect(page.locator("#summary")).to_contain_text(
        "Ada hat 10 Freunde. Ihr Bericht nennt niemanden. Er sagt, dass sie"
    )
    expect(page.get_by_text("Aus 10 % vorher werden 3,9 % bis 23,2 %.")).to_be_visible()
    assert page.evaluate("document.documentElement.lang") == "de"


def numbers(text: str) -> list[float]:
    return [float(each.replace(",", "")) for each in re.findall(r"-?[0-9][0-9,]*(?:\.[0-9]+)?", text)]


@pytest.mark.parametrize("epsilon", [0.5, 2.0, 4.0])
@pytest.mark.parametrize("mechanism", ["recommended", "dprr", "rr"])
def test_playing_tells_the_numbers_that_the_client_tells(page: Page, mechanism: str, epsilon: float) -> None:
    """What the page shows, as a report, and what the client concludes from the same report."""
    page.goto("/play")
    for person in ("ada", "bea"):
        page.locator(f"input[value={mechanism}]").check()
        page.locator(f"input[value={person}]").check()
        page.get_by_role("slider").fill(str(epsilon))
        summary = page.locator("#summary").text_content() or ""
        told = re.search(r"says that she has (-?[0-9]+) friends", summary)
        degree, listed = int(told[1]) if told else None, "names nobody" not in summary
        name = mechanism if mechanism != "recommended" else gl.recommended(epsilon).mechanism.origin.name
        spent = {"rr": (0.0, epsilon), "noisy-degrees": (epsilon, 0.0)}.get(name, (0.2 * epsilon, 0.8 * epsilon))
        if name == "hub-lists":
            assert listed == ("looks like a hub" in summary)
            assert not listed or (degree or 0) >= 81
            spent = spent if listed else (epsilon, 0.0)
        assert listed == (spent[1] > 0)
        spent = (round(spent[0], 6), round(spent[1], 6))
        expected = conclude(wire.Report(name, 120, 0, *spent, degree, np.zeros(0, np.int32)))
        odds = [0.1 / 0.9 * factor for factor in (1 / expected.group_factor(10), expected.group_factor(10))]
        together = [100 * each / (1 + each) for each in odds]
        assert numbers(page.locator("#group").text_content() or "") == pytest.approx([10, 10, *together], abs=0.06)
        beliefs = [numbers(each) for each in page.locator("#beliefs li").all_text_contents()]
        for prior, shown in zip(PRIORS, beliefs, strict=True):
            assert shown == pytest.approx([100 * p for p in (prior, *expected.believes(prior))], abs=0.06)
        factors = numbers(page.locator("#listing").text_content() or "")
        if listed:
            wanted = [expected.listed_factor, expected.unlisted_factor]
            assert factors == pytest.approx(wanted + [expected.degree_factor] * (spent[0] > 0), rel=1e-3)
        else:
            assert (factors, expected.listed_factor) == ([], None)
