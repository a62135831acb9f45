"""Communities on the dashboard: opened, invited to, asked, and what operators may do wrong; in Chromium."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import numpy as np
import pytest
from benchmarks.services import PATIENCE, Collector
from playwright.sync_api import Browser, Page, expect
from tests.collector.browsing import log_in, opened, window
from tests.collector.dashboard.site import Site
from tests.collector.operator_site import OperatorSite
from tests.collector.people import N, hub_report, open_ants, open_cats, submission
from tests.collector.relay import Relay
from tests.values import some

import graphldp as gl
from graphldp import wire
from graphldp.collector.dashboard import views
from graphldp.collector.roles import Role
from graphldp.collector.statistics import statistics_of
from graphldp.collector.storage.store import Store
from graphldp.wire import Choice

MANY = 10**6


@pytest.fixture
def new_page(browser: Browser, staffed: OperatorSite) -> Iterator[Page]:
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


def test_a_roster_that_cannot_be_is_explained(new_page: Page, staffed: OperatorSite) -> None:
    for file, text, said in WRONG.values():
        upload(new_page, file, text)
        new_page.get_by_role("button", name="Open the community").click()
        expect(new_page.get_by_role("alert")).to_contain_text(said)
        expect(new_page.get_by_role("alert")).to_contain_text("Nothing was opened. Choose the file again.")
        expect(new_page.get_by_label("Name", exact=True)).to_have_value("Frogs")  # what was filled in stays
    assert staffed.store.find("frogs") == []


def test_witnesses_are_one_choice_of_the_form(new_page: Page, staffed: OperatorSite) -> None:
    new_page.get_by_label("Name", exact=True).fill("Salamanders")
    upload(new_page, "salamanders.txt", "\n".join(f"salamander {number}" for number in range(12)))
    new_page.get_by_label("Members may lie").check()
    new_page.get_by_role("checkbox", name="1", exact=True).check()
    new_page.get_by_role("button", name="Open the community").click()
    expect(new_page.get_by_text("12 groups that members are dealt into by chance")).to_be_visible()
    assert staffed.store.community("salamanders").dealt


def test_every_group_of_the_matrix_can_be_told_from_the_others(new_page: Page, staffed: OperatorSite) -> None:
    """Long names that differ at their end, wide and on a phone; nothing of a label is cut off by its picture."""
    open_ants(staffed.store, [(9, 2, 1)] * 20, groups=[f"Dormitory {165 + user % 3}" for user in range(N)])
    for width in (1280, 390):
        new_page.set_viewport_size({"width": width, "height": 800})
        new_page.goto("/dashboard/communities/ants")
        picture = new_page.get_by_role("img", name="Friendships within and between 3 groups")
        frame = some(picture.bounding_box())
        labels = picture.locator("text.tick")
        told = [label.evaluate("each => each.lastChild.data") for label in labels.all()]
        assert sorted(told) == sorted([f"Dormitory {165 + group}" for group in range(3)] * 2)
        for label in labels.all():
            box = some(label.bounding_box())
            assert frame["x"] <= box["x"]
            assert box["x"] + box["width"] <= frame["x"] + frame["width"]
            assert frame["y"] <= box["y"]
        assert new_page.evaluate("document.documentElement.scrollWidth") == width
    staffed.store.removals.delete("ants")


def upload(page: Page, name: str, text: str) -> None:
    file = {"name": name, "mimeType": "text/plain", "buffer": text.encode()}
    page.get_by_label(re.compile("^A file")).set_input_files(file)  # type: ignore[arg-type]


@pytest.mark.long
def test_a_plan_stands_beside_the_form_while_it_is_filled_in(new_page: Page, staffed: OperatorSite) -> None:
    """What a survey would tell, by the numbers of users and groups and the smallest ε; no name leaves the form."""
    asked: list[str] = []
    new_page.on("request", lambda request: asked.append(request.url))
    plan = new_page.get_by_role("region", name="What a survey of it would tell")
    expect(plan).to_be_hidden()
    new_page.get_by_label("Or paste the names").fill("\n".join(f"frog {number}" for number in range(300)))
    expect(plan).to_contain_text("With 300 users, all reporting at ε = 1")
    expect(plan.get_by_role("row", name="Friendships ±")).to_contain_text(gl.plan(users=300).rows[0].words)
    upload(new_page, "frogs.csv", "name,pond\n" + "".join(f'"frog, {n}",{"abc"[n % 3]}\n' for n in range(90)))
    new_page.get_by_label("Or paste the names").fill("")
    new_page.get_by_text("To see how groups mix").click()
    new_page.get_by_label("The column of the table that has the groups").fill("pond")
    new_page.get_by_role("checkbox", name="0.5", exact=True).check()
    expect(plan).to_contain_text("With 90 users in 3 groups, all reporting at ε = 0.5")
    words = {row.name: row.words for row in gl.plan(users=90, groups=3, epsilon=0.5).rows}
    expect(plan.get_by_role("row", name="E–I index")).to_contain_text(words["E–I index"])
    plan.get_by_text("How many communities a label needs").click()
    expect(plan.get_by_role("table", name="Labels by communities")).to_contain_text("800")
    new_page.set_viewport_size({"width": 390, "height": 800})
    assert new_page.evaluate("document.documentElement.scrollWidth") == 390
    new_page.get_by_text("Another mechanism than").click()
    new_page.get_by_label("How devices draw reports").select_option("closed-pairs")
    expect(plan.get_by_role("row", name="Triangles, in two rounds")).to_contain_text(words["triangles, in two rounds"])
    expect(plan).not_to_contain_text("E–I index")
    assert all(re.fullmatch(r".*/plan\?users=\d+&groups=\d+&epsilon=[\d.]+&mechanism=[a-z-]*", each) for each in asked)


def test_a_million_names_are_one_answer(new_page: Page, staffed: OperatorSite) -> None:
    """One name is there twice, a million apart."""
    names = [f"u{number}" for number in range(MANY)]
    new_page.set_default_timeout(60_000)
    upload(new_page, "frogs.txt", "\n".join([*names, "U7"]))
    new_page.get_by_role("button", name="Open the community").click()
    expect(new_page.get_by_role("alert")).to_contain_text("names 8 and 1,000,001 are the same")
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


def test_what_the_operator_sees(page: Page, site: Site) -> None:
    log_in(page, site.key)
    row = page.get_by_role("row").filter(has_text="cats")
    expect(row).to_contain_text(f"{N - 8} of {N}")
    expect(row).to_contain_text("87 % sure, from 84 % of users")
    expect(page.get_by_role("row").filter(has_text="dogs")).to_contain_text("closed")
    expect(page.get_by_role("link", name="<i>Birds</i>")).to_be_visible()  # names are text, not markup
    row.get_by_role("link", name="cats").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("cats")
    expect(page.get_by_role("img", name=re.compile("Histogram of users by number of friends"))).to_be_visible()
    expect(page.get_by_text("87 % sure")).to_be_visible()
    expect(page.get_by_text("stands whatever up to 2 users send")).to_be_visible()
    expect(page.get_by_role("table", name="Flagged users").get_by_role("row")).to_have_count(3)
    expect(page.get_by_role("row").filter(has_text="public")).to_contain_text("without noise")
    page.get_by_role("link", name="Training runs").click()
    expect(page.get_by_role("row").filter(has_text="model.npz")).to_contain_text("90 % of 10; 55 % to 100 %")
    expect(page.get_by_role("row").filter(has_text="older.npz")).not_to_contain_text("of 10")
    page.goto("/dashboard/communities/birds")
    expect(page.get_by_text("Fewer than 5 have reported.")).to_be_visible()
    page.goto("/dashboard/communities/ants")
    expect(page.get_by_role("img", name=re.compile("Friendships within and between 3 groups"))).to_be_visible()
    page.get_by_text("All numbers as a table").click()
    table = page.get_by_role("table", name="Estimates with their 95 % intervals")
    counted = statistics_of(site.store, [site.store.community("ants")], 5)
    for each in counted:
        numbers = [each.told(number) for number in (each.best, each.low, each.high)]
        cells = table.get_by_role("row").filter(has=page.get_by_role("rowheader", name=each.title, exact=True))
        expect(cells.get_by_role("cell")).to_have_text(numbers)
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
    expect(page.get_by_role("alert")).to_contain_text("3 names have no host, such as 'ann'.")
    expect(page.get_by_label("Name", exact=True)).to_have_value("Ünd die Mäuse!")
    page.get_by_label("Names here have no host").check()
    page.get_by_role("button", name="Open the community").click()
    expect(page.get_by_role("alert")).to_contain_text("names 1 and 3 are the same to every client")
    page.get_by_label("Or paste the names").fill("")
    page.get_by_label("Names here have no host").uncheck()
    page.get_by_label(re.compile("^Host, for names without one")).fill("mice.example")
    roster = tmp_path / "mice.csv"
    roster.write_text("name,mail\nann,a@x\n@bob,b@x\ncy,c@x\n")
    page.get_by_label(re.compile("^A file")).set_input_files(roster)
    page.get_by_label("2", exact=True).check()
    page.get_by_label(re.compile("^Its class")).fill("pets")
    page.get_by_label(re.compile("^What its reports are for")).fill("<b>To count</b> mice.")
    page.get_by_label(re.compile("^Delete reports after")).fill("90")
    page.get_by_role("button", name="Open the community").click()
    expect(page).to_have_url(re.compile("/dashboard/communities/und-die-mause$"))
    made = site.store.community("und-die-mause")
    assert ([choice.name for choice in made.choices], made.n) == (["epsilon-1", "epsilon-2"], 3)
    assert (made.retention_days, made.keeps_models) == (90, True)
    expect(page.get_by_text("<b>To count</b> mice.")).to_be_visible()
    assert made.inquiry is not None
    expect(page.get_by_text(made.inquiry.contact, exact=True).first).to_be_visible()
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
    assert [line.split(",")[:2] for line in lines] == [
        ["slot", "name"],
        ["1", "'@bob@mice.example"],
        ["2", "cy@mice.example"],
    ]
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
    for trusted in (True, False):
        page.get_by_label("I know that its reports are honest").set_checked(trusted)
        page.get_by_role("button", name="Set").click()
        expect(page.locator("dl.figures").get_by_text("trusted")).to_have_count(int(trusted))
        assert site.store.community("moths").trusted == trusted
    page.get_by_text("Renew this community").click()
    page.get_by_label("What its reports are for").fill("To count ants.")
    page.get_by_role("button", name="Open epoch 2").click()
    expect(page.get_by_text("one more report each")).to_have_count(1)
    moths = site.store.community("moths")
    assert (moths.epoch, moths.inquiry and moths.inquiry.purpose) == (2, "To count ants.")
    page.get_by_role("link", name="Delete this community").click()
    page.get_by_label(re.compile("^Type its id")).fill("cats")
    page.get_by_role("button", name="Delete for good").click()
    expect(page.get_by_role("alert")).to_contain_text("Nothing was deleted")
    page.get_by_label(re.compile("^Type its id")).fill("moths")
    page.get_by_role("button", name="Delete for good").click()
    expect(page).to_have_url(re.compile("/dashboard$"))
    assert site.store.find("moths") == []


def test_hubs_are_asked_by_a_button_and_counted_where_enough_reported(page: Page, site: Site) -> None:
    made = site.store.open_community(
        "bees", [f"bee {u}" for u in range(90)], mechanism="hub-counts", choices=[Choice("standard", 1.0, 0.0)]
    )
    tokens = site.store.invite("bees")
    for user in range(25):
        degree = 85 if user == 0 else 3
        body = wire.encode(wire.Report("hub-counts", 90, user, 1.0, 0.0, degree, np.zeros(0, np.int32), user == 0))
        site.store.accept([submission(made, user, tokens[user], body, degree)])
        assert views.community(site.store, "bees", 25)["second"]["asked"] == (1 if user == 24 else None)
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
