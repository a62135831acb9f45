"""The pages for administrators, in Chromium: who may do what, and who did what."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator

import httpx
import pytest
from playwright.sync_api import Browser, Locator, Page, expect
from tests.collector.browsing import log_in, opened, window
from tests.collector.operator_site import OperatorSite

from graphldp.collector.roles import Role
from graphldp.collector.storage.database import transaction


@pytest.fixture
def page(browser: Browser, staffed: OperatorSite) -> Iterator[Page]:
    with window(browser, staffed.collector.url) as context:
        yield opened(context)


def row(page: Page, name: str) -> Locator:
    return page.locator("tbody tr", has=page.locator("th", has_text=name))


def test_an_operator_from_her_key_to_her_end(page: Page, staffed: OperatorSite) -> None:
    store, name = staffed.store, "<b>bob</b> & co"
    log_in(page, staffed.keys[Role.ADMINISTRATOR])
    page.get_by_role("link", name="Operators").click()
    expect(row(page, "administrator").get_by_role("link", name="Remove")).to_have_count(0)  # nobody removes herself
    add = page.get_by_role("region", name="Add an operator")
    add.get_by_label("Name").fill(name)
    add.get_by_label("Role").select_option("viewer")
    add.get_by_label(re.compile("^The key stops working")).fill("90")
    add.get_by_role("button", name="Add and show the key").click()
    first = page.locator("#key").inner_text()
    actor = store.operators.keyed(first)
    assert actor is not None
    assert (actor.name, actor.role) == (name, Role.VIEWER)
    page.get_by_role("link", name="Done").click()
    assert first not in page.content()
    expect(row(page, name)).to_contain_text("until 20")
    row(page, name).get_by_label("Role").select_option("operator")
    row(page, name).get_by_role("button", name="Set").click()
    expect(row(page, name).get_by_label("Role")).to_have_value("operator")
    row(page, name).get_by_text("New key").click()
    row(page, name).get_by_label(re.compile("^Days")).fill("soon")
    row(page, name).get_by_role("button", name="Rotate").click()
    expect(page.get_by_role("alert")).to_contain_text("takes a number, such as 14. Nothing was changed.")
    row(page, name).get_by_text("New key").click()
    row(page, name).get_by_role("button", name="Rotate").click()
    second = page.locator("#key").inner_text()
    assert store.operators.keyed(first) is None
    assert store.operators.keyed(second) is not None
    page.get_by_role("link", name="Done").click()
    expect(row(page, name)).to_contain_text("no end")
    row(page, name).get_by_role("link", name="Remove").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(f"Remove {name}?")
    assert store.operators.keyed(second) is not None  # a link asks; it takes nothing
    page.get_by_role("button", name=f"Remove {name}").click()
    expect(row(page, name)).to_have_count(0)
    assert store.operators.keyed(second) is None
    told = [(each.action, each.about) for each in store.audit_log.entries() if name in (each.about or "")]
    assert told == [
        ("operator.add", f"{name} as viewer"),
        ("operator.role", f"{name} as operator"),
        ("operator.rotate", name),
        ("operator.remove", name),
    ]


def test_who_may_sign_in_is_a_list(page: Page, staffed: OperatorSite) -> None:
    log_in(page, staffed.keys[Role.ADMINISTRATOR])
    page.goto("/dashboard/operators")
    page.get_by_text("Let somebody sign in").click()
    page.get_by_label("Kind").select_option("group")
    page.get_by_label(re.compile("^Which, as")).fill("staff/night")
    page.locator("#as").select_option("viewer")
    page.get_by_role("button", name="Put on the list").click()
    expect(row(page, "staff/night")).to_contain_text("viewer")
    assert staffed.store.sign_ins.rules() == [("group", "staff/night", Role.VIEWER)]
    row(page, "staff/night").get_by_role("button", name="Take off the list").click()
    expect(page.get_by_text("Nobody is on the list.")).to_be_visible()
    assert staffed.store.sign_ins.rules() == []


def test_the_log_is_read_searched_checked_and_taken(page: Page, staffed: OperatorSite) -> None:
    store = staffed.store
    log_in(page, staffed.keys[Role.ADMINISTRATOR])
    page.goto("/dashboard/communities/cats")
    page.get_by_label("Name", exact=True).fill("Cats and more")
    page.get_by_role("button", name="Rename").click()
    page.get_by_role("link", name="Log", exact=True).click()
    newest = page.get_by_role("row").nth(1)
    expect(newest).to_contain_text("community.rename")
    expect(newest).to_contain_text("administrator, dashboard")
    page.get_by_label("Community or operator").fill("cats")
    page.get_by_label("What").fill("rename")
    page.get_by_role("button", name="Show").click()
    expect(page.get_by_role("row")).to_have_count(2)
    with page.expect_download() as loading:
        page.get_by_role("link", name="JSON").click()
    taken = json.loads(loading.value.path().read_text())
    entries = store.audit_log.entries()  # with the download as the last one
    assert [(each["number"], each["digest"]) for each in taken] == [(each.number, each.digest) for each in entries]
    assert entries[-1].action == "log.download"
    with page.expect_download() as loading:
        page.get_by_role("link", name="CSV").click()
    table = csv.DictReader(loading.value.path().read_text().splitlines())
    assert [line["number"] for line in table][-1] == str(len(entries) + 1)
    page.get_by_role("button", name="Check the chain").click()
    expect(page.get_by_role("status")).to_contain_text(f"Verified up to entry {len(entries) + 1}")
    head = page.locator("#head").inner_text()
    assert head == store.audit_log.head()
    page.get_by_label(re.compile("^A head that you kept")).fill("9" + head)
    page.get_by_role("button", name="Check the chain").click()
    expect(page.get_by_role("alert")).to_contain_text("the head that you kept is of entry 9")
    page.get_by_label(re.compile("^A head that you kept")).fill("nonsense")
    page.get_by_role("button", name="Check the chain").click()
    expect(page.get_by_role("alert")).to_contain_text("a number, a colon and 64 hexadecimal digits")
    with transaction(store.engine, writes=True) as connection:
        connection.exec_driver_sql("DROP TRIGGER audit_log_no_update")
        connection.exec_driver_sql("UPDATE audit_log SET about = 'dogs' WHERE number = 2")
    page.get_by_label(re.compile("^A head that you kept")).fill("")
    page.get_by_role("button", name="Check the chain").click()
    expect(page.get_by_role("alert")).to_contain_text("The log is not as it was written. Entry 2 is broken")
    with transaction(store.engine, writes=True) as connection:
        connection.exec_driver_sql("UPDATE audit_log SET about = ? WHERE number = 2", (entries[1].about,))


def menu(page: str) -> list[str]:
    """The addresses in a page's menu."""
    return re.findall(r'href="([^"]+)"', page[page.index("<nav") : page.index("</nav")])


FOR_ADMINISTRATORS = ("/dashboard/operators", "/dashboard/log", "/dashboard/log/download")


@pytest.mark.attack("collector")
@pytest.mark.parametrize("role", [Role.VIEWER, Role.OPERATOR])
def test_others_are_told_why_not(staffed: OperatorSite, role: Role) -> None:
    """A viewer or an operator who gives herself a role, reads the log or takes another's key."""
    headers = {"Accept": "text/html"}
    with httpx.Client(base_url=staffed.collector.url, headers=headers) as http:
        http.post("/login", data={"key": staffed.keys[role]})
        home = http.get("/dashboard").text
        for address in FOR_ADMINISTRATORS:
            answer = http.get(address)
            assert answer.status_code == 403
            assert f"This takes an administrator, and you are signed in as {role.title}." in answer.text
            assert "Ask an administrator" in answer.text
            assert menu(answer.text) == menu(home)  # hers, not a visitor's
            assert f'"{address}"' not in home
    refused = [each for each in staffed.store.audit_log.entries() if each.actor == role.title]
    assert [each.action for each in refused if each.outcome == "forbidden"] == [
        "operator.list",
        "log.read",
        "log.download",
    ]
