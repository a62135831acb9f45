"""Rosters that cannot be, uploads that break off, and operators who act at once, on the dashboard."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from benchmarks.services import PATIENCE, Collector
from playwright.sync_api import Browser, Page, expect
from tests.collector.browsing import log_in, opened, window
from tests.collector.operator_site import OperatorSite
from tests.collector.people import N, open_ants, open_cats
from tests.collector.relay import Relay
from tests.values import some

import graphldp as gl
from graphldp.collector.roles import Role
from graphldp.collector.storage.store import Store

MANY = 10**6


@pytest.fixture
def page(browser: Browser, staffed: OperatorSite) -> Iterator[Page]:
    with window(browser, staffed.collector.url) as context:
        page = opened(context)
        log_in(page, staffed.keys[Role.OPERATOR])
        page.goto("/dashboard/new")
        page.get_by_label("Name", exact=True).fill("Frogs")
        page.get_by_label("Names here have no host").check()
        yield page


WRONG = {
    "doubles": ("frogs.txt", "ann\nbob\n@Ann\n", "names 1 and 3 are the same to every client"),
    "look-alikes": ("frogs.txt", "anna\nаnnа\n", "names 1 and 2 look alike"),
    "cut off": ("frogs.csv", "name,mail\nann,a@x\nbo", "row 3 has 1 of 2 cells. Was the file cut off?"),
    "no header": ("frogs.csv", "ann,a@x\nbob,b@x\n", "a header whose first column is called 'name'"),
    "one name": ("frogs.txt", "ann\n", "2 to "),
}


def test_a_roster_that_cannot_be_is_explained(page: Page, staffed: OperatorSite) -> None:
    for file, text, said in WRONG.values():
        upload(page, file, text)
        page.get_by_role("button", name="Open the community").click()
        expect(page.get_by_role("alert")).to_contain_text(said)
        expect(page.get_by_role("alert")).to_contain_text("Nothing was opened. Choose the file again.")
        expect(page.get_by_label("Name", exact=True)).to_have_value("Frogs")  # what was filled in stays
    assert staffed.store.find("frogs") == []


def test_witnesses_are_one_choice_of_the_form(page: Page, staffed: OperatorSite) -> None:
    page.get_by_label("Name", exact=True).fill("Salamanders")
    upload(page, "salamanders.txt", "\n".join(f"salamander {number}" for number in range(12)))
    page.get_by_label("Members may lie").check()
    page.get_by_role("checkbox", name="1", exact=True).check()
    page.get_by_role("button", name="Open the community").click()
    expect(page.get_by_text("12 groups that members are dealt into by chance")).to_be_visible()
    assert staffed.store.community("salamanders").dealt


def test_every_group_of_the_matrix_can_be_told_from_the_others(page: Page, staffed: OperatorSite) -> None:
    """Long names that differ at their end, wide and on a phone; nothing of a label is cut off by its picture."""
    open_ants(staffed.store, [(9, 2, 1)] * 20, groups=[f"Dormitory {165 + user % 3}" for user in range(N)])
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 800})
        page.goto("/dashboard/communities/ants")
        picture = page.get_by_role("img", name="Friendships within and between 3 groups")
        frame = some(picture.bounding_box())
        labels = picture.locator("text.tick")
        told = [label.evaluate("each => each.lastChild.data") for label in labels.all()]
        assert sorted(told) == sorted([f"Dormitory {165 + group}" for group in range(3)] * 2)
        for label in labels.all():
            box = some(label.bounding_box())
            assert frame["x"] <= box["x"]
            assert box["x"] + box["width"] <= frame["x"] + frame["width"]
            assert frame["y"] <= box["y"]
        assert page.evaluate("document.documentElement.scrollWidth") == width
    staffed.store.removals.delete("ants")


def upload(page: Page, name: str, text: str) -> None:
    file = {"name": name, "mimeType": "text/plain", "buffer": text.encode()}
    page.get_by_label(re.compile("^A file")).set_input_files(file)  # type: ignore[arg-type]


@pytest.mark.long
def test_a_plan_stands_beside_the_form_while_it_is_filled_in(page: Page, staffed: OperatorSite) -> None:
    """What a survey would tell, by the numbers of users and groups and the smallest ε; no name leaves the form."""
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    plan = page.get_by_role("region", name="What a survey of it would tell")
    expect(plan).to_be_hidden()
    page.get_by_label("Or paste the names").fill("\n".join(f"frog {number}" for number in range(300)))
    expect(plan).to_contain_text("With 300 users, all reporting at ε = 1")
    expect(plan.get_by_role("row", name="Friendships ±")).to_contain_text(gl.plan(users=300).rows[0].words)
    upload(page, "frogs.csv", "name,pond\n" + "".join(f'"frog, {n}",{"abc"[n % 3]}\n' for n in range(90)))
    page.get_by_label("Or paste the names").fill("")
    page.get_by_text("To see how groups mix").click()
    page.get_by_label("The column of the table that has the groups").fill("pond")
    page.get_by_role("checkbox", name="0.5", exact=True).check()
    expect(plan).to_contain_text("With 90 users in 3 groups, all reporting at ε = 0.5")
    words = {row.name: row.words for row in gl.plan(users=90, groups=3, epsilon=0.5).rows}
    expect(plan.get_by_role("row", name="E–I index")).to_contain_text(words["E–I index"])
    plan.get_by_text("How many communities a label needs").click()
    expect(plan.get_by_role("table", name="Labels by communities")).to_contain_text("800")
    page.set_viewport_size({"width": 390, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    page.get_by_text("Another mechanism than").click()
    page.get_by_label("How devices draw reports").select_option("closed-pairs")
    expect(plan.get_by_role("row", name="Triangles, in two rounds")).to_contain_text(words["triangles, in two rounds"])
    expect(plan).not_to_contain_text("E–I index")
    assert all(re.fullmatch(r".*/plan\?users=\d+&groups=\d+&epsilon=[\d.]+&mechanism=[a-z-]*", each) for each in asked)


def test_a_million_names_are_one_answer(page: Page, staffed: OperatorSite) -> None:
    """One name is there twice, a million apart."""
    names = [f"u{number}" for number in range(MANY)]
    page.set_default_timeout(60_000)
    upload(page, "frogs.txt", "\n".join([*names, "U7"]))
    page.get_by_role("button", name="Open the community").click()
    expect(page.get_by_role("alert")).to_contain_text("names 8 and 1,000,001 are the same")
    assert staffed.store.find("frogs") == []


def test_an_upload_that_breaks_off_opens_nothing(browser: Browser, staffed: OperatorSite) -> None:
    """The connection breaks half way through the names; over a whole one the same form works."""
    names = "\n".join(f"frog {number}" for number in range(40_000))
    with Relay(staffed.collector.port) as relay, window(browser, relay.url) as context:
        page = opened(context)
        log_in(page, staffed.keys[Role.OPERATOR])
        for most, opens in ((len(names) // 2, False), (10**9, True)):
            relay.most = most
            page.goto("/dashboard/new")
            page.get_by_label("Name", exact=True).fill("Toads")
            upload(page, "toads.txt", names)
            page.get_by_role("button", name="Open the community").click(no_wait_after=True)
            if opens:
                expect(page).to_have_url(re.compile("/dashboard/communities/toads$"), timeout=60_000)
            else:
                assert relay.broken.wait(PATIENCE)
                expect(page).to_have_url(re.compile("^chrome-error:"), timeout=60_000)
            assert bool(staffed.store.find("toads")) is opens
    assert staffed.store.community("toads").n == 40_000


@contextmanager
def entered(collector: Collector, store: Store, key: str) -> Iterator[tuple[httpx.Client, str]]:
    """A browser's session without a browser, and the secret of its forms."""
    with httpx.Client(base_url=collector.url, timeout=60) as http:
        http.post("/login", data={"key": key})
        session = store.operators.session(http.cookies["graphldp_session"])
        assert session is not None
        yield http, session.csrf


def test_a_form_that_ends_early_opens_nothing(staffed: OperatorSite) -> None:
    """As a proxy would pass it on that lost the end."""
    with entered(staffed.collector, staffed.store, staffed.keys[Role.OPERATOR]) as (http, csrf):
        form = {"csrf": csrf, "name": "Newts", "epsilon": "1", "bare": "yes"}
        whole = http.build_request("POST", "/dashboard/new", data=form, files={"file": ("a.txt", "ann\nbob\n")})
        body, headers = whole.read(), {"Content-Type": whole.headers["content-type"]}
        for length in (len(body) // 2, len(body) - 3):
            answer = http.post("/dashboard/new", content=body[:length], headers=headers)
            assert (answer.status_code, "cut off" in answer.text) == (422, True)
        assert staffed.store.find("newts") == []
        assert http.post("/dashboard/new", content=body, headers=headers).status_code == 303
        assert staffed.store.community("newts").n == 2


@pytest.mark.long
def test_of_operators_who_act_at_once_one_is_first(database: str, tmp_path: Path) -> None:
    """Eight forms, made for the same version and sent at once: one is done, the others are told so."""
    store = Store.open(database)
    open_cats(store)
    keys = [store.operators.add(f"operator {place}") for place in range(8)]
    seen = store.community("cats").version
    at_once, statuses = threading.Barrier(len(keys)), dict[int, int]()
    with Collector(database, {"models": tmp_path}) as collector:

        def act(place: int) -> None:
            with entered(collector, store, keys[place]) as (http, csrf):
                at_once.wait()
                form = {"csrf": csrf, "seen": seen, "name": f"Name {place}"}
                statuses[place] = http.post("/dashboard/communities/cats/rename", data=form).status_code

        acting = [threading.Thread(target=act, args=(place,)) for place in range(len(keys))]
        for each in acting:
            each.start()
        for each in acting:
            each.join()
    first = [place for place, status in statuses.items() if status == 303]
    assert sorted(statuses.values()) == [303] + [409] * 7
    assert store.community("cats").called == f"Name {first[0]}"
    outcomes = [each.outcome for each in store.audit_log.entries() if each.action == "community.rename"]
    assert (outcomes.count("begun"), outcomes.count("failed")) == (8, 7)
    assert store.audit_log.problem() is None
    store.close()
