"""Communities on the dashboard, in Chromium."""

from __future__ import annotations

import re
from pathlib import Path

import httpx
import numpy as np
from playwright.sync_api import Page, expect
from tests.collector.browsing import log_in
from tests.collector.dashboard.site import Site
from tests.collector.people import N, hub_report, open_cats, submission

from graphldp import wire
from graphldp.collector.dashboard import views
from graphldp.collector.statistics import statistics_of
from graphldp.wire import Choice


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
