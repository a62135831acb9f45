"""Pages whose tables are written from results."""

from __future__ import annotations

import ast
import importlib
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.values import some
from tools.fill import fill

import graphldp as gl
from graphldp.experiments.compute import compute
from graphldp.experiments.draws import Context
from graphldp.experiments.plans.figures import EXPERIMENTS
from graphldp.experiments.plans.plan import dataset_id, make_plan
from graphldp.experiments.results import ResultsFile
from graphldp.experiments.summary import points_of
from graphldp.mechanisms.named import name_of
from graphldp.pages.plots import standalone
from graphldp.pages.sections.calibration import pooled

DOCS = Path(__file__).resolve().parents[2] / "docs"


TOOLS = (
    "learning.attributes",
    "learning.calibration",
    "learning.nodes",
    "learning.posterior",
    "liars.threats",
    "mechanism_figures",
    "mutants",
    "reference.attacks",
    "reproduction.tables",
    "surveys",
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
    pages = [*DOCS.rglob("*.md"), *DOCS.parent.glob("*.md")]
    markers = [(page, name) for page in pages for name in re.findall(r"<!-- table (.*?) -->", page.read_text())]
    filled = [
        [(page, name) for page in tool.PAGES if (page, name) in markers]
        for tool in tools.values()
        for name in {*tool.TABLES, *getattr(tool, "PROBES", {})}
    ]
    assert all(filled)
    assert sorted(each for stands in filled for each in stands) == sorted(markers)
    for page in pages:
        assert page.read_text().count("<!-- table ") == page.read_text().count("<!-- end -->")


def test_tables_hold_what_the_results_say(tools: dict[str, Any]) -> None:
    """A number that was changed by hand, or results without their tables, would be found."""
    maker = tools["reproduction.tables"]
    pages = {page: page.read_text() for page in maker.PAGES}
    for name, make in maker.TABLES.items():
        (page,) = (each for each, text in pages.items() if f"<!-- table {name} -->" in text)
        assert f"<!-- table {name} -->\n\n{make()}\n\n<!-- end -->" in pages[page], f"{page.name}: {name}"
    for name, draw in maker.PICTURES.items():
        assert (maker.FIGURES / f"{name}.svg").read_text("utf-8") == standalone(draw()) + "\n", name


@pytest.mark.parametrize("tool", ["learning.attributes", "learning.calibration", "learning.nodes", "surveys"])
def test_small_pages_have_what_their_tools_compute(tools: dict[str, Any], tool: str) -> None:
    (page,) = tools[tool].PAGES
    for name, maker in tools[tool].TABLES.items():
        assert f"<!-- table {name} -->\n\n{maker()}\n\n<!-- end -->" in page.read_text()


@pytest.mark.parametrize(("features", "width"), [("constant", 1), ("degree", 13)])
def test_the_maximum_is_taken_over_the_lists_of_a_graph(features: str, width: int) -> None:
    made = importlib.import_module("tools.learning.max_aggregation").graphs_of
    reports = gl.DPRR(1.0).randomize(gl.synthetic.threads(num_graphs=9, seed=0), rng=0)
    for graph, lists in zip(made(reports, features), (reports[each : each + 1] for each in range(9)), strict=True):
        owner = np.repeat(np.arange(lists.num_users), lists.degrees)
        assert graph.edge_index.tolist() == [lists.indices.tolist(), owner.tolist()]
        assert graph.x.shape == (lists.num_users, width)
        assert (graph.x.sum(1) == 1).all()
        assert graph.y.item() in (0, 1)


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
        assert round(found, 3) >= GOALS[dataset].get(epsilon, 0.0)  # as the page shows it


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
    tool, (private, public) = tools["learning.attributes"], BEST_SEEN[dataset]
    known = tool.read(tool.RESULTS)

    def mean(method: str, epsilon: float) -> float:
        found = [value for key, value in known.items() if (key[0], key[2:]) == (dataset, (method, epsilon))]
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
        "Before.\n\n<!-- table defended -->\nold\n<!-- end -->\n\n<!-- table law -->\n\nkept\n\n<!-- end -->\n"
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


def test_the_page_of_attacks_is_what_the_tests_say(tools: dict[str, Any], tmp_path: Path) -> None:
    maker, page = tools["reference.attacks"], tmp_path / "attacks.md"
    assert len(maker.attacks()) > 200
    page.write_text((DOCS / "evidence" / "attacks.md").read_text())
    fill(page, maker.TABLES)
    assert page.read_text() == (DOCS / "evidence" / "attacks.md").read_text(), "python -m tools.reference.attacks"


@pytest.mark.parametrize("marked", ['"nowhere"', '"collector", 1', "SECTION", '"storage"'])
def test_an_attack_has_a_section_and_says_what_is_tried(tools: dict[str, Any], marked: str) -> None:
    told = "" if marked == '"storage"' else '"""Something."""'
    tree = ast.parse(f"@pytest.mark.attack({marked})\ndef test_it():\n    {told or 'pass'}")
    with pytest.raises(ValueError, match="test_it"):
        list(tools["reference.attacks"]._marked(tree, "test_x.py"))


def test_all_tests_of_a_file_that_is_marked_are_attacks(tools: dict[str, Any]) -> None:
    tree = ast.parse('pytestmark = pytest.mark.attack("device")\ndef test_it():\n    "Something."\ndef helper(): ...')
    (found,) = tools["reference.attacks"]._marked(tree, "test_x.py")
    assert found == ("device", "Something.", "test_x.py::test_it")


def test_the_pages_about_liars_hold_what_the_results_say(threats: Any, tmp_path: Path) -> None:
    """A number that was changed by hand, or results without their tables, would be found."""
    for page in threats.PAGES:
        (copy := tmp_path / page.name).write_text(page.read_text())
        threats.fill_page(copy, DOCS / "results" / "reddit-binary.sqlite")
        assert copy.read_text() == page.read_text(), page.name


def test_everything_that_the_paper_names_is_where_the_table_says() -> None:
    page = (DOCS / "evidence" / "reproduction.md").read_text()
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
