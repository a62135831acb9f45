"""An operator's first label, from one CSV file, in five commands; the dashboard is not opened."""

from __future__ import annotations

import csv
from pathlib import Path

import httpx
import numpy as np
import pytest
from benchmarks.services import Collector
from playwright.sync_api import expect, sync_playwright
from tests.clients.web.member import Member
from tests.collector.browsing import CHROMIUM, FLAGS
from tests.walks.terminal import typed

import graphldp as gl
from graphldp import wire

KINDS = ("hub", "tree")
KNOWN = 20  # communities whose class is known
EPSILON = 2.0


def write_members(path: Path, graphs: gl.GraphSet) -> None:
    """One row for each member, and a class for the first communities."""
    assert graphs.labels is not None
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["community", "member", "class"])
        for graph, label in enumerate(graphs.labels.tolist()):
            for user in range(int(graphs.sizes[graph])):
                writer.writerow([f"thread-{graph:02}", f"user{user}", KINDS[label] if graph < KNOWN else ""])


def let_report(rows: list[dict[str, str]], graphs: gl.GraphSet) -> None:
    """Everybody but the last sends a noisy degree by her link, as a client would."""
    drawn = gl.NoisyDegrees(EPSILON, noise="discrete").randomize(graphs, rng=0)
    assert drawn.noisy_degree is not None
    sizes = dict(zip([f"thread-{graph:02}" for graph in range(len(graphs))], graphs.sizes.tolist(), strict=True))
    with httpx.Client(timeout=60) as http:
        for row, degree in zip(rows[:-1], drawn.noisy_degree.tolist(), strict=False):
            user, link = int(row["slot"]), wire.Invitation.from_link(row["link"])
            nobody = np.empty(0, np.int32)
            report = wire.Report("noisy-degrees", sizes[row["community"]], user, EPSILON, 0.0, int(degree), nobody)
            headers = {"Authorization": f"Bearer {link.token}", "Content-Type": wire.MEDIA_TYPE}
            address = f"{link.server}/v1/communities/{link.community}/reports/{user}"
            assert http.put(address, content=wire.encode(report), headers=headers).is_success


def take_part(link: str) -> None:
    """The last member opens her link in a browser, and agrees."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = Member(browser.new_context(locale="en"), link).opened()
        for _ in range(4):
            if page.locator(".drop").count():
                page.get_by_role("checkbox", name="user0@social.example", exact=True).check()
            page.locator("main .buttons button").first.click()
        expect(page.get_by_role("heading", level=1)).to_have_text("This is what left")
        browser.close()


@pytest.mark.long
def test_five_commands_to_the_first_label(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Real commands in a terminal of 80 columns, a real collector, reports over HTTP, and one member in a browser."""
    if CHROMIUM is None:
        pytest.skip("needs Chromium (Debian: apt-get install chromium-headless-shell)")
    database = f"sqlite:///{tmp_path / 'collector.db'}"
    monkeypatch.setenv("GRAPHLDP_DATABASE", database)
    graphs = gl.synthetic.threads(num_graphs=26, seed=0)
    write_members(tmp_path / "all.csv", graphs)
    create = ("collect", "community", "create", "--roster", "all.csv", "-e", "2", "-m", "noisy-degrees")
    typed(tmp_path, *create, "--host", "social.example")
    with Collector(database) as collector:  # 'graphldp serve', the second command
        typed(tmp_path, "collect", "invite", "--server", collector.url, "--out", "invitations")
        with (tmp_path / "invitations" / "index.csv").open(newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        show = ("collect", "community", "show")
        let_report(rows, graphs)
        missing = " ".join(typed(tmp_path, "collect", "missing", "thread-25").split())
        assert f"1 of {graphs.sizes[25]} have not reported: slots {rows[-1]['slot']}." in missing
        assert "must be the id of a community" in " ".join(typed(tmp_path, *show, "nobody", fails=True).split())
        assert "(ε = 2, spent on her number of friends)" in " ".join(typed(tmp_path, *show, "thread-25").split())
        take_part(rows[-1]["link"])
        trained = " ".join(typed(tmp_path, "collect", "train", "model.npz").split())
        assert f"held out {KNOWN}" in trained
        typed(tmp_path, "collect", "label", "model.npz", "--out", "labels.csv")
    with (tmp_path / "labels.csv").open(newline="", encoding="utf-8") as file:
        labels = list(csv.DictReader(file))
    assert [row["community"] for row in labels] == [f"thread-{graph}" for graph in range(KNOWN, 26)]
    assert {row["label"] for row in labels} <= set(KINDS)
    assert all(0.5 <= float(row["confidence"]) <= 1 and row["withstands"].isdigit() for row in labels)
    assert [int(row["reported"]) for row in labels] == graphs.sizes[KNOWN:].tolist()
    assert f"{labels[0]['label']}, " in typed(tmp_path, "collect", "community", "show")
