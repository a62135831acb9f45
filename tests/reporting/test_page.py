"""The page from results that were never computed: numbers that are known, so that what is shown can be."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from graphldp.experiments.cells import Cell, Row
from graphldp.experiments.draws import Context
from graphldp.experiments.plan import make_plan
from graphldp.experiments.results import Results
from graphldp.reporting.page import make_page

EXPERIMENTS = (
    *("table-datasets", "table-complexity", "accuracy-lambda", "accuracy-epsilon"),
    *("allocation", "degrees", "runtime-sampling", "runtime-nodes"),
)
MACHINE = {"cpu": "A <fast> CPU", "cores": 2, "memory_gb": 8.0, "system": "Linux", "python": "3.11", "gpu": None}
LARGE = "needs about 99.0 GB of memory; 8.0 GB were free"


def numbers(cell: Cell) -> dict[str, Any]:
    """Accuracy 0.5 and 0.02 more for every second seed, so that the mean is 0.51 and the deviation 0.0141."""
    seed = cell.params.get("seed") or 0
    return {
        "accuracy": {"accuracy": 0.5 + 0.02 * seed, "auc": 0.6, "val_accuracy": 0.5, "val_loss": 0.7},
        "control": {"accuracy": 0.8, "auc": 0.9, "val_accuracy": 0.5, "val_loss": 0.0},
        "dataset": dict.fromkeys(("graphs", "classes", "users", "edges", "nodes_max", "nodes_mean"), 4321)
        | {"degree_max": 7, "degree_mean": 2.345},
        "degrees": {
            "bins": [{"from": 1, "users": 5, "p10": 0, "p50": 1, "p90": 3, "true": 1.0, "noisy": 1.4}],
            "points": [[1, 2], [1, 0]],
            **{"mean_true": 2.3, "mean_noisy": 6.4, "empty_lists": 0.47, "mean_absolute_error": 5.0},
        },
        "degree-distribution": {"from": [0, 1], "to": [0, 1], "share": {"0": [0.25, 0.75], "1": [0.5, 0.5]}},
        "complexity": {
            "user_seconds": cell.params.get("nodes", 1) * 1e-6,
            **{"user_bytes": 40.0, "server_seconds": 0.5, "server_bytes": cell.params.get("nodes", 1) ** 2},
        },
        "runtime": {"train_seconds": 3.0, "classify_seconds": 0.25, "train_graphs": 20, "test_graphs": 4, "epochs": 1},
    }[cell.kind]


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Results]:
    with Results(tmp_path_factory.mktemp("page") / "r.sqlite") as table:
        for name in EXPERIMENTS:
            plan = make_plan(name, "synthetic:threads", Context(), effort="smoke")
            table.add_plan(plan)
            for entry in plan.entries:
                cell = entry.cell
                if name == "runtime-nodes" and entry.series == "rr":
                    table.add(Row(cell, "too-large", note=LARGE, machine=MACHINE))
                elif name == "runtime-sampling" and entry.x == 1.0:
                    continue
                else:
                    table.add(Row(cell, "done", numbers(cell), 1.5, 10**9, MACHINE))
        yield table


class Reader(HTMLParser):
    """Every table as rows of text; open and closed tags must match."""

    def __init__(self) -> None:
        super().__init__()
        self.tables: list[list[list[str]]] = []
        self.open: list[str] = []
        self.sources: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in ("meta", "br"):
            self.open.append(tag)
        self.sources += [value or "" for name, value in attrs if name in ("src", "href")]
        if tag == "table":
            self.tables.append([])
        if tag == "tr":
            self.tables[-1].append([])
        if tag in ("td", "th"):
            self.tables[-1][-1].append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] in ("td", "th"):
            self.tables[-1][-1][-1] += data


def read(results: Results) -> tuple[str, Reader]:
    text, _ = make_page(results)
    reader = Reader()
    reader.feed(text)
    assert reader.open == []
    return text, reader


def test_the_page_is_whole_and_needs_no_network(results: Results) -> None:
    text, reader = read(results)
    assert all(source.startswith("#") for source in reader.sources)
    assert "<script" not in text
    assert "@import" not in text
    assert "url(" not in text
    anchors = {source[1:] for source in reader.sources}
    assert all(f'id="{anchor}"' in text for anchor in anchors)
    assert "A &lt;fast&gt; CPU" in text


def test_means_and_deviations_and_both_controls(results: Results) -> None:
    _, reader = read(results)
    table = next(t for t in reader.tables if t[0][1:] == ["λ = 0", "λ = 0.1", "λ = 0.2", "λ = 0.5"])
    rows = {row[0]: row[1:] for row in table}
    assert rows["DPRR"] == ["0.510 ± 0.014"] * 4
    assert rows["NonPriv-Part"] == ["–", *["0.510 ± 0.014"] * 3]
    assert rows["control: n only"] == ["0.800 ± 0.000"] * 4
    assert rows["control: n and d* only"] == ["0.800 ± 0.000"] * 4


def test_where_a_control_wins_is_said(results: Results) -> None:
    text, _ = read(results)
    assert "control: n only is at least as accurate as DPRR at λ = 0, 0.1, 0.2, 0.5." in text


def test_growth_is_read_off_the_slope(results: Results) -> None:
    _, reader = read(results)
    slopes = [row[-1] for table in reader.tables if table[0][-1] == "exponent" for row in table if row[0] == "DPRR"]
    assert slopes[:4] == ["1.00", "0.00", "0.00", "2.00"]


def test_what_is_missing_is_said(results: Results) -> None:
    text, reader = read(results)
    assert "12 of 15 cells are here: 3 not computed yet." in text
    assert "16 of 24 cells are here: 8 too large for the machine" in text
    assert LARGE in text
    last = {row[0]: row for table in reader.tables for row in table if row[0] in EXPERIMENTS}
    assert last["runtime-nodes"][-1] == "8 too-large"
    assert last["table-datasets"][-1] == "nothing"


def test_charts_have_names_of_their_own(results: Results) -> None:
    text, charts = make_page(results)
    assert len(charts) == text.count("<svg") == 22
    assert all(name.isascii() or "λ" in name for name in charts)


def test_in_a_browser_nothing_sticks_out(results: Results, tmp_path: Path) -> None:
    sync_api = pytest.importorskip("playwright.sync_api", reason="needs playwright")
    browser_path = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    if browser_path is None:
        pytest.skip("needs Chromium")
    path = tmp_path / "page.html"
    path.write_text(make_page(results)[0], encoding="utf-8")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_path, args=["--no-sandbox"])
        try:
            grounds = set()
            for width in (360, 1280):
                for scheme in ("light", "dark"):
                    page = browser.new_page(viewport={"width": width, "height": 800}, color_scheme=scheme)
                    errors: list[str] = []
                    page.on("pageerror", lambda error, errors=errors: errors.append(str(error)))
                    page.on("request", lambda request, errors=errors: _local(request.url, errors))
                    page.goto(path.as_uri())
                    assert page.evaluate("document.documentElement.scrollWidth") <= width
                    grounds.add(page.evaluate("getComputedStyle(document.body).backgroundColor"))
                    assert errors == []
                    page.close()
            assert len(grounds) == 2  # light and dark differ
        finally:
            browser.close()


def _local(url: str, errors: list[str]) -> None:
    if not url.startswith("file:"):
        errors.append(url)
