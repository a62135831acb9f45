"""Training and labelling from the dashboard: Chromium, a real server, and jobs in processes of their own."""

from __future__ import annotations

import os
import re
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from benchmarks.services import PATIENCE, Collector
from playwright.sync_api import Browser, Locator, Page, expect
from tests.collector.browsing import log_in, opened, window
from tests.experiments.filled_store import fill_store

from graphldp.collector.actions.job_control import LOG
from graphldp.collector.roles import Role
from graphldp.collector.storage.store import Store
from graphldp.neighbour_lists.labels import promise

pytestmark = pytest.mark.long  # a training grows thousands of trees, and nothing here may make them fewer
SLOW = 60_000  # milliseconds: the page loads itself anew every five seconds


class Works:
    """A collector, and an operator's key."""

    def __init__(self, folder: Path) -> None:
        database = f"sqlite:///{folder / 'collector.db'}"
        self.models = folder / "models"
        self.store = Store.open(database)
        self.key = self.store.operators.add("alice", Role.OPERATOR)
        self.collector = Collector(database, {"min_reports": 5})

    def fill(self) -> None:
        """Let there be communities to learn from, once."""
        if not self.store.communities():
            fill_store(self.store)

    def process(self) -> int:
        """The process of the latest job, which the collector started; that of the one before may still be ending."""
        assert self.collector.process is not None
        run = f"run-job\0{self.store.jobs.latest()[0].key}\0".encode()
        for _ in range(int(PATIENCE / 0.05)):
            with suppress(OSError):  # a thread or a process that ends meanwhile
                children = Path(f"/proc/{self.collector.process.pid}/task").glob("*/children")
                for child in " ".join(each.read_text() for each in children).split():
                    if run in Path(f"/proc/{child}/cmdline").read_bytes():
                        return int(child)
            time.sleep(0.05)
        raise AssertionError("no process began")


@pytest.fixture(scope="module")
def works(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Works]:
    made = Works(tmp_path_factory.mktemp("works"))
    with made.collector:
        yield made
    made.store.close()


@pytest.fixture
def filled(works: Works) -> Works:
    works.fill()
    return works


@pytest.fixture
def page(browser: Browser, works: Works) -> Iterator[Page]:
    with window(browser, works.collector.url) as context:
        page = opened(context)
        log_in(page, works.key)
        page.get_by_role("link", name="Train and label").click()
        expect(page.get_by_role("heading", level=1)).to_contain_text("Train and label", timeout=SLOW)
        page.wait_for_load_state()
        yield page


def begin(page: Page, what: str) -> None:
    page.get_by_role("button", name=f"Start {what}").click()
    expect(page.get_by_role("heading", level=2)).to_contain_text("is under way", timeout=SLOW)


def result(page: Page) -> Locator:
    """The latest job that is over; the page loads itself again until it is."""
    expect(page.get_by_role("button", name="Start training")).to_be_visible(timeout=1000 * PATIENCE)
    return page.get_by_role("region", name="Earlier jobs").locator("tbody tr").first


def test_the_page_shows_how_far_a_job_is_without_a_click(page: Page, works: Works) -> None:
    """The test does the job's work here, so that it goes no faster than somebody can look."""
    jobs = works.store.jobs
    job = jobs.add("train", {"seed": 0}, "bob")
    jobs.begin(job.key)
    for share in (0.25, 0.6):
        jobs.tell(job.key, "growing trees", share)
        if share < 0.5:
            page.goto("/dashboard/jobs")
        told = f"{100 * share:.0f} %: growing trees. Asked for by bob"
        expect(page.get_by_text(told)).to_be_visible(timeout=SLOW)
        expect(page.locator("progress")).to_have_attribute("value", str(share))
    page.get_by_role("button", name=re.compile("^Stop it")).click()
    expect(page.get_by_text("60 %: stopping.")).to_be_visible(timeout=SLOW)
    assert not jobs.tell(job.key, "growing trees", 0.7)  # as its process would learn
    jobs.end(job.key, "stopped", "It was stopped. Nothing of it was kept.")
    expect(result(page)).to_contain_text("It was stopped. Nothing of it was kept.")


def test_a_training_and_a_labelling_end_in_what_they_found(filled: Works, page: Page) -> None:
    expect(page.get_by_text("30 communities have a known class")).to_be_visible()
    expect(page.get_by_role("button", name="Start labelling")).to_be_disabled()
    begin(page, "training")
    trained = result(page)
    run = filled.store.results.runs()[0]
    assert run.validation is not None
    assert run.interval is not None
    low, high = run.interval
    told = f"Right for {run.validation:.0%} of 30 communities held out; on others {low:.0%} to {high:.0%} (95 %)"
    expect(trained).to_contain_text(told.replace("%", " %").replace("95  %", "95 %"))
    expect(trained).to_contain_text("Learned from 30 communities")
    marked = filled.store.community("thread-35")
    filled.store.results.set_flags(marked.key, {1: "threshold"})  # by an earlier 'label --defense'
    begin(page, "labelling")
    labelled = result(page)
    expect(labelled).to_contain_text("10 communities were labelled, with a confidence of")
    expect(labelled).to_contain_text(re.compile(r"labels? stands? *\s*whatever any one user sends"))
    expect(labelled).to_contain_text("1 user is flagged.")
    kept = filled.store.results.predictions([marked.key])[marked.key]
    page.goto("/dashboard/communities/thread-35")
    figures = page.locator("dl.figures").first  # the panel of statistics below has its own
    expect(figures).to_contain_text(f"{100 * kept.confidence:.0f} % sure")
    assert kept.certified is not None
    expect(figures).to_contain_text(promise(kept.certified))
    expect(page.get_by_role("table", name="Flagged users").get_by_role("row")).to_have_count(2)


def test_a_job_is_stopped_by_its_button(filled: Works, page: Page) -> None:
    before = len(filled.store.results.runs())
    box = page.get_by_label("Learn from the 1 trusted community among them alone")
    expect(box).to_have_count(0)
    filled.store.set_trusted("thread-0", True)
    page.reload()
    box.check()
    begin(page, "training")
    assert filled.store.jobs.latest()[0].settings["trusted_only"] is True
    filled.store.set_trusted("thread-0", False)
    filled.process()
    page.get_by_role("button", name=re.compile("^Stop it")).click()
    stopped = result(page)
    expect(stopped).to_contain_text("stopped")
    assert len(filled.store.results.runs()) == before
    last = [each for each in filled.store.audit_log.entries() if each.action == "job.stop"][-1]
    assert last.about == str(filled.store.jobs.latest()[0].key)


def test_a_job_that_is_killed_is_shown_as_lost(filled: Works, page: Page) -> None:
    filled.models.mkdir(exist_ok=True)
    before = {each.name for each in filled.models.iterdir()} | {LOG}
    begin(page, "training")
    os.kill(filled.process(), signal.SIGKILL)
    lost = result(page)
    expect(lost).to_contain_text("lost")
    expect(lost).to_contain_text("ended by SIGKILL. Nothing of it was kept. Start it again.")
    assert {each.name for each in filled.models.iterdir()} <= before
