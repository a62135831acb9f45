from __future__ import annotations

import csv
import io
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.container import ErrorbarContainer
from matplotlib.figure import Figure
from scipy import stats
from tests.experiments.here import in_this_process
from tests.values import some

import graphldp as gl
from graphldp.errors import DataError, ParameterError
from graphldp.experiments.results import ResultsFile
from graphldp.pages.comparison import Comparison
from graphldp.pages.page import make_page

pytestmark = pytest.mark.usefixtures("few_trees")

GRAPHS = gl.synthetic.threads(num_graphs=40, seed=0)
QUICK = gl.GINClassifier(layers=2, hidden=4, max_epochs=3, min_epochs=1, patience=1, device="cpu")
SEEDS = 4


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("compared") / "results.sqlite"


@pytest.fixture(scope="module")
def found(file: Path) -> Comparison:
    contestants: dict[str, Any] = {"DPRR": gl.DPRR, "R & R": "rr", "raw": gl.NonPrivFull}
    with pytest.MonkeyPatch.context() as patch:
        in_this_process(patch)
        return gl.compare(GRAPHS, contestants, [1.0, 0.05], SEEDS, classifier=QUICK, results=file, progress=False)


def test_what_is_compared(found: Comparison) -> None:
    assert found.methods == ("DPRR", "R & R", "raw", "n alone", "n and noisy degrees")
    assert found.epsilons == (0.05, 1.0)
    assert found.point("raw", 0.05) is found.point("raw", 1.0)  # it spends no ε
    assert len(found.point("R & R", 1.0).numbers) == SEEDS
    assert {each["ratios"][0] for each in found.point("DPRR", 1.0).chosen} == {0.75}
    assert "must be above" in found.point("DPRR", 0.05).notes[0]  # the others are there all the same


@pytest.mark.long
def test_other_processes_compute_the_same() -> None:
    here, there = (
        gl.compare(GRAPHS, {"RR": gl.RR}, 1.0, 2, classifier=QUICK, workers=workers, progress=False)
        for workers in (1, 2)
    )
    assert here.point("RR", 1.0).numbers == there.point("RR", 1.0).numbers


def test_intervals_and_differences_know_that_splits_overlap(found: Comparison) -> None:
    one, two = (np.array([n["accuracy"] for n in found.point(each, 1.0).numbers]) for each in ("R & R", "DPRR"))
    gap = found.difference("R & R", "DPRR", 1.0)
    assert gap is not None
    spread, graphs = (one - two).std(ddof=1), found.point("DPRR", 1.0).graphs or 0
    spread = spread if spread > 1e-12 else 1 / graphs  # equal gaps may differ by less than a graph
    wide = stats.t.ppf(0.975, SEEDS - 1) * spread * (1 / SEEDS + 0.15 / 0.75) ** 0.5
    assert gap.summary.mean == pytest.approx((one - two).mean())
    assert gap.summary.high - gap.summary.mean == pytest.approx(wide)
    assert gap.higher == sum(one > two)


def test_rows_in_every_form(found: Comparison, tmp_path: Path) -> None:
    rows = found.rows(against="R & R")
    assert len(rows) == 2 * 5
    text = found.to_csv(tmp_path / "found.csv", against="R & R")
    assert (tmp_path / "found.csv").read_text("utf-8") == text
    read = list(csv.DictReader(io.StringIO(text)))
    assert [each["method"] for each in read] == [each["method"] for each in rows]
    assert float(read[-1]["accuracy"]) == rows[-1]["accuracy"]
    table = found.to_pandas(against="R & R")
    assert list(table.columns) == list(rows[0])
    assert len(table) == len(rows)
    with pytest.raises(ParameterError, match="'against' parameter of Comparison must be one of DPRR"):
        found.rows(against="nobody")


def test_the_best_is_marked_and_what_has_no_privacy_is_not_ranked(found: Comparison) -> None:
    means = {m: found.point(m, 1.0).summary("accuracy") for m in found.methods if m != "raw"}
    best = max(each.mean for each in means.values() if each is not None)
    latex = found.to_latex()
    bold = [line.split(" & ")[-1] for line in latex.splitlines() if r"\mathbf" in line.split(" & ")[-1]]
    assert any(f"{best:.3f}" in each for each in bold)
    assert len(bold) == sum(marked[1] for marked in (cells[-1] for _, cells in found.ranked("accuracy")))
    assert r"R \& R &" in latex
    chosen = next(each for each in means.values() if each is not None and each.mean == best)
    assert rf"$\mathbf{{{best:.3f}}}\ [{chosen.low:.3f}, {chosen.high:.3f}]$" in latex
    raw = next(line for line in latex.splitlines() if line.startswith("raw"))
    assert r"\mathbf" not in raw
    shown = found._repr_html_()
    HTMLParser().feed(shown)
    assert "R &amp; R" in shown
    assert f"<b>{best:.3f}" in shown
    assert f"{best:.3f}" in str(found)


def test_what_nothing_beats_clearly_is_marked_alike(found: Comparison) -> None:
    """Four seeds of 40 graphs cannot tell methods apart that differ by little."""
    private = [method for method in found.methods if method != "raw"]
    for place, x in enumerate(found.epsilons):
        points = {method: found.point(method, x) for method in private if found.point(method, x).numbers}
        best = max(points, key=lambda method: points[method].summary("accuracy").mean)  # type: ignore[union-attr]
        for method, cells in found.ranked("accuracy"):
            if method in points:
                gap = found.difference(best, method, x)
                assert gap is not None
                assert cells[place][1] == (method == best or gap.summary.low <= 0)
    assert not any(bold for method, cells in found.ranked("accuracy") for _, bold in cells if method == "raw")


def test_a_difference_reads_as_a_sentence(found: Comparison) -> None:
    told = str(found.difference("R & R", "DPRR", 1.0))
    form = r"R & R is \d\.\d{3} (above|below) DPRR in accuracy, and higher in \d of 4 seeds; the 95 % interval of the "
    assert re.match(form + r"difference is -?\d\.\d{3} to -?\d\.\d{3}(, so neither is clearly better)?\.$", told)


def test_every_form_says_what_a_reviewer_asks_for(found: Comparison, file: Path) -> None:
    """Classifier, seeds, splits, the kind of interval, and how many graphs were held out."""
    with ResultsFile(file) as results:
        page = make_page(results)[0]
    for shown in (str(found).replace("\n", " "), found._repr_html_(), found.to_latex(), page):
        assert re.search(r"Means over 4 seeds, each with its own noise and split, 6 graphs held out in each", shown)
        assert "corrected for splits that overlap (Nadeau" in shown
        assert "DPRR: gin(" in shown
        assert "split 0.75/0.1/0.15" in shown


def test_a_picture_of_methods_that_differ_in_more_than_colour(found: Comparison) -> None:
    axes = found.plot(ax=Figure().subplots())
    handles, labels = axes.get_legend_handles_labels()
    assert sorted(labels) == sorted(found.methods)
    assert (
        some(found.plot(ax=Figure().subplots()).get_legend()).get_window_extent().x0 > axes.get_window_extent().x1 - 1
    )
    bars = [each.lines[0].get_xdata() for each in handles if isinstance(each, ErrorbarContainer)]
    places = np.concatenate([np.asarray(each) for each in bars])
    assert len(np.unique(places)) == len(places)  # side by side
    marks = [each.lines[0].get_marker() for each in handles if isinstance(each, ErrorbarContainer)]
    assert len(set(marks)) == len(marks) == 3
    with pytest.raises(ParameterError, match="'measure' parameter of Comparison must be 'accuracy' or 'auc'"):
        found.plot("loss", ax=axes)


def test_what_is_finished_is_not_computed_again(found: Comparison, file: Path) -> None:
    with ResultsFile(file) as results:
        first = results.span()
    again = gl.compare(GRAPHS, {"DPRR": gl.DPRR, "R & R": gl.RR}, 1.0, SEEDS, classifier=QUICK, results=file)
    with ResultsFile(file) as results:
        assert results.span() == first
        page, charts = make_page(results)
    assert again.point("R & R", 1.0).numbers == found.point("R & R", 1.0).numbers
    assert "DPRR, R &amp; R, raw, n alone, n and noisy degrees compared" in page
    assert "of the paper" not in page
    assert re.search(r"<b>0\.\d{3} \[", page)
    assert len(charts) == 4


def test_bad_requests() -> None:
    with pytest.raises(ParameterError, match="'epsilon' parameter of compare must be positive numbers"):
        gl.compare(GRAPHS, {"RR": gl.RR}, [1, -1])
    with pytest.raises(ParameterError, match="'mechanisms' parameter of compare must be mechanisms by a name each"):
        gl.compare(GRAPHS, {})
    with pytest.raises(ParameterError, match="'mechanisms' parameter of compare"):
        gl.compare(GRAPHS, {"n alone": gl.RR})
    with pytest.raises(ParameterError, match="'seeds' parameter of compare must be a whole number of at least 1"):
        gl.compare(GRAPHS, {"RR": gl.RR}, seeds=0)
    with pytest.raises(ParameterError, match="'graphs' parameter of compare must be a GraphSet"):
        gl.compare(gl.RR(1.0).randomize(GRAPHS, rng=0), {"RR": gl.RR})  # type: ignore[arg-type]
    with pytest.raises(DataError, match="no labels"):
        gl.compare(gl.GraphSet.from_edges([0], [1], [2]), {"RR": gl.RR})
