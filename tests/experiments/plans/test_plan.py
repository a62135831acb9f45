from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.experiments.conftest import MakePlan

from graphldp.errors import DatasetNotFoundError, ParameterError
from graphldp.experiments.draws import Context
from graphldp.experiments.plans.methods import METHODS, RAW, method_of
from graphldp.experiments.plans.plan import ExperimentPlan, dataset_id, experiments_for, make_plan
from graphldp.experiments.plans.scope import PlannedCell

PLAIN = ("layers", "hidden", "dropout")


def threads(experiment: str, effort: str = "paper", **options: Any) -> ExperimentPlan:
    return make_plan(experiment, "synthetic:threads", Context(), effort=effort, **options)


def ids(plan: ExperimentPlan) -> set[str]:
    return {entry.cell.id for entry in plan.entries}


def test_the_papers_grid_and_seeds() -> None:
    plan = threads("accuracy-lambda")
    dprr = [entry for entry in plan.entries if entry.series == "dprr"]
    assert len(dprr) == 4 * 10 * 96  # λ, seeds, grid points
    assert {entry.x for entry in dprr} == {0.0, 0.1, 0.2, 0.5}
    assert {entry.seed for entry in dprr} == set(range(10))
    model = {tuple(sorted(entry.cell.params["model"].items())) for entry in dprr}
    assert len(model) == 4 * 4 * 2
    assert {entry.cell.params["training"]["max_epochs"] for entry in dprr} == {500}


@pytest.mark.parametrize("experiment", ["accuracy-lambda", "accuracy-epsilon", "allocation"])
def test_every_accuracy_table_carries_both_controls(experiment: str) -> None:
    series = {entry.series for entry in threads(experiment, "smoke").entries}
    assert {"size-control", "degree-control", "nonpriv-full", "dprr"} <= series


def test_nobody_public_leaves_nothing_of_nonpriv_part() -> None:
    own = [entry for entry in threads("accuracy-lambda", "smoke").entries if entry.series == "nonpriv-part"]
    assert {entry.x for entry in own} == {0.1, 0.2, 0.5}


def test_figures_share_the_cells_they_have_in_common() -> None:
    at_one = [e for e in threads("accuracy-epsilon", "smoke").entries if e.series == "dprr" and e.x == 1.0]
    common = [e for e in threads("accuracy-lambda", "smoke").entries if e.series == "dprr" and e.x == 0.0]
    assert [e.cell for e in at_one] == [e.cell for e in common]


def test_two_splits_of_epsilon_that_agree_are_one_draw() -> None:
    """The floor √(8/999) = 0.0895 binds at ε = 0.2 for α ≥ 0.6; at α = 0.5 both rules take ε₁ = 0.1."""
    plan = threads("allocation", "smoke", seeds=1)
    cells: dict[tuple[str, float | None], str] = {
        (e.series, e.x): e.cell.id for e in plan.entries if e.panel == "λ = 0" and e.series.startswith("dprr")
    }
    assert cells["dprr", 0.5] == cells["dprr-fixed", 0.5]
    assert cells["dprr", 0.6] == cells["dprr", 0.9] != cells["dprr-fixed", 0.9]
    assert len(ids(plan)) < len(plan.entries)


def test_an_epsilon_below_the_floor_is_planned_and_impossible(plan_of: MakePlan) -> None:
    """n_max below 70: the floor is above 0.34, so ε = 0.2 cannot be split the paper's way."""
    own = [entry for entry in plan_of("accuracy-epsilon").entries if entry.series == "dprr" and entry.x == 0.2]
    assert own
    assert all(entry.cell.params["draw"]["budget"] is None for entry in own)


def test_every_experiment_has_a_plan() -> None:
    for dataset in ("synthetic:threads", "synthetic:communities"):
        for name in experiments_for(dataset, Context()):
            entries: tuple[PlannedCell, ...] = make_plan(name, dataset, Context(), effort="smoke").entries
            assert entries, name


def test_the_recipe_is_compared_with_the_cells_of_the_paper() -> None:
    """Shared cells are one; options are in the cell's model; few seeds where that was said."""
    paper = {entry.cell.id for entry in threads("accuracy-epsilon", "smoke").entries if entry.series == "dprr"}
    beyond = threads("beyond", "smoke").entries
    private = [entry for entry in beyond if entry.panel == "λ = 0"]
    assert {entry.cell.id for entry in private if entry.series == "dprr"} == paper
    assert {entry.series for entry in beyond if entry.x is None} == {
        name for name in METHODS if method_of(name).across and not name.startswith("node-")
    } - set(RAW)
    assert {entry.cell.params["draw"]["mechanism"] for entry in beyond if entry.series == "recipe"} == {"recommended"}
    ingredients = threads("ingredients", "smoke", seeds=7).entries
    assert max(entry.seed for entry in ingredients) == 4
    for entry in ingredients:
        given = {
            k: v for k, v in entry.cell.params.get("model", {}).items() if k not in ("layers", "hidden", "dropout")
        }
        assert given == method_of(entry.series).model


def test_bad_requests() -> None:
    with pytest.raises(ParameterError, match="'experiment' parameter of graphldp reproduce must be one of table-data"):
        threads("figure-17")
    with pytest.raises(ParameterError, match="'seeds'"):
        threads("degrees", seeds=0)
    with pytest.raises(DatasetNotFoundError, match="graphldp dataset REDDIT-MULTI-5K --fetch"):
        make_plan("degrees", "REDDIT-MULTI-5K", Context(root="/nowhere"))


def test_a_file_is_known_by_its_content(graphs_file: Path, tmp_path: Path) -> None:
    name, files = dataset_id(str(graphs_file))
    assert name.startswith("file:tiny@")
    assert files == {name: str(graphs_file)}
    copy = tmp_path / "tiny.npz"
    copy.write_bytes(graphs_file.read_bytes())
    assert dataset_id(str(copy))[0] == name
    assert dataset_id("REDDIT-BINARY") == ("REDDIT-BINARY", {})


def test_a_ceiling_is_learned_from_the_true_lists() -> None:
    own = [entry for entry in threads("ceilings", "smoke", seeds=1).entries if entry.series.startswith("raw-")]
    assert {entry.cell.params["draw"]["mechanism"] for entry in own} == {"nonpriv-full"}
    learned = {entry.series: entry.cell.params.get("control") or entry.cell.params["model"] for entry in own}
    assert learned["raw-recipe"] == "recipe-2"
    assert learned["raw-degree-gin"]["features"] == "degree"
    assert learned["raw-head-gin"]["graph_features"] == "degrees"
