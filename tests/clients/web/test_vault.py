"""Drawn once, kept and counted: a member's browser that is stopped at every step, runs twice or fills up."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Error
from tests.clients.web.member import Member, call
from tests.clients.web.site import Site
from tests.collector.browsing import CHROMIUM, FLAGS

from graphldp.client.keeping.ledger import Ledger
from graphldp.wire import Choice, spoken

FRIENDS = (10, 11, 12, 30)
LINK = 4  # steps of the link itself: a request and its answer, a write and its end
NewMember = Callable[..., Member]


@pytest.mark.attack("page")
@pytest.mark.long
def test_stopped_at_every_step_one_report_leaves(new_member: NewMember, site: Site) -> None:
    """Close a member's tab at any moment and let her agree again, with another list.

    Stopped before and after every write and request; then another tab goes on, with another list.
    """
    stopped, step = True, 0
    while stopped:
        step += 1
        member = new_member(100 + step, stop=LINK + step)
        page = member.opened()
        stopped = "stopped" in member.report(page, FRIENDS)
        page.close()
        member.stop = 0
        again = member.opened()
        assert member.report(again, (40, 41))["value"]["state"] == "sent"
        assert call(again, "status")["value"]["spent"] == 1
        assert len(set(member.bodies)) == 1
        assert site.stored("cats", 100 + step) == member.bodies[0]
        member.context.close()
    assert step == 13  # five writes and a request, each stopped before and after; and once not at all


def test_a_browser_that_is_killed_sends_the_same_bytes_again(browser: Browser, site: Site, tmp_path: Path) -> None:
    """A real profile on the disk, and SIGKILL when the answer to the report has arrived and is not noted yet."""
    bodies: list[bytes] = []
    for stop in (LINK + 10, 0):
        context = browser.browser_type.launch_persistent_context(
            tmp_path / "profile", executable_path=CHROMIUM, args=FLAGS
        )
        member = Member(context, site.link(5), stop=stop)
        page = member.opened()
        answer = member.report(page, (40, 41) if bodies else FRIENDS)
        bodies += member.bodies
        if stop:
            assert answer == {"stopped": True}
            for pid in processes(tmp_path / "profile"):
                os.kill(pid, signal.SIGKILL)
        with suppress(Error):  # one that was killed is gone already, or soon
            context.close()
    assert answer["value"]["state"] == "sent"
    assert len(bodies) == 2
    assert set(bodies) == {site.stored("cats", 5)}


def processes(profile: Path) -> list[int]:
    """The processes of the one browser that runs on a profile of our own."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):  # one that has ended meanwhile
            if f"--user-data-dir={profile}".encode() in path.read_bytes().split(b"\0"):
                found.append(int(path.parent.name))
    return found


@pytest.mark.attack("page")
def test_two_tabs_draw_one_report(new_member: NewMember) -> None:
    """Close a member's tab at any moment and let her agree again, with another list."""
    member = new_member(1, slow=1500)
    slow = member.opened()
    member.slow = 0
    pages = [slow, member.opened()]  # the second could send its report while the first still draws
    shown = member.shown(slow)
    start = "([where, friends]) => { window.answer = call('report', [where, 'standard', friends]); }"
    for page, friends in zip(pages, (FRIENDS, (40, 41)), strict=True):
        page.evaluate(start, [shown, list(friends)])
    answers = [page.evaluate("answer") for page in pages]
    assert answers[0]["value"]["receipt"]["bytes"] == answers[1]["value"]["receipt"]["bytes"]
    assert len(set(member.bodies)) == 1
    assert call(pages[0], "status")["value"]["spent"] == 1


def test_calls_of_one_page_are_done_in_order_and_wait_for_no_other_tab(new_member: NewMember) -> None:
    """As when somebody types a name: the last letter's answer comes last."""
    member = new_member(6)
    page = member.opened()
    typed = """async (where) => {
      const order = [];
      const texts = ["", "c", "ca", "cat", "cat 2", "cat 29"];
      await Promise.all(texts.map((text) => call("search", [where, text]).then(() => order.push(text))));
      return [order, texts];
    }"""
    order, texts = page.evaluate(typed, member.where)
    assert order == texts
    assert page.get_by_role("status").inner_text() == ""


# other data of the same site, until the browser takes no more of it
FILL = """async () => {
  const opened = indexedDB.open("other");
  opened.onupgradeneeded = () => opened.result.createObjectStore("data", {autoIncrement: true});
  await new Promise((done) => { opened.onsuccess = done; });
  for (const size of [1 << 16, 1 << 10, 1]) {
    for (let failed = false; !failed; ) {
      const writing = opened.result.transaction("data", "readwrite");
      writing.objectStore("data").add("x".repeat(size));
      failed = await new Promise((done) => {
        writing.oncomplete = () => done(false);
        writing.onabort = () => done(true);
      });
    }
  }
  opened.result.close();
}"""


@pytest.mark.long
def test_a_full_browser_loses_nothing_and_sends_nothing(new_member: NewMember, site: Site) -> None:
    member = new_member(2)
    page = member.context.new_page()
    devtools = member.context.new_cdp_session(page)
    devtools.send("Storage.overrideQuotaForOrigin", {"origin": site.collector.url, "quotaSize": 1_000_000})
    page = member.opened()
    page.evaluate(FILL)
    assert member.report(page, FRIENDS)["trouble"] == "storage-full"
    assert member.bodies == []
    page.evaluate("new Promise((done) => { indexedDB.deleteDatabase('other').onsuccess = () => done(); })")
    devtools.send("Storage.overrideQuotaForOrigin", {"origin": site.collector.url})
    assert member.report(page, FRIENDS)["value"]["state"] == "sent"
    assert call(page, "status")["value"]["spent"] == 1


@pytest.mark.attack("page")
def test_what_was_drawn_is_never_drawn_again(
    new_member: NewMember, new_context: Callable[..., BrowserContext], site: Site
) -> None:
    """A cleared browser, a forgotten or withdrawn report, a second device with the same link.

    Not above the cap, not after taking it back or forgetting it, and not in a cleared browser.
    """
    member = new_member(3)
    page = member.opened()
    call(page, "setCap", 0.75)
    assert member.report(page, FRIENDS)["trouble"] == "over-cap"
    assert member.report(page, FRIENDS, "careful")["value"]["state"] == "sent"
    assert call(page, "withdraw", member.where)["value"]["state"] == "deleted"
    assert site.stored("cats", 3) is None
    assert member.report(page, FRIENDS, "careful")["trouble"] == "withdrawn"
    assert "trouble" not in call(page, "forget", member.where)
    assert call(page, "status")["value"]["standings"] == []
    assert call(page, "status")["value"]["spent"] == 0.5
    assert call(page, "open", member.link)["trouble"] == "forgotten"
    cleared = Member(new_context(), member.link)
    assert call(cleared.opened(), "open", member.link)["trouble"] == "used-link"
    assert cleared.bodies == []
    assert len(member.bodies) == 1


def test_a_ledger_goes_to_the_other_client_and_back(new_member: NewMember, tmp_path: Path) -> None:
    member, other = new_member(4), Ledger(tmp_path / "home" / "ledger.json")
    page = member.opened()
    member.report(page, FRIENDS, "careful")
    (tmp_path / "from-browser.json").write_text(call(page, "exportLedger")["value"])
    other.charge("https://b.example", "dogs", 1, Choice("standard", 0.1, 0.9))
    other.add(tmp_path / "from-browser.json")
    assert other.spent == 1_500_000
    assert other.last_epoch(member.where["server"], "cats") == 1
    assert call(page, "addLedger", json.dumps(other.to_json()))["value"]["spent"] == 1.5
    back = tmp_path / "back.json"
    back.write_text(call(page, "exportLedger")["value"])
    before = other.to_json()
    other.add(back)
    assert other.to_json() == before
    assert call(page, "addLedger", '{"cap": 1}')["trouble"] == "not-a-ledger"


def test_a_second_question_is_answered_once(new_context: Callable[..., BrowserContext], site: Site) -> None:
    member = Member(new_context(), site.hub_link())
    page = member.opened()
    everybody = [user for user in range(90) if user != 5]
    assert call(page, "setCap", 8)["value"]["cap"] == 8
    told = member.report(page, everybody)["value"]
    assert told["asked"]
    assert call(page, "answer", member.where)["trouble"] == "not-asked-yet"
    question = site.store.second_round.ask("bees")
    for _ in range(2):
        assert call(page, "answer", member.where)["value"]["answered"] == spoken(question.digest)
    puts = [request.url.rsplit("/", 2)[1] for request in member.requests if request.method == "PUT"]
    assert puts == ["reports", "answers"]
    assert call(page, "status")["value"]["spent"] == 8
