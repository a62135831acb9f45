"""Pages whose tables are written from results."""

from __future__ import annotations

import importlib
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from tests.values import some

import graphldp as gl
from graphldp.experiments.compute import compute
from graphldp.experiments.draws import Context
from graphldp.experiments.plans.figures import EXPERIMENTS
from graphldp.experiments.plans.plan import dataset_id, make_plan
from graphldp.experiments.results import ResultsFile
from graphldp.experiments.summary import points_of
from graphldp.mechanisms.named import name_of
from graphldp.pages.sections.calibration import pooled

DOCS = Path(__file__).resolve().parents[2] / "docs"


TOOLS = (
    "counts",
    "learning.attributes",
    "learning.calibration",
    "learning.nodes",
    "learning.posterior",
    "liars.forged_degrees",
    "liars.one_liar",
    "liars.threats",
    "mechanism_figures",
    "mutants",
    "reproduction.tables",
)


@pytest.fixture(scope="module")
def tools() -> dict[str, Any]:
    """The scripts that fill pages."""
    return {name: importlib.import_module(f"tools.{name}") for name in TOOLS}


@pytest.fixture(scope="module")
def accuracy() -> Any:
    return importlib.import_module("tools.accuracy")  # fills no page


@pytest.fixture(scope="module")
def threats(tools: dict[str, Any]) -> Any:
    return tools["liars.threats"]


def test_every_table_has_one_maker(tools: dict[str, Any]) -> None:
    """Every marker of a page, wherever it is, has a maker, and every maker a marker."""
    makers = {
        (page, name)
        for tool in tools.values()
        for page in tool.PAGES
        for name in {*tool.TABLES, *getattr(tool, "PROBES", {})}
    }
    pages = [*DOCS.rglob("*.md"), *DOCS.parent.glob("*.md")]
    markers = [(page, name) for page in pages for name in re.findall(r"<!-- table (.*?) -->", page.read_text())]
    assert len(markers) == len(set(markers))
    assert not set(markers) - makers
    for tool in tools.values():
        assert {*tool.TABLES, *getattr(tool, "PROBES", {})} == {name for page, name in markers if page in tool.PAGES}
    for page in pages:
        assert page.read_text().count("<!-- table ") == page.read_text().count("<!-- end -->")


def test_tables_hold_what_the_results_say(tools: dict[str, Any]) -> None:
    """A number that was changed by hand, or results without their tables, would be found."""
    maker = tools["reproduction.tables"]
    pages = {page: page.read_text() for page in maker.PAGES}
    for name, make in maker.TABLES.items():
        (page,) = (each for each, text in pages.items() if f"<!-- table {name} -->" in text)
        assert f"<!-- table {name} -->\n\n{make()}\n\n<!-- end -->" in pages[page], f"{page.name}: {name}"


@pytest.mark.parametrize(
    "tool", ["learning.attributes", "learning.calibration", "counts", "learning.nodes", "liars.one_liar"]
)
def test_small_pages_have_what_their_tools_compute(tools: dict[str, Any], tool: str) -> None:
    (page,) = tools[tool].PAGES
    for name, maker in tools[tool].TABLES.items():
        assert f"<!-- table {name} -->\n\n{maker()}\n\n<!-- end -->" in page.read_text()


@pytest.mark.parametrize(("features", "width"), [("constant", 1), ("degree", 13)])
def test_the_maximum_is_taken_over_the_lists_of_a_batch(features: str, width: int) -> None:
    made = importlib.import_module("tools.learning.max_aggregation").Batches
    reports = gl.DPRR(1.0).randomize(gl.synthetic.threads(num_graphs=9, seed=0), rng=0)
    chosen = np.array([7, 2, 4])
    batch, together = made(reports, features, torch.device("cpu")).of(chosen), reports.subset(chosen)
    owner = np.repeat(np.arange(together.num_users), together.degrees)
    listed = together.indices + together.graph_ptr[together.graph_of_user[owner]]
    assert batch.edge_index.tolist() == [listed.tolist(), owner.tolist()]
    assert batch.graph.tolist() == together.graph_of_user.tolist()
    assert batch.x.shape == (together.num_users, width)
    assert (batch.x.sum(1) == 1).all()
    assert set(batch.y.tolist()) <= {0, 1}


GOALS = {
    "Cora": {1.0: 0.82, 2.0: 0.845, 4.0: 0.865, 6.0: 0.88},
    "FacebookPages": {1.0: 0.915, 2.0: 0.925, 4.0: 0.93, 6.0: 0.93},
}


@pytest.mark.parametrize("dataset", GOALS)
def test_what_is_recommended_for_users_is_never_below_its_controls(tools: dict[str, Any], dataset: str) -> None:
    """Mean of ten splits, on the committed results, at every ε: within .005 of features and of the similarity graph.

    And the goals that were set before anything was measured on these splits.
    """
    points = tools["learning.nodes"].points("nodes", dataset)

    def mean(method: str, epsilon: float | None) -> float:
        found = some(points[method, epsilon].summary("accuracy"))
        assert found.count == 10
        return float(found.mean)

    controls = [mean(name, None) for name in ("node-features", "node-similar")]
    for epsilon in sorted({x for _, x in points if x is not None}):
        found = mean(name_of(type(gl.recommended(epsilon, task="nodes").mechanism)), epsilon)
        assert found >= max(controls) - 0.005
        assert found >= GOALS[dataset].get(epsilon, 0.0)


def test_the_dashboard_has_the_measured_accuracies(accuracy: Any) -> None:
    """Results without the dashboard's file, or a number that was changed by hand, would be found."""
    assert accuracy.FILE.read_text("utf-8") == accuracy.written(accuracy.accuracy()), "run python -m tools.accuracy"
    for each in accuracy.accuracy():
        means = [each["epsilon"][f"{x:g}"][0] for x in accuracy.EPSILONS]
        assert each["size alone"][0] < means[0] <= means[-1]


BEST_SEEN = {  # before anything was measured on these splits: all private, then public columns at ε = 1
    "PROTEINS": ({2.0: 0.72, 4.0: 0.75}, 0.745),  # and 0.70 at ε = 1, which the page says is not reached
    "ENZYMES": ({1.0: 0.25, 2.0: 0.30, 4.0: 0.36}, 0.41),
}


@pytest.mark.parametrize("dataset", BEST_SEEN)
def test_private_columns_beat_the_best_that_was_seen(tools: dict[str, Any], dataset: str) -> None:
    """Mean of ten splits, on the committed results."""
    known, (private, public) = tools["learning.attributes"].read(), BEST_SEEN[dataset]

    def mean(method: str, epsilon: float) -> float:
        found = [value for key, value in known.items() if (key.dataset, key[2:]) == (dataset, (method, epsilon))]
        assert len(found) == 10
        return float(sum(found) / 10)

    assert all(mean("coded", epsilon) > goal for epsilon, goal in private.items())
    assert mean("public", 1.0) > public


def test_the_page_has_the_list_of_mutants(tools: dict[str, Any]) -> None:
    (page,) = tools["mutants"].PAGES
    assert f"<!-- table mutants -->\n\n{tools['mutants'].mutants()}\n\n<!-- end -->" in page.read_text()


def test_the_page_says_what_was_measured_of_confidence(tools: dict[str, Any]) -> None:
    """The table is that of the committed results, and no expected calibration error in them is above 0.05."""
    tool = tools["learning.calibration"]
    (page,) = tool.PAGES
    assert f"<!-- table calibration -->\n\n{tool.calibration()}\n\n<!-- end -->" in page.read_text()
    with ResultsFile(tool.RESULTS, create=False) as results:
        points = [(plan.dataset, point) for plan in results.plans() for point in points_of(plan, results.rows())]
    done = [(dataset, pooled(point, "calibrated").error) for dataset, point in points if point.numbers]
    assert {"REDDIT-BINARY", "synthetic:threads"} == {dataset for dataset, _ in done}
    assert max(error for _, error in done) <= 0.05


def test_the_tables_hold_what_was_computed(threats: Any, tmp_path: Path) -> None:
    """Two lines of the first panel on eighty threads; what is not computed is a dash."""
    gl.synthetic.threads(num_graphs=80, seed=0).save(tmp_path / "threads.npz")
    name, files = dataset_id(str(tmp_path / "threads.npz"))
    context = Context(files=tuple(files.items()), memory=1 << 33)
    plans = [make_plan(each, name, context, effort="smoke", seeds=1) for each in ("poisoning", "poisoning-beyond")]
    wanted = {("random", f"degrees {defense}", 0.1) for defense in ("none", "guard-accuracy redraw")}
    chosen = [entry.cell for entry in plans[1].entries if (entry.panel, entry.series, entry.x) in wanted]
    with ResultsFile(tmp_path / "results.sqlite") as table:
        for plan in plans:
            table.add_plan(plan)
        rows = list(compute(chosen, context))
        for row in rows:
            table.add(row)
    page = tmp_path / "page.md"
    page.write_text(
        "Before.\n\n<!-- table goals -->\nold\n<!-- end -->\n\n<!-- table law -->\n\nkept\n\n<!-- end -->\n"
    )
    threats.fill_page(page, tmp_path / "results.sqlite")
    text = page.read_text()
    assert text.startswith("Before.")
    assert "old" not in text
    assert "kept" in text
    line = next(each for each in text.splitlines() if each.startswith("| random | 0.1 |"))
    numbers = {row.cell.params["defense"]: row.numbers for row in rows}
    cells = [each.strip() for each in line.strip("|").split("|")]
    assert cells[2:5] == ["–"] * 3
    assert cells[5:7] == [f"{numbers[each]['accuracy']:.3f}" for each in ("none", "guard-accuracy")]
    assert cells[8] == f"{numbers['guard-accuracy']['detected']:.3f}"
    assert cells[9] == f"{numbers['guard-accuracy']['false_positives']:.2%}"
    for name in threats.TABLES:
        page.write_text(f"<!-- table {name} --><!-- end -->")
        threats.fill_page(page, tmp_path / "results.sqlite")
        assert page.read_text().count("\n| ") >= 2 or name == "areas"


def test_every_attack_names_a_test_that_exists() -> None:
    page = (DOCS / "attacks.md").read_text()
    named = re.findall(r"`([a-z_/]+\.py)::(test_\w+)`", page)
    assert len(named) > 50
    tests = DOCS.parent / "tests"
    missing = [f"{path}::{name}" for path, name in named if f"def {name}(" not in (tests / path).read_text()]
    assert not missing
    rows = [line for line in page.splitlines() if line.startswith("| ") and not line.startswith("| attack ")]
    assert all("::test_" in row for row in rows)


def test_everything_that_the_paper_names_is_where_the_table_says() -> None:
    page = (DOCS / "reproduction.md").read_text()
    table = page.partition("<!-- named -->")[2].partition("<!-- end named -->")[0]
    rows = [line.strip("| ").split(" | ") for line in table.splitlines() if line.startswith("| ")][2:]
    assert len(rows) > 30
    for paper, section, here in rows:
        assert re.match(r"Sections? \d", section), paper
        places = [
            each for each in re.findall(r"`([^`]+)`", here) if each.startswith(("gl.", "graphldp ")) or "/" in each
        ]
        assert places, f"{paper}: nothing is named"
        for place in places:
            if place.startswith("gl."):
                assert hasattr(gl, place.removeprefix("gl.")), place
            elif place.startswith("graphldp reproduce "):
                assert place.removeprefix("graphldp reproduce ") in EXPERIMENTS, place
            else:
                assert (DOCS.parent / place).is_file(), place
