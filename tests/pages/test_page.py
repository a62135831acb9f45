"""The page, from cells that were computed: sixty small graphs, the smallest effort."""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import replace
from functools import partial
from html import escape
from html.parser import HTMLParser
from pathlib import Path
from statistics import mean, stdev

import numpy as np
import pytest
from scipy import stats
from tests.collector.browsing import CHROMIUM, FLAGS

from graphldp.errors import FormatError
from graphldp.experiments.compute import compute
from graphldp.experiments.draws import Context
from graphldp.experiments.plans.methods import CONTROLS, METHODS
from graphldp.experiments.plans.plan import ExperimentPlan, make_plan
from graphldp.experiments.results import ResultsFile
from graphldp.pages.page import make_page

pytestmark = pytest.mark.usefixtures("few_trees")

EXPERIMENTS = (
    *("table-datasets", "table-complexity", "accuracy-lambda"),
    *("allocation", "degrees", "runtime-sampling", "runtime-nodes"),
)
SHARES = (0.0, 0.1, 0.2, 0.5)


@pytest.fixture(scope="module")
def results(small_graphs: tuple[str, Context], tmp_path_factory: pytest.TempPathFactory) -> Iterator[ResultsFile]:
    """All but allocation and the last place of runtime-sampling; too little memory for RR in runtime-nodes."""
    name, context = small_graphs
    with ResultsFile(tmp_path_factory.mktemp("page") / "r.sqlite") as table:
        for experiment in EXPERIMENTS:
            plan = make_plan(experiment, name, context, effort="smoke")
            table.add_plan(plan)
            have = table.settled()
            left_out = {"allocation": (0.5, 0.6, 0.7, 0.8, 0.9, None), "runtime-sampling": (1.0,)}.get(experiment, ())
            some = [entry for entry in plan.entries if entry.x not in left_out]
            cells = [each.cell for each in {e.cell.id: e for e in some if e.cell.id not in have}.values()]
            dense = [c for c in cells if experiment == "runtime-nodes" and c.params["draw"]["mechanism"] == "rr"]
            light = [cell for cell in cells if cell not in dense]
            for row in (*compute(light, context), *compute(dense, replace(context, memory=1000))):
                table.add(replace(row, machine={**row.machine, "cpu": "A <fast> CPU"}))
        yield table


def plan_of(results: ResultsFile, experiment: str) -> ExperimentPlan:
    return next(plan for plan in results.plans() if plan.experiment == experiment)


def scores(results: ResultsFile, method: str, share: float | None) -> list[float]:
    """The accuracy of each seed in accuracy-lambda."""
    rows, plan = results.rows(), plan_of(results, "accuracy-lambda")
    return [rows[e.cell.id].numbers["accuracy"] for e in plan.entries if (e.series, e.x) == (method, share)]


class Reader(HTMLParser):
    """Every table as rows of text; open and closed tags must match."""

    def __init__(self) -> None:
        super().__init__()
        self.tables: list[list[list[str]]] = []
        self.open: list[str] = []
        self.sources: list[str] = []
        self.bold: list[str] = []
        self.seen: set[tuple[str, ...]] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in ("meta", "br"):
            self.open.append(tag)
        self.seen.add((tag, *(name for name, _ in attrs)))
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
        if self.open and self.open[-1] in ("td", "th", "b") and set(self.open) & {"td", "th"}:
            self.tables[-1][-1][-1] += data
            self.bold += [data] if self.open[-1] == "b" else []


def read(results: ResultsFile) -> tuple[str, Reader]:
    text, _ = make_page(results)
    reader = Reader()
    reader.feed(text)
    assert reader.open == []
    return text, reader


def test_the_page_is_whole_and_needs_no_network(results: ResultsFile) -> None:
    text, reader = read(results)
    assert all(source.startswith("#") for source in reader.sources)
    assert "<script" not in text
    assert "@import" not in text
    assert "url(" not in text
    anchors = {source[1:] for source in reader.sources}
    assert all(f'id="{anchor}"' in text for anchor in anchors)
    assert "A &lt;fast&gt; CPU" in text


def test_means_and_intervals_and_both_controls(results: ResultsFile) -> None:
    _, reader = read(results)
    table = next(t for t in reader.tables if t[0][1:] == [f"λ = {share:g}" for share in SHARES])
    rows = {row[0]: row[1:] for row in table}
    for method in ("dprr", "rr", "local-lap", "nonpriv-full", *CONTROLS):
        across = method in ("nonpriv-full", "size-control")
        for share, shown in zip(SHARES, rows[METHODS[method].label], strict=True):
            own = scores(results, method, None if across else share)
            assert shown.startswith(f"{mean(own):.3f} [")
            low, high = map(float, re.findall(r"[\d.]+", shown)[1:])
            wide = stats.t.ppf(0.975, len(own) - 1) * stdev(own) * (1 / len(own) + 0.15 / 0.75) ** 0.5
            if stdev(own):  # of equal ones the interval is that of a counted share
                assert (low, high) == pytest.approx((max(mean(own) - wide, 0), min(mean(own) + wide, 1)), abs=6e-4)
    assert rows["NonPriv-Part"][0] == "–"


def test_the_best_that_is_private_is_in_bold(results: ResultsFile) -> None:
    _, reader = read(results)
    table = next(t for t in reader.tables if t[0][1:] == [f"λ = {share:g}" for share in SHARES])
    for column in range(1, 1 + len(SHARES)):
        private = [
            row[column] for row in table[1:] if "[" in row[column] and row[0] not in ("NonPriv-Full", "NonPriv-Part")
        ]
        assert max(private, key=lambda shown: float(shown.split()[0])) in reader.bold


def test_the_paper_s_figures_are_those_of_its_own_data(results: ResultsFile) -> None:
    text, _ = read(results)
    assert "The experiment of Figure 4, on other graphs." in text
    assert "of the paper" not in text
    assert "reproduced" not in text
    assert "Hidano" not in text


def test_where_a_control_wins_is_said(results: ResultsFile) -> None:
    text, _ = read(results)
    n_only = mean(scores(results, "size-control", None))
    better = [f"{share:g}" for share in SHARES if n_only >= mean(scores(results, "dprr", share))]
    assert better
    assert f"control: n only is at least as accurate as DPRR at λ = {', '.join(better)}." in text


def test_growth_is_read_off_the_slope(results: ResultsFile) -> None:
    _, reader = read(results)
    rows, plan = results.rows(), plan_of(results, "table-complexity")
    own = [(entry.x, rows[entry.cell.id].numbers) for entry in plan.entries if entry.series == "dprr"]
    slopes = [row[-1] for table in reader.tables if table[0][-1] == "exponent" for row in table if row[0] == "DPRR"]
    columns = ("user_seconds", "user_bytes", "server_seconds", "server_bytes")
    x = np.log([float(nodes or 0) for nodes, _ in own])
    wanted = [np.polyfit(x, np.log([numbers[name] for _, numbers in own]), 1)[0] for name in columns]
    assert [float(each) for each in slopes[:4]] == pytest.approx(wanted, abs=0.006)


def test_what_is_missing_is_said(results: ResultsFile) -> None:
    text, reader = read(results)
    assert "12 of 15 cells are here: 3 not computed yet." in text
    assert "16 of 24 cells are here: 8 too large for the machine" in text
    rows = results.rows().values()
    notes = {row.note for row in rows if row.status == "too-large"}
    assert all("GB of memory; 0.0 GB were free" in note for note in notes)
    assert any(note in text for note in notes)
    last = {row[0]: row for table in reader.tables for row in table if row[0] in EXPERIMENTS}
    assert last["runtime-nodes"][-1] == "8 too-large"
    assert last["table-datasets"][-1] == "nothing"
    assert last["allocation"][-1].endswith("missing")


def test_charts_have_names_of_their_own(results: ResultsFile) -> None:
    text, charts = make_page(results)
    assert len(charts) == text.count('<svg class="chart"') == 20
    assert all(name.isascii() or "λ" in name for name in charts)


HOSTILE = "'\"></style></svg><img src=x onerror=document.title='owned'><script>document.title='owned'</script>"


def leaves(value: object, at: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Where JSON holds a value, with all places of a list as one."""
    if isinstance(value, dict):
        yield (*at, "a key")
        for key, each in value.items():
            yield from leaves(each, (*at, key))
    elif isinstance(value, list):
        for each in value[:1]:
            yield from leaves(each, (*at, "*"))
    yield at


def spoiled(value: object, at: tuple[str, ...]) -> object:
    """The same JSON with a hostile text there."""
    if not at:
        return HOSTILE
    if isinstance(value, list):
        return [spoiled(each, at[1:]) for each in value]
    if isinstance(value, dict) and at[0] == "a key":
        return {f"{place}{HOSTILE}": each for place, each in enumerate(value.values())}
    if isinstance(value, dict) and at[0] in value:
        return value | {at[0]: spoiled(value[at[0]], at[1:])}
    return value


def hostile_files(results: ResultsFile, folder: Path) -> Iterator[tuple[str, Path]]:
    """The results file, with a hostile text in one of its columns, or in one place or key of its JSON."""
    whole = sqlite3.connect(results.path)
    whole.execute("vacuum into ?", (str(folder / "whole.sqlite"),))
    whole.close()
    changes: list[tuple[str, str, tuple[str, ...] | None]] = []
    with closing(sqlite3.connect(folder / "whole.sqlite")) as file:
        for table in ("cells", "plans", "entries"):
            for _, column, *_ in file.execute(f"pragma table_info({table})").fetchall():
                changes.append((table, column, None))
                if column in ("numbers", "machine"):
                    found = file.execute(f"select {column} from cells where status = 'done'").fetchall()
                    places = {place for (text,) in found for place in leaves(json.loads(text))}
                    changes += [(table, column, place) for place in sorted(places)]
    for table, column, place in changes:
        path = folder / "hostile.sqlite"
        shutil.copy(folder / "whole.sqlite", path)
        with closing(sqlite3.connect(path)) as file:
            file.execute("pragma foreign_keys = off")
            file.create_function("spoil", 1, partial(_spoil, at=place))
            unique = (table, column) in {("cells", "id"), ("plans", "number"), ("entries", "position")}
            some = f" where {column} = (select min({column}) from {table})" if unique or table == "plans" else ""
            with suppress(sqlite3.IntegrityError):  # a column that takes numbers alone stays as it is
                file.execute(f"update {table} set {column} = spoil({column}){some}")
            file.commit()
        yield f"{table}.{column} {place}", path


def _spoil(text: str, at: tuple[str, ...] | None) -> str:
    return HOSTILE if at is None else json.dumps(spoiled(json.loads(text), at))


@pytest.mark.attack("learning")
def test_a_hostile_file_puts_no_tag_into_the_page(results: ResultsFile, tmp_path: Path) -> None:
    """A script in a results file.

    A text in any field is shown as text, or the file is refused.
    """
    known = read(results)[1].seen
    refused = shown = 0
    for what, path in hostile_files(results, tmp_path):
        with ResultsFile(path, create=False) as file:
            try:
                text, reader = read(file)
            except FormatError:
                refused += 1
                continue
            assert reader.seen <= known, what
            shown += escape(HOSTILE) in text
    assert refused > 20
    assert shown > 5


@pytest.mark.attack("learning")
def test_a_browser_is_told_to_run_no_script(results: ResultsFile) -> None:
    """A script in a results file.

    A second lock behind the first: even a tag that got in would do nothing.
    """
    text, _ = make_page(results)
    head = text[: text.index("<style>")]
    assert "http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'" in head


def test_in_a_browser_nothing_sticks_out(results: ResultsFile, tmp_path: Path) -> None:
    sync_api = pytest.importorskip("playwright.sync_api", reason="needs playwright")
    if CHROMIUM is None:
        pytest.skip("needs Chromium (Debian: apt-get install chromium-headless-shell)")
    path = tmp_path / "page.html"
    path.write_text(make_page(results)[0], encoding="utf-8")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
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
