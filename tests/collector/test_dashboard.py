"""The pages, in Chromium."""

from __future__ import annotations

import html
import math
import re
import socket
import time
from collections.abc import Iterator
from datetime import date, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Literal

import httpx
import numpy as np
import pytest
from fastapi.routing import APIRoute
from hypothesis import given
from hypothesis import strategies as st
from playwright.sync_api import Browser, BrowserContext, Page, expect
from tests.collector.browsing import log_in, opened, window
from tests.collector.people import N, hub_report, open_ants, open_cats, report, submission
from tests.collector.services import Collector

import graphldp as gl
from graphldp import wire
from graphldp.client.explain import PRIORS, conclude
from graphldp.collector.communities.disclosure import LEAST_PER_BAR
from graphldp.collector.communities.friends_by_group import friends_by_group
from graphldp.collector.dashboard import views
from graphldp.collector.dashboard.charts import Histogram, arrivals_chart, histogram
from graphldp.collector.dashboard.jobs import shown_jobs
from graphldp.collector.dashboard.pages import Pages
from graphldp.collector.dashboard.routes import make_router
from graphldp.collector.operators import Session
from graphldp.collector.roles import Actor, Role
from graphldp.collector.settings import load_settings
from graphldp.collector.storage.collecting.listing import Wanted
from graphldp.collector.storage.collecting.tally import Tally
from graphldp.collector.storage.operating.results import Prediction, Run
from graphldp.collector.storage.store import Store
from graphldp.collector.workshop import Workshop
from graphldp.wire import Choice

TEMPLATES = Path(views.__file__).with_name("templates")


class Site:
    """A collector with some history, and an operator."""

    def __init__(self, folder: Path) -> None:
        database = f"sqlite:///{folder / 'collector.db'}"
        self.store = Store.open(database)
        cats, self.tokens = open_cats(self.store)
        dogs, _ = open_cats(self.store, "dogs", label=1)
        self.store.open_community("birds", ["<b>ann</b>", "bob"], mechanism="rr", choices=[_rr()], name="<i>Birds</i>")
        rng = np.random.default_rng(0)
        open_ants(self.store, rng.integers(-2, 6, (N - 10, 3)).tolist())
        degrees = np.rint(8 + 9 * rng.standard_normal(N)).astype(int).tolist()
        self.store.accept(
            [submission(cats, u, self.tokens[u], report(u, degrees[u]), degrees[u]) for u in range(N - 8)]
        )
        self.store.results.set_flags(cats.key, {3: "threshold", 17: "threshold"})
        self.store.results.set_predictions([Prediction(cats.key, 1, 0.87, N - 8, "model.npz", certified=2)])
        settings = {"defense": "none", "seed": 0}
        self.store.results.add_run(Run("older.npz", 40, 2000, 1800, 0.8, settings))
        self.store.results.add_run(Run("model.npz", 40, 2000, 1800, 0.9, settings, held_out=10))
        self.store.close_community(dogs.id)
        self.key = self.store.operators.add("alice", Role.ADMINISTRATOR)
        self.collector = Collector(database, {"run_by": "The cats’ club", "contact": "club@cats.example"})


def _rr() -> Choice:
    return Choice("epsilon-1", 0.0, 1.0)


@pytest.fixture(scope="module")
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


def test_the_front_door_is_for_members(page: Page, site: Site) -> None:
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
    page.goto("/how")  # the numbers are those of docs/client.md
    expect(page.get_by_role("row").nth(3)).to_have_text(re.compile(r"^\s*1\s*2.72\s*23.2 %\s*73.1 %"))


@pytest.mark.parametrize(("contact", "link"), [("javascript:alert(1)", 0), ("https://cats.example/us", 1), ("", 0)])
def test_a_contact_is_a_link_only_where_it_is_one(contact: str, link: int) -> None:
    text = Pages(load_settings({"contact": contact}, {})).render("start.html")
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


def test_what_the_operator_sees(page: Page, site: Site) -> None:
    log_in(page, site.key)
    row = page.get_by_role("row").filter(has_text="cats")
    expect(row).to_contain_text(f"{N - 8} of {N}")
    expect(row).to_contain_text("87 % sure, from 84 % of users")
    expect(page.get_by_role("row").filter(has_text="dogs")).to_contain_text("closed")
    expect(page.get_by_role("link", name="<i>Birds</i>")).to_be_visible()  # names are text, not markup
    row.get_by_role("link", name="cats").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("cats")
    expect(page.get_by_role("img", name=re.compile("Histogram of noisy degrees"))).to_be_visible()
    expect(page.get_by_text("87 % sure")).to_be_visible()
    expect(page.get_by_text("stands whatever up to 2 users send")).to_be_visible()
    expect(page.get_by_role("table", name="Flagged users").get_by_role("row")).to_have_count(3)
    expect(page.get_by_role("row").filter(has_text="public")).to_contain_text("without noise")
    page.get_by_role("link", name="Training runs").click()
    expect(page.get_by_role("row").filter(has_text="model.npz")).to_contain_text("90 % of 10; 55 % to 100 %")
    expect(page.get_by_role("row").filter(has_text="older.npz")).not_to_contain_text("of 10")
    page.goto("/dashboard/communities/birds")
    expect(page.get_by_text("Reports by rr carry no noisy degree.")).to_be_visible()
    page.goto("/dashboard/communities/ants")
    expect(page.get_by_role("img", name=re.compile("Mean number of friends in each group"))).to_be_visible()
    page.get_by_role("region", name="Friends by group").locator("+ details summary").click()
    table = page.get_by_role("table", name="Mean number of friends by group")
    counted = friends_by_group(site.store, site.store.community("ants"), 1)
    assert counted is not None
    for group in counted.groups:
        cells = table.get_by_role("row").filter(has_text=group.name).get_by_role("cell")
        expect(cells).to_have_text([f"{group.mean:.2f}", f"{group.margin:.2f}"])
    answer = page.goto("/dashboard/communities/nothing")
    assert answer is not None
    assert answer.status == 404


def test_an_operator_opens_a_community_and_invites(page: Page, site: Site, tmp_path: Path) -> None:
    """As a new operator would: from the button to a sheet of QR codes, a file for a mail merge, and exports."""
    log_in(page, site.key)
    page.get_by_role("link", name="New community").click()
    page.get_by_label("Name", exact=True).fill("Ünd die Mäuse!")
    page.get_by_label("Or paste the names").fill("ann\nbob\nANN")
    page.get_by_role("button", name="Open the community").click()
    expect(page.get_by_role("alert")).to_contain_text("names 1 and 3 are the same to every client")
    expect(page.get_by_label("Name", exact=True)).to_have_value("Ünd die Mäuse!")
    page.get_by_label("Or paste the names").fill("")
    roster = tmp_path / "mice.csv"
    roster.write_text("name,mail\nann,a@x\n@bob,b@x\ncy,c@x\n")
    page.get_by_label(re.compile("^A file")).set_input_files(roster)
    page.get_by_label("2", exact=True).check()
    page.get_by_label(re.compile("^Its class")).fill("pets")
    page.get_by_label(re.compile("^Delete reports after")).fill("90")
    page.get_by_role("button", name="Open the community").click()
    expect(page).to_have_url(re.compile("/dashboard/communities/und-die-mause$"))
    made = site.store.community("und-die-mause")
    assert ([choice.name for choice in made.choices], made.n) == (["epsilon-1", "epsilon-2"], 3)
    assert (made.retention_days, made.keeps_models) == (90, True)
    expect(page.get_by_text("for 90 days, and what was learned from them for longer")).to_be_visible()
    page.get_by_role("link", name="Invite users").click()
    page.get_by_label(re.compile("sheet of QR")).check()
    page.get_by_role("button", name="Make the invitations").click()
    codes = page.get_by_role("img", name=re.compile("^QR code for"))
    expect(codes).to_have_count(3)
    box = codes.first.locator("svg").bounding_box()
    assert box is not None
    assert box["width"] == box["height"] > 100
    page.goto("/dashboard/communities/und-die-mause/invite")
    page.get_by_label(re.compile("these slots")).check()
    page.get_by_label(re.compile("^Slots")).fill("1-2")
    page.get_by_label(re.compile("^Links that were not used")).fill("14")
    with page.expect_download() as loading:
        page.get_by_role("button", name="Make the invitations").click()
    lines = loading.value.path().read_text().splitlines()
    assert [line.split(",")[:2] for line in lines] == [["slot", "name"], ["1", "'@bob"], ["2", "cy"]]
    token = lines[2].partition("#")[2].partition("/")[0]
    assert site.store.holder(site.store.community("und-die-mause"), token) == 2
    page.goto("/dashboard/communities/cats")
    with page.expect_download() as loading:
        page.get_by_role("link", name="csv").click()
    assert len(loading.value.path().read_text().splitlines()) == 1 + N - 8


def test_two_operators_at_once_lose_nothing(page: Page, site: Site) -> None:
    open_cats(site.store, "moths")
    log_in(page, site.key)
    page.goto("/dashboard/communities/moths")
    site.store.rename("moths", "Termites")  # by somebody else, meanwhile
    page.get_by_label("Known class").fill("insects")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("alert")).to_contain_text("Somebody else changed the community")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Termites")
    assert site.store.community("moths").label is None
    page.get_by_label("Known class").fill("insects")
    page.get_by_role("button", name="Save").click()
    expect(page.locator("dl.figures")).to_contain_text("insects")
    page.get_by_text("Renew this community").click()
    page.get_by_role("button", name="Open epoch 2").click()
    expect(page.get_by_text("one more report each")).to_have_count(1)
    assert site.store.community("moths").epoch == 2
    page.get_by_role("link", name="Delete this community").click()
    page.get_by_label(re.compile("^Type its id")).fill("cats")
    page.get_by_role("button", name="Delete for good").click()
    expect(page.get_by_role("alert")).to_contain_text("Nothing was deleted")
    page.get_by_label(re.compile("^Type its id")).fill("moths")
    page.get_by_role("button", name="Delete for good").click()
    expect(page).to_have_url(re.compile("/dashboard$"))
    assert site.store.find("moths") == []


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


def test_closing_needs_the_form_of_the_page(page: Page, site: Site) -> None:
    fish, _ = open_cats(site.store, "fish")
    log_in(page, site.key)
    cookie = {"graphldp_session": page.context.cookies()[0]["value"]}
    address = f"{site.collector.url}/dashboard/communities/fish/close"
    for data in ({}, {"csrf": "x" * 43}):
        assert httpx.post(address, data=data, cookies=cookie).status_code == 403
    page.goto("/dashboard/communities/fish")
    csrf = page.locator("input[name=csrf]").first.input_value()
    assert httpx.post(address, data={"csrf": csrf}).status_code == 403  # without the cookie
    elsewhere = {"Origin": "https://elsewhere.example"}
    assert httpx.post(address, data={"csrf": csrf}, cookies=cookie, headers=elsewhere).status_code == 403
    assert site.store.community("fish").closed_at is None
    page.get_by_text("Close this community").click()
    page.get_by_role("button", name="Close fish").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("closed")
    assert site.store.community("fish").closed_at is not None
    assert fish.closed_at is None


def test_every_form_needs_its_page_and_a_strangers_is_not_read(page: Page, site: Site) -> None:
    """Every address that takes a form, read from the router: a new one cannot be forgotten."""
    settings = load_settings({}, {})
    router = make_router(settings, site.store, Pages(settings), Workshop.of(settings, site.store))
    forms = [each.path for each in router.routes if isinstance(each, APIRoute) and "POST" in (each.methods or ())]
    assert len(forms) > 9
    before = site.store.find("cats")
    log_in(page, site.key)
    cookie = {"graphldp_session": page.context.cookies()[0]["value"]}
    with httpx.Client(base_url=site.collector.url, cookies=cookie) as http:
        for path in set(forms) - {"/login"}:
            address = (
                path.replace("{id}", "cats").replace("{number}", "1").replace("{kind}", "train").replace("{job}", "1")
            )
            given = {"csrf": "x" * 43, "seen": before[0].version, "typed": "cats", "name": "Other"}
            assert http.post(address, data=given).status_code == 403
            with socket.create_connection(("127.0.0.1", site.collector.port)) as line:  # 413 is for who may send
                line.sendall(f"POST {address} HTTP/1.1\r\nHost: x\r\nContent-Length: 50000000\r\n\r\n".encode())
                assert line.recv(100).split()[1] == b"403", address
    assert site.store.find("cats") == before


def test_every_form_that_changes_something_carries_the_secret_of_its_session() -> None:
    """Read from the templates: a form that forgot it would be refused to everybody."""
    forms = [
        (file.name, form)
        for file in TEMPLATES.glob("*.html")
        for form in re.findall(r'<form[^>]*method="post".*?</form>', file.read_text(), re.DOTALL)
    ]
    assert len(forms) > 10
    assert [name for name, form in forms if "{{ csrf(session) }}" not in form] == ["login.html"]


@pytest.mark.parametrize("boundary", ["boundary=x", 'boundary="', "boundary*0=a; boundary*1=", "other=1"])
def test_a_form_that_is_cut_off_is_refused_to_anybody(site: Site, boundary: str) -> None:
    headers = {"Content-Type": f"multipart/form-data; {boundary}"}
    answer = httpx.post(
        f"{site.collector.url}/login", content=b'--x\r\nContent-Disposition: form-data; name="k', headers=headers
    )
    assert answer.status_code == 422
    assert "The upload was cut off" in answer.json()["detail"]


@pytest.mark.parametrize("origin", ["http://[", "http://[::1", "null", "//", ""])
def test_an_origin_that_is_no_address_is_refused(site: Site, origin: str) -> None:
    for address in ("/login", "/logout", "/dashboard/communities/cats/close"):
        answer = httpx.post(f"{site.collector.url}{address}", data={"key": site.key}, headers={"Origin": origin})
        assert answer.status_code == 403


def test_nobody_is_sent_to_the_host_that_a_request_names(site: Site) -> None:
    for address in ("/", "/dashboard", "/dashboard/", "/dashboard/runs/", "/login/", "/static", "/healthz/", "/v1/"):
        answer = httpx.get(f"{site.collector.url}{address}", headers={"Host": "evil.example"})
        assert "evil.example" not in str(answer.headers)
        assert answer.headers.get("location", "/").startswith("/")


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
    expect(page.get_by_text(re.compile("factor of 2,981 at most"))).to_be_visible()
    page.get_by_role("slider").fill("0.2")
    expect(page.get_by_text(re.compile(r"factor of 1\.221 at most"))).to_be_visible()


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
        assert numbers(page.locator("#conclusion").text_content() or "") == [
            pytest.approx(expected.odds_factor, rel=1e-3)
        ]
        assert numbers(page.locator("#group").text_content() or "") == [
            10,
            pytest.approx(expected.group_factor(10), rel=1e-3),
        ]
        beliefs = [numbers(each) for each in page.locator("#beliefs li").all_text_contents()]
        for prior, shown in zip(PRIORS, beliefs, strict=True):
            assert shown == pytest.approx([100 * p for p in (prior, *expected.believes(prior))], abs=0.06)
        factors = numbers(page.locator("#listing").text_content() or "")
        if listed:
            wanted = [expected.listed_factor, expected.unlisted_factor]
            assert factors == pytest.approx(wanted + [expected.degree_factor] * (spent[0] > 0), rel=1e-3)
        else:
            assert (factors, expected.listed_factor) == ([], None)


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
    for _ in range(12):
        page.keyboard.press("Tab")
        focused.add(page.evaluate("document.activeElement.textContent.trim()"))
    assert "cats" in focused


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1100, 390])
def test_pages_fit_and_can_be_read(
    browser: Browser, site: Site, scheme: Literal["light", "dark"], width: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Nothing sticks out sideways, and text stands out from its ground by 4.5 to 1 (WCAG AA)."""
    folder = tmp_path_factory.getbasetemp() / "screenshots"
    folder.mkdir(exist_ok=True)
    context = browser.new_context(
        base_url=site.collector.url,
        color_scheme=scheme,
        viewport={"width": width, "height": 900},
    )
    page = context.new_page()
    for_all = {"login": "/login", "start": "/", "how": "/how", "nothing": "/nothing/here"}
    pages = {"communities": "/dashboard", "community": "/dashboard/communities/cats", "runs": "/dashboard/runs"}
    here = "/dashboard/communities/cats"
    pages |= {
        "groups": "/dashboard/communities/ants",
        "new": "/dashboard/new",
        "invite": f"{here}/invite",
        "delete": f"{here}/delete",
    }
    pages |= {"jobs": "/dashboard/jobs", "operators": "/dashboard/operators", "log": "/dashboard/log"}
    for name, address in (for_all | pages | {"classes": "/dashboard/classes", "play": "/play"}).items():
        if name == "communities":
            log_in(page, site.key)
        page.goto(address)
        page.screenshot(path=folder / f"{name}-{scheme}-{width}.png", full_page=True)
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), name
        assert page.evaluate(LOWEST_CONTRAST) >= 4.5, name
        assert page.locator("h1").count() == 1
        assert page.evaluate("[...document.querySelectorAll('img')].every(i => i.hasAttribute('alt'))")
    context.close()


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


@given(st.dictionaries(st.dates(date(2026, 1, 1), date(2027, 6, 1)), st.integers(1, 500), min_size=1, max_size=40))
def test_arrivals_are_all_in_the_picture(counts: dict[date, int]) -> None:
    made = arrivals_chart(counts)
    assert made is not None
    assert (made.bars[0].first, made.bars[-1].last) == (min(counts), max(counts))
    assert made.bars[-1].so_far == sum(bar.count for bar in made.bars) == sum(counts.values())
    for bar, following in pairwise(made.bars):
        assert following.first - bar.last == timedelta(days=1)
    for bar in made.bars:
        assert bar.count == sum(count for day, count in counts.items() if bar.first <= day <= bar.last)
    assert len(made.bars) <= 61
    assert arrivals_chart({}) is None


VALUES = st.lists(st.integers(-200, 2000) | st.integers(0, 9), min_size=6, max_size=200)


def counts_of(made: Histogram | None) -> dict[str, int]:
    assert made is not None
    return {bar.span: bar.count for bar in made.bars}


@given(VALUES)
def test_a_histogram_counts_every_value_once_and_nobody_alone(values: list[int]) -> None:
    made = histogram(values)
    assert made is not None
    assert sum(bar.count for bar in made.bars) == len(values)
    assert all(bar.count == 0 or bar.count >= LEAST_PER_BAR for bar in made.bars)
    assert len(made.bars) <= 26
    lows = [-math.inf if bar.low is None else bar.low for bar in made.bars]
    highs = [math.inf if bar.high is None else bar.high for bar in made.bars]
    assert lows[1:] == [high + 1 for high in highs[:-1]]
    assert (lows[0], highs[-1]) == (-math.inf, math.inf)
    for low, high, bar in zip(lows, highs, made.bars, strict=True):
        assert bar.count == sum(low <= value <= high for value in values)


@given(VALUES, st.integers(0, 10**6), st.integers(0, 10**6))
def test_no_end_of_a_histogram_shows_where_one_user_is(values: list[int], up: int, down: int) -> None:
    ordered = sorted(values)
    moved = [ordered[0] - down, *ordered[1:-1], ordered[-1] + up]
    assert counts_of(histogram(moved)) == counts_of(histogram(values))


def test_one_is_no_plural() -> None:
    told = [views.counted(count, "community has", "communities have") for count in (0, 1, 2000)]
    assert told == ["0 communities have", "1 community has", "2,000 communities have"]
    assert (views.counted(1, "user"), views.counted(2, "user")) == ("1 user", "2 users")


def test_too_few_values_make_no_histogram() -> None:
    assert histogram([3] * 5) is None
    assert counts_of(histogram([3] * 6)) == {"any": 6}


def test_few_reports_are_not_shown(tmp_path: Path) -> None:
    """24 report, and one more: before her, no page has a mean, a bar or a label."""
    store = Store.open(f"sqlite:///{tmp_path / 'collector.db'}")
    cats, tokens = open_cats(store)
    store.accept([submission(cats, u, tokens[u], report(u, 7), 7) for u in range(24)])
    store.results.set_predictions([Prediction(cats.key, 1, 0.87, 24, "model.npz")])
    few = views.community(store, "cats", 25)
    assert (few["degrees"], few["mean_degree"], few["prediction"]) == (None, None, None)
    assert few["reported"] == 24
    (row,) = views.communities(store, Wanted(), 25)["rows"]
    assert row["prediction"] is None
    store.accept([submission(cats, 24, tokens[24], report(24, 7), 7)])
    store.results.set_predictions([Prediction(cats.key, 1, 0.87, 25, "model.npz")])
    enough = views.community(store, "cats", 25)
    assert (counts_of(enough["degrees"]), enough["mean_degree"]) == ({"any": 25}, 7)
    assert enough["prediction"].label == views.communities(store, Wanted(), 25)["rows"][0]["prediction"].label == 1
    store.close()


def test_a_list_does_not_wait_for_the_first_count_of_many_reports(tmp_path: Path) -> None:
    store, pages = Store.open(f"sqlite:///{tmp_path / 'collector.db'}"), Pages(load_settings({}, {}))
    open_cats(store)
    store.tally = Tally(store.engine, few=0)
    session = Session(Actor("ann", Role.VIEWER, "dashboard"), "csrf")
    assert "being counted" in pages.render("communities.html", session, **views.communities(store, Wanted(), 25))
    while store.tally.all() is None:
        time.sleep(0.01)
    assert "of all epochs" in pages.render("communities.html", session, **views.communities(store, Wanted(), 25))
    store.close()


@pytest.mark.parametrize("role", Role)
def test_a_viewer_is_shown_nothing_to_press(tmp_path: Path, role: Role) -> None:
    store, pages = Store.open(f"sqlite:///{tmp_path / 'collector.db'}"), Pages(load_settings({}, {}))
    open_cats(store, label=1)
    choices = [Choice("epsilon-1", 1.0, 0.0)]
    store.open_community("owls", [f"owl {owl}" for owl in range(300)], mechanism="hub-counts", choices=choices)
    session = Session(Actor("ann", role, "dashboard"), "csrf")
    shown = (
        *(("community.html", views.community(store, id, 25)) for id in ("cats", "owls")),
        ("communities.html", views.communities(store, Wanted(), 25)),
        ("classes.html", views.classes(store)),
        ("jobs.html", shown_jobs(store, tmp_path)),
    )
    for name, values in shown:
        page = pages.render(name, session, **values)
        offered = page.count('method="post"') - page.count('action="/logout"') + page.count('class="button"')
        assert (offered > 0) is (role >= Role.OPERATOR), name
    store.close()


def test_whatever_is_stored_is_text_on_every_page(tmp_path: Path) -> None:
    """Hostile values in every field that a community, a run, a label or a flag has."""
    store = Store.open(f"sqlite:///{tmp_path / 'collector.db'}")
    texts = ("<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "{{ 7654321 * 7 }}")
    for place, text in enumerate(texts):
        choices = [Choice(text, 0.1, 0.9)]
        made = store.open_community(f"cats-{place}", [text, "bob"], mechanism="dprr", choices=choices, name=text)
        store.results.set_flags(made.key, {0: text})
        store.results.set_predictions([Prediction(made.key, 1, 0.9, 30, text)])
        store.results.add_run(Run(text, 1, 2, 2, 0.5, {text: text, "epochs": text, "seed": [text]}))
        key = store.operators.add(text[:64])
    with Collector(store.engine.url.render_as_string()) as collector, httpx.Client(base_url=collector.url) as http:
        assert http.post("/login", data={"key": key}).status_code == 303
        one_each = {f"/dashboard/communities/cats-{place}": (text,) for place, text in enumerate(texts)}
        for address, shown in ({"/dashboard": texts, "/dashboard/runs": texts} | one_each).items():
            page = http.get(address).text
            for text in shown:
                assert html.escape(text, quote=False)[:5] in page.replace("&#34;", '"')
            assert "<script>alert" not in page
            assert "<img src=x" not in page
            assert str(7654321 * 7) not in page
    store.close()


def test_hubs_are_asked_by_a_button_and_counted_where_enough_reported(page: Page, site: Site) -> None:
    made = site.store.open_community(
        "bees", [f"bee {u}" for u in range(90)], mechanism="hub-counts", choices=[Choice("standard", 1.0, 0.0)]
    )
    tokens = site.store.invite("bees")
    for user in range(25):
        degree = 85 if user == 0 else 3
        body = wire.encode(wire.Report("hub-counts", 90, user, 1.0, 0.0, degree, np.zeros(0, np.int32), user == 0))
        site.store.accept([submission(made, user, tokens[user], body, degree)])
        assert views.community(site.store, "bees", 25)["second"]["hubs"] == (1 if user == 24 else None)
    log_in(page, site.key)
    page.goto("/dashboard/communities/bees")
    expect(page.locator("section").filter(has_text="Second round")).to_contain_text("So far 1")
    page.get_by_text("Ask the hubs", exact=True).click()
    page.get_by_role("button", name="Ask the hubs of bees").click()
    expect(page.locator("section").filter(has_text="Second round")).to_contain_text("0 of 1 hubs have answered")
    asked = site.store.community("bees")
    assert asked.asked_at is not None
    answer = wire.Answer(90, 0, asked.question_digest or "", 2).encode()
    site.store.second_round.accept("bees", 0, 1, answer)
    page.reload()
    expect(page.locator("section").filter(has_text="Second round")).to_contain_text("1 of 1 hubs have answered")
    assert views.community(site.store, "bees", 26)["second"]["answered"] is None


def test_asking_twice_shows_that_it_was_asked(page: Page, site: Site) -> None:
    """A form that was open in two windows: the second one changes nothing, and is no error."""
    roster = [f"wasp {u}" for u in range(90)]
    made = site.store.open_community("wasps", roster, mechanism="hub-counts", choices=[Choice("standard", 1.0, 0.0)])
    log_in(page, site.key)
    cookie = {"graphldp_session": page.context.cookies()[0]["value"]}
    page.goto("/dashboard/communities/wasps")
    form = {name: page.locator(f"input[name={name}]").last.input_value() for name in ("csrf", "seen")}
    address = f"{site.collector.url}/dashboard/communities/wasps/ask"
    for few in (httpx.post(address, data=form, cookies=cookie), httpx.get(f"{address[:-3]}export", cookies=cookie)):
        assert (few.status_code, "min_reports" in few.text) == (422, True)
    tokens = site.store.invite("wasps")
    site.store.accept([submission(made, u, tokens[u], hub_report(u, 3)) for u in range(25)])
    digests = set()
    for _ in range(2):
        answer = httpx.post(address, data=form, cookies=cookie)
        assert (answer.status_code, answer.headers["location"]) == (303, "/dashboard/communities/wasps")
        digests.add(site.store.community("wasps").question_digest)
    assert len(digests) == 1
    page.goto("/dashboard/communities/wasps")
    expect(page.get_by_text("a noisy degree of 6 or more")).to_be_visible()
    form["seen"] = site.store.community("cats").version
    told = httpx.post(address.replace("wasps", "cats"), data=form, cookies=cookie)
    assert (told.status_code, "one that collects by hub-counts" in told.text) == (422, True)
    assert httpx.post(address.replace("wasps", "nothing"), data=form, cookies=cookie).status_code == 404
