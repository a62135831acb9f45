"""A researcher with two CSV files: look, draw, train, compare, and a page that she opens."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import matplotlib as mpl
import pytest
from playwright.sync_api import expect, sync_playwright
from tests.collector.browsing import CHROMIUM, FLAGS
from tests.walks.terminal import COLUMNS, typed

import graphldp as gl

DATA = "edges.csv,labels.csv"


def write_friends(folder: Path) -> None:
    """Stars and chains of people with names, forty of each."""
    with (folder / "edges.csv").open("w", newline="") as edges, (folder / "labels.csv").open("w", newline="") as labels:
        friends, kinds = csv.writer(edges), csv.writer(labels)
        friends.writerow(["source", "target", "graph"])
        kinds.writerow(["graph", "label"])
        for club in range(80):
            kinds.writerow([f"club {club}", ("star", "chain")[club % 2]])
            for number in range(1, 10 + club % 7):
                known = 0 if club % 2 == 0 else number - 1
                friends.writerow([f"person {known}", f"person {number}", f"club {club}"])


@pytest.mark.long
def test_from_two_tables_to_a_page(tmp_path: Path) -> None:
    if CHROMIUM is None:
        pytest.skip("needs Chromium (Debian: apt-get install chromium-headless-shell)")
    write_friends(tmp_path)
    assert re.search(r"graphs +80\b", typed(tmp_path, "dataset", DATA))
    drawn = typed(tmp_path, "randomize", "edges.csv", "--mechanism", "rr", "--epsilon", "1", "--out", "reports.npz")
    assert "Edge LDP" in drawn  # nothing was looked for on the network
    trained = typed(tmp_path, "train", DATA, "--recommended", "--epsilon", "2", "--seeds", "3")
    assert "95 % interval" in trained
    assert "degrees only" in trained
    typed(tmp_path, "page", "results.sqlite", "--out", "page.html")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        for width in (390, 1200):
            page = browser.new_page(viewport={"width": width, "height": 900})
            page.goto((tmp_path / "page.html").as_uri())
            expect(page.get_by_text("degrees only").first).to_be_visible()
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), width
        browser.close()


@pytest.mark.long
def test_a_table_for_a_paper(tmp_path: Path) -> None:
    mpl.use("agg")
    write_friends(tmp_path)
    graphs = gl.GraphSet.from_csv(tmp_path / "edges.csv", labels=tmp_path / "labels.csv")
    found = gl.compare(graphs, {"ours": "recommended", "again": "recommended"}, epsilon=[2.0], seeds=3)
    for said in ("Means over 3 seeds", "held out in each", "Nadeau & Bengio", "split 0.75/0.1/0.15"):
        assert said in " ".join(str(found).split())
        assert said.replace("&", r"\&") in found.to_latex()
    lines = {line.split()[0]: line for line in str(found).splitlines() if line.startswith(("ours", "again"))}
    assert all(line.rstrip().endswith("*") for line in lines.values())  # alike, since neither beats the other
    assert "neither is clearly better" in repr(found.difference("ours", "again", 2.0))
    assert max(map(len, str(found).splitlines())) <= COLUMNS + 20
    assert found.plot().get_legend() is not None
