"""The section about malicious users, from cells that were computed: 150 synthetic threads, a dozen epochs."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import mean, stdev
from typing import Any

import pytest

import graphldp as gl
from graphldp.experiments.cells import Row
from graphldp.experiments.compute import compute
from graphldp.experiments.draws import Context
from graphldp.experiments.plans.adversaries import Panel, Poisoning, line_name
from graphldp.experiments.plans.figures import EXPERIMENTS
from graphldp.experiments.plans.plan import ExperimentPlan, dataset_id, make_plan
from graphldp.pages.sections.experiments import section_of
from graphldp.pages.tables import Section

pytestmark = pytest.mark.usefixtures("few_trees")

UNDEFENDED, GUARDED = ("degrees", "none", ""), ("degrees", "guard-accuracy", "redraw")
PANELS = (
    Panel("all-ones", (0.0, 0.4), (("gin", "none", ""), UNDEFENDED, GUARDED), curve=0.4),
    Panel("all-ones", (0.4,), (("degrees", "perfect", "remove"),), about="flagged users"),
)


@pytest.fixture(scope="module")
def computed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[ExperimentPlan, dict[str, Row]]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(EXPERIMENTS, "poisoning", Poisoning("Lies & lists", "Figure 10", panels=PANELS))
        path = tmp_path_factory.mktemp("threads") / "threads.npz"
        gl.synthetic.threads(num_graphs=150, seed=0).save(path)
        name, files = dataset_id(str(path))
        context = Context(files=tuple(files.items()), memory=1 << 33)
        plan = make_plan("poisoning", name, context, effort="smoke", seeds=2)
        rows = {row.cell.id: row for row in compute([entry.cell for entry in plan.entries], context)}
        assert {row.status for row in rows.values()} == {"done"}
        yield plan, rows


@pytest.fixture(scope="module")
def section(computed: tuple[ExperimentPlan, dict[str, Row]]) -> Section:
    return section_of(*computed)


def values(
    computed: tuple[ExperimentPlan, dict[str, Row]], line: tuple[str, str, str], x: float, name: str
) -> list[Any]:
    """A number of a line of the first panel, seed by seed."""
    plan, rows = computed
    own = [e for e in plan.entries if (e.panel, e.series, e.x) == ("all-ones", line_name(*line), x)]
    return [rows[entry.cell.id].numbers[name] for entry in own]


def test_means_and_deviations(computed: tuple[ExperimentPlan, dict[str, Row]], section: Section) -> None:
    for line in PANELS[0].lines:
        for x in PANELS[0].fractions:
            scores = values(computed, line, x, "accuracy")
            assert f"<td>{mean(scores):.3f} ± {stdev(scores):.3f}</td>" in section.body


def test_what_was_recovered_and_who_was_flagged(
    computed: tuple[ExperimentPlan, dict[str, Row]], section: Section
) -> None:
    best, worst, after = (
        mean(values(computed, line, x, "accuracy"))
        for line, x in ((UNDEFENDED, 0.0), (UNDEFENDED, 0.4), (GUARDED, 0.4))
    )
    assert best - worst > 0.02
    table = section.body.split("<h3>all-ones: recovered</h3>")[1].split("</table>")[0]
    assert f"<td>degrees: HubGuard, accuracy, redraw</td><td>–</td><td>{(after - worst) / (best - worst):.2f}" in table
    for name, label in (("detected", "malicious users flagged"), ("hub_false_positives", "honest hubs flagged")):
        table = section.body.split(f"<h3>all-ones: {label}</h3>")[1].split("</table>")[0]
        assert f"<td>{mean(values(computed, GUARDED, 0.4, name)):.4f}</td>" in table
    table = section.body.split("flagged users: malicious users flagged</h3>")[1].split("</table>")[0]
    assert "perfect detector, remove</td><td>1.0000</td>" in table


def test_charts_and_detection_curves(computed: tuple[ExperimentPlan, dict[str, Row]], section: Section) -> None:
    charts = {name: svg for name, _, svg in section.charts}
    assert list(charts) == ["poisoning-all-ones", "poisoning-all-ones-detection", "poisoning-all-ones-flagged-users"]
    plan, rows = computed
    for entry in (each for each in plan.entries if each.x is None):
        for among in ("all", "hubs"):
            curve = rows[entry.cell.id].numbers[among]
            assert f"area {curve['area']:.3f}" in charts["poisoning-all-ones-detection"]
            assert (curve["false_positives"][0], curve["detected"][0]) == (0.0, 0.0)
            assert (curve["false_positives"][-1], curve["detected"][-1]) == (1.0, 1.0)
            assert curve["detected"] == sorted(curve["detected"])


def test_seeds_that_are_not_done_are_left_out(computed: tuple[ExperimentPlan, dict[str, Row]]) -> None:
    plan, rows = computed
    first = {key: row for key, row in rows.items() if row.cell.params["seed"] == 0}
    body = section_of(plan, first).body
    score = values(computed, GUARDED, 0.4, "accuracy")[0]
    assert f"<td>{score:.3f}</td>" in body


def test_a_plan_without_rows() -> None:
    plan = make_plan("poisoning-beyond", "synthetic:threads", Context(), effort="smoke", seeds=1)
    section = section_of(plan, {})
    names = [chart[0] for chart in section.charts]
    assert len(names) == len(set(names))
    assert "β = 0.5" in section.body
