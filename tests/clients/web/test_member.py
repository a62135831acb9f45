"""The way of a member, as she sees it: from the link to the receipt, and every sentence for what can go wrong."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Literal

from playwright.sync_api import BrowserContext, Locator, Page, expect
from tests.clients.web.conftest import INSECURE
from tests.clients.web.member import Member, call
from tests.clients.web.site import BIRDS, ROSTER, Site

from graphldp.collector.storage import schema
from graphldp.collector.storage.database import transaction
from graphldp.wire import Choice, Invitation, decode, roster_digest

NewContext = Callable[..., BrowserContext]
STEPS = 7


def opened(context: BrowserContext, address: str) -> Page:
    page = context.new_page()
    page.set_default_timeout(60_000)
    page.goto(address)
    return page


def button(page: Page, name: str) -> Locator:
    return page.get_by_role("button", name=name, exact=True)


def heading(page: Page, text: str) -> None:
    expect(page.get_by_role("heading", level=1)).to_have_text(text)


def give(page: Page, name: str, text: str | bytes) -> None:
    data = text if isinstance(text, bytes) else text.encode()
    page.locator(".drop input").set_input_files({"name": name, "mimeType": "text/plain", "buffer": data})


def to_friends(page: Page) -> None:
    for _ in range(4):
        button(page, "Go on").click()
    heading(page, "Who are your friends?")


def mastodon(names: list[str]) -> str:
    return "Account address,Show boosts\n" + "".join(f"{name},true\n" for name in names)


def test_the_way_of_a_member(new_context: NewContext, site: Site, tmp_path: Path) -> None:
    member = Member(new_context(locale="en"), site.link(20))
    page = opened(member.context, member.link)
    heading(page, "The cat lovers")
    assert page.url == f"{site.collector.url}/join"  # the token is out of the address
    expect(page.locator("dl")).to_contain_text("cat 20")
    button(page, "Go on").click()
    expect(page.locator("main")).to_contain_text("they can think 23.2% at most")
    page.get_by_role("radio", name="careful: ε = 0.5").check()
    expect(page.locator("main")).to_contain_text("they can think 15.5% at most")
    page.get_by_role("radio", name=re.compile("^public")).check()
    expect(page.locator("main")).to_contain_text("This choice hides nothing.")
    page.get_by_role("radio", name="standard: ε = 1").check()
    for _ in range(3):
        button(page, "Go on").click()
    heading(page, "Who are your friends?")
    expect(button(page, "Go on")).to_be_disabled()
    give(page, "following_accounts.csv", mastodon([f"dog {each}" for each in range(212)]))
    expect(page.locator("main")).to_contain_text("0 of your 212 friends are members.")
    expect(button(page, "Go on")).to_be_disabled()
    give(page, "following_accounts.csv", mastodon([*ROSTER[30:40], "dog 1", "dog 2"]))
    expect(page.locator("main")).to_contain_text("10 of your 12 friends are members.")
    page.get_by_label("Find a member").fill("cat 299")
    page.get_by_role("checkbox", name="cat 299").check()
    button(page, "Go on").click()
    heading(page, "What such a report looks like")
    expect(page.locator("main")).to_contain_text("Ada does not exist")
    expect(page.locator(".report")).to_contain_text("The report says: “about")
    button(page, "Go on").click()
    heading(page, "Do you agree?")
    expect(page.locator("main")).to_contain_text("Your friends here (11): cat 30, cat 31,")
    expect(page.locator("main")).to_contain_text("Reports are kept without a promised end.")
    expect(page.locator("main")).to_contain_text("You will then have given 1 of your limit of 5.")
    assert [(each.method, each.url.partition("/v1")[2]) for each in member.requests if "/v1" in each.url] == [
        ("GET", "/communities/cats")
    ]
    button(page, "I agree: draw and send").click()
    heading(page, "This is what left")
    body = site.stored("cats", 20)
    assert body is not None
    assert member.bodies == [body]
    expect(page.locator("main code")).to_have_text(body.hex())
    named = page.locator(".person.kept, .person.lost").all()
    assert {"cat 30", "cat 299"} <= {each.inner_text().splitlines()[0][2:] for each in named}
    with page.expect_download() as download:
        button(page, "Save what left").click()
    assert json.loads(download.value.path().read_text())["user"] == 20
    # later: the link again, the same page again, and home
    page.goto(member.link)
    page.reload()
    heading(page, "Your communities")
    expect(page.get_by_role("region", name="The cat lovers")).to_contain_text("The server has your report.")
    button(page, "Check that the server still has it").click()
    expect(page.get_by_role("status")).to_have_text("The server has your report.")
    assert len(member.bodies) == 1
    page.get_by_text("Forget", exact=True).click()
    button(page, "Forget The cat lovers in this browser").click()
    expect(page.locator("main")).to_contain_text("You are in no community yet.")
    expect(page.locator("main")).to_contain_text("ε = 1 of 5")


def test_a_lost_connection_and_a_new_round(new_context: NewContext, site: Site) -> None:
    member = Member(new_context(locale="en"), site.bird_link())
    page = opened(member.context, member.link)
    to_friends(page)
    expect(page.get_by_role("checkbox", name="<b>ann</b>")).to_be_visible()
    page.get_by_label("I have no friends in this community").check()
    for _ in range(2):
        button(page, "Go on").click()
    member.context.set_offline(True)
    button(page, "I agree: draw and send").click()
    expect(page.get_by_role("alert")).to_contain_text("The server was not reached.")
    expect(page.locator("main")).to_contain_text("Your report is drawn and kept in this browser. It is not sent yet.")
    assert page.locator(".report").count() == 0  # nothing to look at before it is sent
    member.context.set_offline(False)
    button(page, "Send the same report again").click()
    heading(page, "This is what left")
    expect(page.locator(".report")).to_contain_text("The report says: “about")
    expect(page.locator(".report")).to_contain_text("It names nobody.")
    assert set(member.bodies) == {site.stored("birds", 1)}
    site.store.open_epoch("birds")
    page.goto(member.link)
    heading(page, "The community has changed")
    expect(page.locator("main")).to_contain_text("It now collects in round 2.")
    button(page, "Take part in the new round").click()
    heading(page, BIRDS)


def test_a_new_link_for_a_new_round_and_the_old_report_taken_back(new_context: NewContext, site: Site) -> None:
    """Her first link was replaced meanwhile, and the collector has dropped its promise to delete reports. She takes
    the new round, and then rather takes back what she sent.
    """
    offer, roster = [Choice("only", 1.0, 0.0)], ["ann", "bob"]
    site.store.open_community(
        "fish", roster, mechanism="noisy-degrees", choices=offer, retention_days=90, keeps_models=False
    )

    def link() -> str:
        return Invitation(site.collector.url, "fish", site.store.invite("fish", [1])[1]).to_link()

    member = Member(new_context(locale="en"), link())
    page = member.opened()
    kept = "for 90 days; what was learned from them is deleted as well"
    expect(page.locator("dl")).to_contain_text(f"Reports are kept{kept}")
    assert member.report(page, [0], "only")["value"]["state"] == "sent"
    with transaction(site.store.engine, writes=True) as connection:
        table = schema.communities
        connection.execute(table.update().where(table.c.id == "fish").values(retention_days=None))
    site.store.open_epoch("fish")
    page.goto(link())
    heading(page, "The community has changed")
    expect(page.locator("dl")).to_have_text(f"Reports are keptwithout a promised endit was: {kept}")
    button(page, "Take part in the new round").click()
    heading(page, "fish")
    button(page, "Your communities").click()
    page.get_by_text("Take my report back").click()
    button(page, "Have my report to fish deleted").click()
    expect(page.get_by_text("Take my report back")).to_have_count(0)
    expect(page.get_by_role("region", name="fish")).to_contain_text("You have not reported yet.")
    assert [each.url[-7:] for each in member.requests if each.method == "DELETE"] == ["epoch=1"]
    assert member.report(page, [0], "only")["value"]["state"] == "sent"


def test_friends_are_counted_by_the_groups_that_she_was_shown(new_context: NewContext, site: Site) -> None:
    """At ε = 16 a count has no noise, but for a chance of 10⁻⁷. The collector moves a friend into her own group."""
    roster, groups = ["ann", "bob", "cid", "dora", "eve"], ["north", "<b>south</b>", "north", "north", "<b>south</b>"]
    choices = [Choice("only", 16.0, 0.0)]
    made = site.store.open_community("pets", roster, mechanism="friend-counts", choices=choices, groups=groups)
    member = Member(
        new_context(locale="en"), Invitation(site.collector.url, "pets", site.store.invite("pets")[0]).to_link()
    )
    page = member.opened()
    call(page, "setCap", 20)
    table, other = schema.communities, [0, 0, 1, 0, 0]
    digest = roster_digest(roster, made.group_names, other)
    with transaction(site.store.engine, writes=True) as connection:
        lie = {"groups": zlib.compress(bytes(other)), "roster_digest": digest}
        connection.execute(table.update().where(table.c.key == made.key).values(**lie))
    button(page, "Go on").click()
    expect(page.locator("main")).to_contain_text(
        "in each of 2 groups: <b>south</b>, north. One blurred number for each group"
    )
    for _ in range(3):
        button(page, "Go on").click()
    for name in ("bob", "cid", "dora"):
        page.get_by_role("checkbox", name=name).check()
    button(page, "Go on").click()
    expect(page.locator(".report")).to_contain_text("The report says how many friends are in each group:")
    button(page, "Go on").click()
    expect(page.locator("main")).to_contain_text("in each of 2 groups")
    button(page, "I agree: draw and send").click()
    heading(page, "This is what left")
    expect(page.locator(".report li").first).to_have_text("<b>south</b>: “about 1”. That is the true number.")
    expect(page.locator(".report")).to_contain_text("It names nobody.")
    (body,) = member.bodies
    assert decode(body, n=5).counts == (1, 2)
    assert site.stored("pets", 0) == body


def test_a_cleared_browser_takes_the_report_back_by_the_link(new_context: NewContext, site: Site) -> None:
    member = Member(new_context(locale="en"), site.link(27))
    assert member.report(member.opened(), [30])["value"]["state"] == "sent"
    page = opened(new_context(locale="en"), member.link)
    expect(page.get_by_role("alert")).to_contain_text("This link was used already")
    page.get_by_text("Take my report back").click()
    button(page, "Have my report to cats deleted").click()
    expect(page.locator("main")).to_contain_text("You took your report back, and the server has deleted it.")
    assert site.stored("cats", 27) is None


def test_a_limit_that_is_none_changes_nothing(new_context: NewContext) -> None:
    page = opened(new_context(locale="en"), "/join")
    page.get_by_text("Your limit, and other devices").click()
    field = page.get_by_label("Your limit (ε, all communities together)")
    for wrong in ("10000000000", "-1", "0", ""):
        field.fill(wrong)
        button(page, "Set the limit").click()
        assert not field.evaluate("(field) => field.validity.valid")
    page.reload()
    expect(page.locator("main")).to_contain_text("ε = 0 of 5")
    page.get_by_text("Your limit, and other devices").click()
    field.fill("0.75")
    button(page, "Set the limit").click()
    expect(page.locator("main")).to_contain_text("ε = 0 of 0.75")


LINKS = [
    ("#", "You are in no community yet."),
    ("#abc", "This link is not whole."),
    ("#7.wrong/cats", "The server does not take this link."),
    ("#7.wrong/unknown", "The server does not take this link."),
]


def test_links_that_lead_nowhere_and_files_that_are_no_lists(new_context: NewContext, site: Site) -> None:
    context = new_context(locale="en")
    for fragment, said in LINKS:
        page = opened(context, f"/join{fragment}")
        expect(page.locator("main")).to_contain_text(said)
        page.close()
    page = opened(context, site.link(21))
    to_friends(page)
    files: list[tuple[str, str | bytes, str]] = [
        ("a.zip", b"PK\xff\xfe", "This file is no text."),
        ("a.json", '{"secret-name": 1}', "This file is no list of names."),
        ("a.csv", "", "The file holds no names."),
        ("a.txt", "cat;1\ncat;2", "Its lines look like several columns"),
        ("a.txt", "cat 1@host", "1 more would match but for the part after the @"),
    ]
    for name, data, said in files:
        give(page, name, data)
        expect(page.locator("main")).to_contain_text(said)
        expect(page.locator("main")).not_to_contain_text("secret-name")
    drop = """(zone) => {
        const given = new DataTransfer();
        given.items.add(new File(["@CAT 5\\ncat 6\\n"], "friends.txt"));
        zone.dispatchEvent(new DragEvent("drop", {dataTransfer: given, bubbles: true, cancelable: true}));
    }"""
    page.locator(".drop").evaluate(drop)
    expect(page.locator("main")).to_contain_text("2 of your 2 friends are members.")
    expect(button(page, "Go on")).to_be_enabled()


def test_a_browser_that_lacks_something_says_so(new_context: NewContext, site: Site) -> None:
    insecure = new_context(locale="en")
    page = opened(insecure, site.link(22).replace("127.0.0.1", INSECURE))
    expect(page.get_by_role("alert")).to_contain_text("This browser cannot throw dice safely")
    for name, said in (("indexedDB", "lets the page keep nothing"), ("Worker", "too old")):
        context = new_context(locale="en")
        context.add_init_script(f"Object.defineProperty(window, '{name}', {{value: undefined}})")
        page = opened(context, site.link(22))
        expect(page.get_by_role("alert")).to_contain_text(said)


def test_a_member_who_reads_german_with_a_keyboard(new_context: NewContext, site: Site) -> None:
    page = opened(new_context(locale="de-DE"), site.link(23))
    heading(page, "The cat lovers")
    assert page.evaluate("document.documentElement.lang") == "de"
    for _ in range(3):
        page.keyboard.press("Tab")
        page.keyboard.press("Tab")
        while page.evaluate("document.activeElement.textContent") != "Weiter":
            page.keyboard.press("Tab")
        page.keyboard.press("Enter")
    heading(page, "Es geschieht einmal")
    assert page.evaluate("document.activeElement.tagName") == "H1"  # where a screen reader goes on
    button(page, "English").click()
    heading(page, "It is done once")
    assert page.evaluate("document.documentElement.lang") == "en"


LOOKS: tuple[tuple[Literal["light", "dark"], int], ...] = (("light", 390), ("dark", 1100))


def test_every_screen_fits_and_has_no_barrier(web: Path, new_context: NewContext, site: Site) -> None:
    """Nothing sticks out sideways, and axe finds nothing, on a phone in light and on a desk in dark colours."""
    axe = (web / "node_modules" / "axe-core" / "axe.min.js").read_text()
    page = opened(new_context(locale="en"), site.link(24))
    page.evaluate(axe)  # once: all screens are one page

    def check() -> None:
        for scheme, width in LOOKS:
            page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
            page.set_viewport_size({"width": width, "height": 900})
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), page.locator("h1").inner_text()
            found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
            assert [(each["id"], each["nodes"][0]["html"]) for each in found["violations"]] == [], (scheme, width)

    for step in range(STEPS):
        expect(page.locator(".steps")).to_have_text(f"Step {step + 1} of {STEPS}")
        if step == 4:
            give(page, "friends.txt", "\n".join([*ROSTER[30:290], "x" * 60]))
            expect(page.locator("main .good")).to_be_visible()
            assert page.locator(".people").evaluate("(list) => list.clientHeight < innerHeight")
        check()
        page.locator("main .buttons button").first.click()
    heading(page, "This is what left")
    check()
    button(page, "Your communities").first.click()
    for each in page.locator("details").all():
        each.evaluate("(details) => { details.open = true; }")
    check()
