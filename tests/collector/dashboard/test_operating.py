"""Rosters that cannot be, uploads that break off, and operators who act at once, on the dashboard."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect
from tests.collector.browsing import log_in, opened, window
from tests.collector.bureau import Bureau
from tests.collector.lines import Line
from tests.collector.people import open_cats
from tests.collector.services import PATIENCE, Collector

from graphldp.collector.roles import Role
from graphldp.collector.storage.store import Store

MANY = 10**6


@pytest.fixture
def page(browser: Browser, bureau: Bureau) -> Iterator[Page]:
    with window(browser, bureau.collector.url) as context:
        page = opened(context)
        log_in(page, bureau.keys[Role.OPERATOR])
        page.goto("/dashboard/new")
        page.get_by_label("Name", exact=True).fill("Frogs")
        yield page


WRONG = {
    "doubles": ("frogs.txt", "ann\nbob\n@Ann\n", "names 1 and 3 are the same to every client"),
    "look-alikes": ("frogs.txt", "anna\nаnnа\n", "names 1 and 2 look alike"),
    "cut off": ("frogs.csv", "name,mail\nann,a@x\nbo", "row 3 has 1 of 2 cells. Was the file cut off?"),
    "no header": ("frogs.csv", "ann,a@x\nbob,b@x\n", "a header whose first column is called 'name'"),
    "one name": ("frogs.txt", "ann\n", "2 to "),
}


def test_a_roster_that_cannot_be_is_explained(page: Page, bureau: Bureau) -> None:
    for file, text, said in WRONG.values():
        upload(page, file, text)
        page.get_by_role("button", name="Open the community").click()
        expect(page.get_by_role("alert")).to_contain_text(said)
        expect(page.get_by_role("alert")).to_contain_text("Nothing was opened. Choose the file again.")
        expect(page.get_by_label("Name", exact=True)).to_have_value("Frogs")  # what was filled in stays
    assert bureau.store.find("frogs") == []


def upload(page: Page, name: str, text: str) -> None:
    file = {"name": name, "mimeType": "text/plain", "buffer": text.encode()}
    page.get_by_label(re.compile("^A file")).set_input_files(file)  # type: ignore[arg-type]


@pytest.mark.long
def test_a_million_names_are_one_answer(page: Page, bureau: Bureau) -> None:
    """One name is there twice, a million apart."""
    names = [f"u{number}" for number in range(MANY)]
    page.set_default_timeout(60_000)
    upload(page, "frogs.txt", "\n".join([*names, "U7"]))
    page.get_by_role("button", name="Open the community").click()
    expect(page.get_by_role("alert")).to_contain_text("names 8 and 1,000,001 are the same")
    assert bureau.store.find("frogs") == []


def test_an_upload_that_breaks_off_opens_nothing(browser: Browser, bureau: Bureau) -> None:
    """The line goes dead half way through the names; over a whole one the same form works."""
    names = "\n".join(f"frog {number}" for number in range(40_000))
    with Line(bureau.collector.port) as line, window(browser, line.url) as context:
        page = opened(context)
        log_in(page, bureau.keys[Role.OPERATOR])
        for most, opens in ((len(names) // 2, False), (10**9, True)):
            line.most = most
            page.goto("/dashboard/new")
            page.get_by_label("Name", exact=True).fill("Toads")
            upload(page, "toads.txt", names)
            page.get_by_role("button", name="Open the community").click(no_wait_after=True)
            if opens:
                expect(page).to_have_url(re.compile("/dashboard/communities/toads$"), timeout=60_000)
            else:
                assert line.broken.wait(PATIENCE)
                expect(page).to_have_url(re.compile("^chrome-error:"), timeout=60_000)
            assert bool(bureau.store.find("toads")) is opens
    assert bureau.store.community("toads").n == 40_000


@contextmanager
def entered(collector: Collector, store: Store, key: str) -> Iterator[tuple[httpx.Client, str]]:
    """A browser's session without a browser, and the secret of its forms."""
    with httpx.Client(base_url=collector.url, timeout=60) as http:
        http.post("/login", data={"key": key})
        session = store.operators.session(http.cookies["graphldp_session"])
        assert session is not None
        yield http, session.csrf


def test_a_form_that_ends_early_opens_nothing(bureau: Bureau) -> None:
    """As a proxy would pass it on that lost the end."""
    with entered(bureau.collector, bureau.store, bureau.keys[Role.OPERATOR]) as (http, csrf):
        form = {"csrf": csrf, "name": "Newts", "epsilon": "1"}
        whole = http.build_request("POST", "/dashboard/new", data=form, files={"file": ("a.txt", "ann\nbob\n")})
        body, headers = whole.read(), {"Content-Type": whole.headers["content-type"]}
        for length in (len(body) // 2, len(body) - 3):
            answer = http.post("/dashboard/new", content=body[:length], headers=headers)
            assert (answer.status_code, "cut off" in answer.text) == (422, True)
        assert bureau.store.find("newts") == []
        assert http.post("/dashboard/new", content=body, headers=headers).status_code == 303
        assert bureau.store.community("newts").n == 2


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
