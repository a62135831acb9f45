"""The way of a member, as she sees it: from the link to the receipt, and every sentence for what can go wrong."""

from __future__ import annotations

import json
import math
import re
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect
from tests.clients.web.conftest import INSECURE
from tests.clients.web.member import Member, call
from tests.clients.web.site import BIRDS, INQUIRY, ROSTER, Site

from graphldp.collector.storage import schema
from graphldp.collector.storage.database import transaction
from graphldp.wire import Choice, Invitation, decode, roster_digest, spoken

NewContext = Callable[..., BrowserContext]
STEPS = 4
MOST_WORDS = 300


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
    for _ in range(2):
        button(page, "Go on").click()
    heading(page, "Who are your friends?")


def mastodon(names: list[str]) -> str:
    return "Account address,Show boosts\n" + "".join(f"{name},true\n" for name in names)


def told_by_services(page: Page, name: str) -> list[str]:
    """Where a name stands that a browser's translation or spelling service would be sent."""
    found: list[str] = page.evaluate(
        """name => [...document.querySelectorAll('main *')].filter(each => !each.closest('[translate=no]')
        && [...each.childNodes].some(child => child.nodeType === 3 && child.data.includes(name))
        || each.type === 'search' && each.spellcheck
        || each.matches('[type=search], .ticks input') && each.autocomplete !== 'off').map(each => each.outerHTML)""",
        name,
    )
    return found


@pytest.mark.attack("page")
def test_the_way_of_a_member(new_context: NewContext, site: Site, tmp_path: Path) -> None:
    """The token in the address bar, or in what a page hands on; a list that a browser's services would be sent."""
    member = Member(new_context(locale="en"), site.link(20))
    page = member.opened()
    heading(page, "The cat lovers")
    assert page.url == f"{site.collector.url}/join"  # the token is out of the address
    expect(page.locator("main")).to_contain_text("You are cat 20.")
    assert page.locator("dl.inquiry dd").all_inner_texts() == [INQUIRY.operator, INQUIRY.purpose, INQUIRY.contact]
    assert page.locator("dl.inquiry").locator("a, b, img").count() == 0  # letter by letter
    button(page, "Go on").click()
    expect(page.locator("main")).to_contain_text(
        "becomes 23.2% at most by your report, 45.1% with that friend’s at equal ε."
    )
    page.get_by_role("radio", name="Private: ε = 0.5 (careful)").check()
    expect(page.locator("main")).to_contain_text("becomes 15.5% at most")
    page.get_by_role("radio", name=re.compile("^Hides nothing")).check()
    expect(page.locator("main")).to_contain_text("This choice hides nothing.")
    page.get_by_role("radio", name="Fairly private: ε = 1 (standard)").check()
    page.get_by_text("Example", exact=True).click()
    expect(page.locator("main")).to_contain_text("Ada does not exist")
    expect(page.locator(".report")).to_contain_text("The report says: “about")
    button(page, "Go on").click()
    heading(page, "Who are your friends?")
    expect(button(page, "Go on")).to_be_disabled()
    give(page, "following_accounts.csv", mastodon([f"dog {each}" for each in range(212)]))
    expect(page.locator("main")).to_contain_text("0 of your 212 friends are members.")
    expect(button(page, "Go on")).to_be_disabled()
    give(page, "following_accounts.csv", mastodon([*ROSTER[30:40], "dog 1", "dog 2"]))
    expect(page.locator("main")).to_contain_text("10 of your 12 friends are members.")
    page.get_by_label("Or find and tick members").fill("cat 299")
    page.get_by_role("checkbox", name="cat 299").check()
    assert told_by_services(page, "cat 30") == told_by_services(page, "cat 299") == []
    button(page, "Go on").click()
    heading(page, "Do you agree?")
    expect(page.locator("main")).to_contain_text("Your friends here (11): cat 30, cat 31,")
    assert told_by_services(page, "cat 30") == []
    expect(page.locator("main")).to_contain_text("Reports are kept without a promised end. You can take yours back")
    expect(page.locator("main")).to_contain_text("You will have used ε = 1 of 5.")
    assert [(each.method, each.url.partition("/v1")[2]) for each in member.requests if "/v1" in each.url] == [
        ("GET", "/communities/cats")
    ]
    member.requests.clear()
    button(page, "Agree and send").click()
    heading(page, "This is what left")
    assert [each.method for each in member.requests] == ["PUT"]
    body = site.stored("cats", 20)
    assert body is not None
    assert member.bodies == [body]
    expect(page.locator("main code")).to_have_text(body.hex())
    named = page.locator(".person.kept, .person.lost").all()
    assert told_by_services(page, "cat 30") == []
    assert {"cat 30", "cat 299"} <= {each.inner_text().splitlines()[0][2:] for each in named}
    with page.expect_download() as download:
        page.get_by_text(re.compile(r"^The \d+ bytes$")).click()
        button(page, "Save what left").click()
    assert json.loads(download.value.path().read_text())["user"] == 20
    with page.expect_download() as download:
        button(page, "Save my link").click()
    assert download.value.path().read_text() == f"{member.link}\n"
    # later: the link again, the same page again, and home
    page.goto(member.link)
    page.reload()
    heading(page, "Your communities")
    button(page, "Show what left").click()
    expect(page.locator("main")).to_contain_text("Your list is not kept in this browser")
    assert page.locator(".person.kept, .person.lost, .legend").count() == 0  # the list is not kept
    button(page, "Your communities").first.click()
    expect(page.get_by_role("region", name="The cat lovers")).to_contain_text("The server has your report.")
    button(page, "Check that the server still has it").click()
    expect(page.get_by_role("status")).to_have_text("The server has your report.")
    assert len(member.bodies) == 1
    page.get_by_text("Forget", exact=True).click()
    button(page, "Forget The cat lovers in this browser").click()
    expect(page.locator("main")).to_contain_text("You are in no community yet.")
    expect(page.locator("main")).to_contain_text("ε = 1 of 5")


def words(page: Page) -> int:
    """How many there are to read on a screen, but for names and what the operator says."""
    read: str = page.evaluate(
        """() => {
        const own = [...document.querySelectorAll("main .inquiry dd, main .ticks, main .people")];
        for (const each of own) each.style.display = "none";
        const text = document.querySelector("main").innerText;
        for (const each of own) each.style.display = "";
        return text;
    }"""
    )
    return len(re.sub(r"bears?( \d+)?", "", read).split())


def test_a_member_is_done_in_five_screens_and_three_hundred_words(new_context: NewContext, site: Site) -> None:
    """Noisy degrees, in English; names and what the operator says are aside."""
    page = Member(new_context(locale="en", viewport={"width": 390, "height": 844}), site.link_of("bears", 3)).opened()
    counted = []
    for _ in range(STEPS):
        expect(page.locator("main .buttons button").first).to_be_visible()
        if page.locator(".drop").count():
            page.get_by_role("checkbox", name="bear 5", exact=True).check()
        expect(page.locator("main")).not_to_contain_text("undefined")
        counted.append(words(page))
        page.locator("main .buttons button").first.click()
    heading(page, "This is what left")
    counted.append(words(page))
    assert len(counted) == 5
    assert sum(counted) < MOST_WORDS, counted


def test_a_member_who_says_no_is_told_what_that_shows(new_context: NewContext, site: Site) -> None:
    member = Member(new_context(locale="en"), site.link_of("bears", 4))
    page = member.opened()
    yes, no = (button(page, name).bounding_box() for name in ("Go on", "No, thank you"))
    assert yes is not None
    assert no is not None
    assert yes["height"] == no["height"]  # a button like the other
    styles = [
        button(page, name).evaluate("(each) => getComputedStyle(each).backgroundColor")
        for name in ("Go on", "No, thank you")
    ]
    assert len(set(styles)) == 1
    button(page, "No, thank you").click()
    heading(page, "You said no")
    expect(page.locator("main")).to_contain_text("sees that your link was opened and that no report came.")
    assert member.bodies == []


def test_what_went_wrong_is_seen_and_has_the_focus(new_context: NewContext, site: Site) -> None:
    """On a phone, where the end of the screen is out of sight; and it says whom to ask where somebody can help."""
    context, link = new_context(locale="en", viewport={"width": 390, "height": 600}), site.link_of("bears", 5)
    page = opened(context, link)
    to_friends(page)
    give(page, "a.zip", b"PK\xff\xfe")
    expect(page.get_by_role("alert")).to_be_focused()
    expect(page.get_by_role("alert")).to_be_in_viewport()
    site.store.invite("bears", [5])  # the link above is void from here on
    page = opened(context, link)
    expect(page.get_by_role("alert")).to_contain_text(
        "Ask for a new one. Whom to ask: The cat club, https://cats.example"
    )


def test_what_is_kept_of_a_public_list_is_said_before_she_agrees(new_context: NewContext, site: Site) -> None:
    page = Member(new_context(locale="de"), site.link(21)).opened()
    expect(page.locator("main")).to_contain_text("Nur wenn du es auf der nächsten Seite so wählst, wird deine Liste")
    page.get_by_role("button", name="Weiter").click()
    page.get_by_role("radio", name=re.compile("^Verbirgt nichts")).check()
    page.get_by_role("button", name="Weiter").click()
    give(page, "friends.txt", ROSTER[30].encode())
    page.get_by_role("button", name="Weiter").click()
    expect(page.locator("main")).to_contain_text("Der Bericht bleibt in diesem Browser, und er ist deine Liste.")
    expect(page.locator("main")).not_to_contain_text("nicht deine Liste")
    bare = Choice("open", math.inf, math.inf)
    site.store.open_community("moths", ["ann", "bob"], mechanism="dprr", choices=[bare])
    page.goto(site.link_of("moths", 1))
    heading(page, "moths")
    expect(page.locator("main")).to_contain_text("Sie schickt deine Liste, wie sie ist")
    expect(page.locator("main")).not_to_contain_text("Deine Liste bleibt hier")


def test_a_public_list_is_nowhere_said_to_hold_chance(new_context: NewContext, site: Site) -> None:
    """Neither before she agrees nor beside what left: whoever reads her list knows who is real."""
    bare = [Choice("some", 0.1, 0.9), Choice("open", math.inf, math.inf)]
    site.store.open_community("ants", ["ann", "bob", "cy"], mechanism="dprr", choices=bare)
    page = Member(new_context(locale="en"), site.link_of("ants", 1)).opened()
    button(page, "Go on").click()
    page.get_by_text("Example", exact=True).click()
    expect(page.locator("main")).to_contain_text("not who is real")
    page.get_by_role("radio", name=re.compile("^Hides nothing")).check()
    expect(page.locator("main")).not_to_contain_text("Ada")
    page.get_by_role("radio", name=re.compile("^Fairly private")).check()
    expect(page.get_by_text("Ada does not exist")).to_be_hidden()  # what was drawn for the other choice is gone
    page.get_by_role("radio", name=re.compile("^Hides nothing")).check()
    button(page, "Go on").click()
    give(page, "friends.txt", "ann")
    button(page, "Go on").click()
    button(page, "Agree and send").click()
    heading(page, "This is what left")
    expect(page.locator("main")).to_contain_text("✓ ann")
    for chance in ("who is real", "chance", "stranger,"):
        expect(page.locator("main")).not_to_contain_text(chance)


def test_who_is_asked_again_is_not_told_of_one_number(new_context: NewContext, site: Site) -> None:
    for language, one in (("en", "Only a blurred number leaves"), ("de", "nur eine unscharfe Zahl")):
        page = opened(new_context(locale=language), site.link_of("bees", 8))
        expect(page.locator("main .lead")).to_contain_text({"en": "numbers", "de": "Zahlen"}[language])
        expect(page.locator("main")).not_to_contain_text(one)


# where a digit stands in what a screen shows of a name
PLACE = """([label, digit]) => {
  const text = [...label.childNodes].find((each) => each.nodeType === 3 && each.data.trim());
  const at = (from, to) => { const range = document.createRange(); range.setStart(text, from); range.setEnd(text, to);
    return range.getBoundingClientRect(); };
  const place = text.data.indexOf(digit);
  return at(place, place + 1).x - at(0, text.data.length).x;
}"""


@pytest.mark.attack("page")
def test_names_from_right_to_left_and_long_ones_stand_apart(new_context: NewContext, site: Site) -> None:
    """A name and its digit, one before the other and the other way round; names as long as screens are not."""
    david = "\u05d3\u05d5\u05d3"
    names = [f"{david}1", f"1{david}", "W" * 200, "i" * 200, "ann"]
    site.store.open_community("hosts", names, mechanism="rr", choices=[Choice("x" * 200, 0.0, 1.0)], name="M" * 200)
    page = Member(new_context(locale="en", viewport={"width": 390, "height": 900}), site.link_of("hosts", 4)).opened()
    for step in range(STEPS):
        expect(page.locator(".steps")).to_have_text(f"{step + 1}/{STEPS}")
        if step == 2:
            give(page, "friends.txt", "\n".join(names[:3]))
            expect(page.locator("main .good")).to_be_visible()
            for shown in (page.locator(".ticks label"), page.locator(".person")):
                first, second = (shown.nth(place).evaluate_handle("each => each") for place in range(2))
                places = [page.evaluate(PLACE, [each, "1"]) for each in (first, second)]
                assert abs(places[0] - places[1]) > 5
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), step
        page.locator("main .buttons button").first.click()
    heading(page, "This is what left")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.attack("page")
def test_a_lost_connection_and_a_new_round(new_context: NewContext, site: Site) -> None:
    """Markup in the names of a community, its members and choices."""
    member = Member(new_context(locale="en"), site.bird_link())
    page = member.opened()
    to_friends(page)
    expect(page.get_by_role("checkbox", name="<b>ann</b>")).to_be_visible()
    page.get_by_label("I have no friends in this community").check()
    button(page, "Go on").click()
    member.context.set_offline(True)
    button(page, "Agree and send").click()
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


@pytest.mark.attack("page")
def test_a_new_link_for_a_new_round_and_the_old_report_taken_back(new_context: NewContext, site: Site) -> None:
    """Drop the promise to delete reports, in a new epoch, before a member's browser. Keep what was reported, by a new
    round or in a cleared or forgetful browser.

    Her first link was replaced meanwhile, and the collector has dropped its promise to delete reports. She takes
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
    to_friends(page)
    page.get_by_role("checkbox", name="ann").check()
    button(page, "Go on").click()
    expect(page.locator("main")).to_contain_text(f"Reports are kept {kept}.")
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


@pytest.mark.attack("page")
def test_friends_are_counted_by_the_groups_that_she_was_shown(new_context: NewContext, site: Site) -> None:
    """Change the groups after a member's browser has pinned them.

    At ε = 16 a count has no noise, but for a chance of 10⁻⁷. The collector moves a friend into her own group.
    """
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
    expect(page.locator("main")).to_contain_text("only 2 blurred numbers leave, one for each group, and no name.")
    button(page, "Go on").click()
    expect(page.locator("main")).to_contain_text("The groups are: <b>south</b>, north.")
    page.get_by_text("Example", exact=True).click()
    expect(page.locator(".report")).to_contain_text("The report says how many friends are in each group:")
    button(page, "Go on").click()
    for name in ("bob", "cid", "dora"):
        page.get_by_role("checkbox", name=name).check()
    button(page, "Go on").click()
    button(page, "Agree and send").click()
    heading(page, "This is what left")
    expect(page.locator(".report li").first).to_have_text("<b>south</b>: “about 1”. That is the true number.")
    expect(page.locator(".report")).to_contain_text("It names nobody.")
    (body,) = member.bodies
    assert decode(body, n=5).counts == (1, 2)
    assert site.stored("pets", 0) == body


@pytest.mark.attack("page")
def test_pairs_of_friends_are_asked_about_by_everybodys_blurred_list(new_context: NewContext, site: Site) -> None:
    """Who will read the list is said before it is drawn; the answer is one message, and the list is gone then."""
    member = Member(new_context(locale="en", viewport={"width": 390, "height": 844}), site.link_of("owls", 3))
    page, owls = member.opened(), site.store.community("owls")
    expect(page.locator("main")).to_contain_text("A blurred number leaves, and a blurred copy")
    button(page, "Go on").click()
    expect(page.locator("main")).to_contain_text("every member gets everybody’s blurred list, yours too")
    expect(page.locator("main")).to_contain_text("Fairly private (ε = 1)")
    button(page, "Go on").click()
    for friend in (5, 6, 7, 30):
        page.get_by_label("Or find and tick members").fill(f"owl {friend}")
        page.get_by_role("checkbox", name=f"owl {friend}", exact=True).check()
    button(page, "Go on").click()
    last = owls.answer_until
    assert last is not None
    expect(page.locator("main")).to_contain_text(f"and until {last:%B} {last.day}, {last.year} at most")
    expect(page.locator("main")).to_contain_text("You will have used ε = 1 of 5.")
    button(page, "Agree and send").click()
    heading(page, "This is what left")
    expect(page.locator("main")).to_contain_text("You are asked one more question, once the others have reported.")
    body = site.stored("owls", 3)
    assert body is not None
    report = decode(body, n=60)
    assert (report.mechanism, report.epsilon1, report.epsilon2) == ("closed-pairs", 0.25, 0.75)
    button(page, "Your communities").first.click()
    button(page, "Answer the second question").click()
    expect(page.get_by_role("alert")).to_contain_text("The question is not there yet.")
    question = site.store.second_round.ask("owls")
    expect(page.get_by_role("region", name="owls")).to_contain_text("by the blurred lists of all")
    button(page, "Answer the second question").click()
    expect(page.get_by_role("region", name="owls")).to_contain_text(f"honest community: {spoken(question.digest)}.")
    (answer,) = site.store.second_round.answers(owls)
    assert (answer.user, answer.question) == (3, question.digest)
    expect(page.locator("main")).to_contain_text("ε = 1 of 5")
    expect(button(page, "Do not answer, and delete my list")).to_have_count(0)
    assert page.evaluate("document.documentElement.scrollWidth") == 390


@pytest.mark.attack("page")
def test_a_cleared_browser_takes_the_report_back_by_the_link(new_context: NewContext, site: Site) -> None:
    """Keep what was reported, by a new round or in a cleared or forgetful browser."""
    member = Member(new_context(locale="en"), site.link(27))
    assert member.report(member.opened(), [30])["value"]["state"] == "sent"
    page = opened(new_context(locale="en"), member.link)
    expect(page.get_by_role("alert")).to_contain_text("This link was used already")
    expect(button(page, "Try again")).to_have_count(0)
    page.get_by_text("Take my report back").click()
    button(page, "Have my report to cats deleted").click()
    expect(page.locator("main")).to_contain_text("You took your report back, and the server has deleted it.")
    assert site.stored("cats", 27) is None


@pytest.mark.attack("page")
def test_a_limit_that_is_none_changes_nothing(new_context: NewContext) -> None:
    """A limit of ten thousand million, typed by mistake or on bad advice."""
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
    for _ in range(2):
        page.keyboard.press("Tab")
        page.keyboard.press("Tab")
        while page.evaluate("document.activeElement.textContent") != "Weiter":
            page.keyboard.press("Tab")
        page.keyboard.press("Enter")
    heading(page, "Wer sind deine Freunde?")
    assert page.evaluate("document.activeElement.tagName") == "H1"  # where a screen reader goes on
    button(page, "English").click()
    heading(page, "Who are your friends?")
    assert page.evaluate("document.documentElement.lang") == "en"


LOOKS: tuple[tuple[Literal["light", "dark"], int], ...] = (("light", 390), ("dark", 1100))


def test_every_screen_fits_and_has_no_barrier(web: Path, new_context: NewContext, site: Site) -> None:
    """Nothing sticks out sideways, and axe finds nothing, on a phone in light and on a desk in dark colours."""
    axe = (web / "node_modules" / "axe-core" / "axe.min.js").read_text()
    page = Member(new_context(locale="en"), site.link(24)).opened()
    page.evaluate(axe)  # once: all screens are one page

    def check() -> None:
        for scheme, width in LOOKS:
            page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
            page.set_viewport_size({"width": width, "height": 900})
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), page.locator("h1").inner_text()
            found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
            assert [(each["id"], each["nodes"][0]["html"]) for each in found["violations"]] == [], (scheme, width)

    for step in range(STEPS):
        expect(page.locator(".steps")).to_have_text(f"{step + 1}/{STEPS}")
        if step == 2:
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
