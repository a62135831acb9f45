"""The plan of a search grows with what came out, and by validation numbers alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, cast

import pytest

from graphldp.experiments.cells import Cell, Row
from graphldp.experiments.draws import Context
from graphldp.experiments.plans.figures import EXPERIMENTS
from graphldp.experiments.plans.plan import ExperimentPlan, dataset_id, make_plan
from graphldp.experiments.plans.search import BEFORE, TESTED, GridSearch

SPEC = cast("GridSearch", EXPERIMENTS["grid"])
GRID = {"layers": (2, 3), "hidden": (4, 8), "lr": (0.001, 0.01), "dropout": (0.0,)}
Point = tuple[int, int, float]
Plan = Callable[..., ExperimentPlan]


@pytest.fixture
def plan(graphs_file: Path, context: Context) -> Plan:
    name, _ = dataset_id(str(graphs_file))

    def make(rows: Mapping[str, Row], seeds: int = 4) -> ExperimentPlan:
        return make_plan("grid", name, context, effort="paper", seeds=seeds, grid=GRID, rows=rows)

    return make


def point_of(cell: Cell) -> Point:
    model = cell.params["model"]
    return model["layers"], model["hidden"], cell.params["training"]["lr"]


def done(plan: ExperimentPlan, panel: str, numbers: Callable[[Cell, int], Mapping[str, Any]]) -> dict[str, Row]:
    return {e.cell.id: Row(e.cell, "done", numbers(e.cell, e.seed)) for e in plan.entries if e.panel == panel}


def points(plan: ExperimentPlan, panel: str, series: str, x: float | None) -> set[Point]:
    return {point_of(e.cell) for e in plan.entries if (e.panel, e.series, e.x) == (panel, series, x)}


def by_size(cell: Cell, seed: int) -> dict[str, float]:
    """Fast learners are ahead of slow ones, and larger ones of smaller ones; on the test graphs it is the opposite."""
    layers, hidden, rate = point_of(cell)
    value = (10 * layers + hidden) / 100 + (0.3 if rate == 0.01 else 0.0)
    return {"val_accuracy": value, "val_loss": 1.0, "accuracy": 1 - value}


def by_size_slow(cell: Cell, seed: int) -> dict[str, float]:
    """The slow one is best, once it is trained to the end."""
    return {"val_accuracy": float(point_of(cell) == (3, 4, 0.001)), "val_loss": 1.0}


def test_at_first_every_point_is_trained_briefly(plan: Plan) -> None:
    first = plan({})
    assert {entry.panel for entry in first.entries} == {"short", BEFORE}
    assert len(points(first, "short", "dprr", 0.2)) == 8
    epochs = {(e.series, e.cell.params["training"]["max_epochs"]) for e in first.entries if e.panel == "short"}
    assert epochs == {(m, 30 if m == "rr" else 40) for m in SPEC.methods}
    assert {e.x for e in first.entries if e.series == "nonpriv-part"} == {0.2}
    assert {e.x for e in first.entries if e.series == "nonpriv-full"} == {None}
    assert {e.seed for e in first.entries if e.panel == "short"} == {0, 1, 2}


def test_each_learning_rate_sends_its_best_on(plan: Plan) -> None:
    rows = done(plan({}), "short", by_size)
    second = plan(rows)
    best = {(3, 8, 0.001), (3, 4, 0.001), (3, 8, 0.01), (3, 4, 0.01)}
    assert points(second, "whole", "dprr", 0.0) == best
    assert points(second, "whole", "rr", 0.0) == {(3, 8, 0.001), (3, 8, 0.01)}
    assert {e.cell.params["training"]["max_epochs"] for e in second.entries if e.panel == "whole"} == {500}
    assert not points(second, TESTED, "dprr", 0.0)
    third = plan(rows | done(second, "whole", by_size_slow))
    assert points(third, TESTED, "dprr", 0.0) == {(3, 4, 0.001)}
    tested = [e for e in third.entries if (e.panel, e.series) == (TESTED, "dprr")]
    assert sorted((e.x, e.seed) for e in tested) == [(x, s) for x in (0.0, 0.2) for s in range(4)]
    assert points(third, TESTED, "rr", 0.2) == points(third, TESTED, "rr", 0.0) != set()


def test_seeds_count_together_and_a_tie_goes_by_the_loss(plan: Plan) -> None:
    """One lucky seed is not enough, and of two equal points the one with the lower loss is taken."""

    def numbers(cell: Cell, seed: int) -> dict[str, float]:
        lucky = point_of(cell) == (2, 4, 0.01) and seed == 0
        good = point_of(cell)[:2] in ((3, 4), (3, 8))
        loss = 0.1 if point_of(cell)[1] == 8 else 0.2
        return {"val_accuracy": 0.99 if lucky else 0.8 if good else 0.5, "val_loss": loss}

    rows = done(plan({}), "short", numbers)
    second = plan(rows)
    assert points(second, "whole", "local-lap", 0.0) == {(3, h, r) for h in (4, 8) for r in (0.001, 0.01)}
    third = plan(rows | done(second, "whole", numbers))
    assert points(third, TESTED, "local-lap", 0.0) == {(3, 8, 0.001)}  # of equal ones the first of the grid


def test_no_test_number_is_read(plan: Plan) -> None:
    def without(cell: Cell, seed: int) -> dict[str, float]:
        return {name: value for name, value in by_size(cell, seed).items() if name != "accuracy"}

    assert plan(done(plan({}), "short", by_size)) == plan(done(plan({}), "short", without))


def test_a_rung_that_is_not_whole_decides_nothing(plan: Plan) -> None:
    rows = done(plan({}), "short", by_size)
    lost = next(e.cell for e in plan({}).entries if (e.panel, e.series, e.x) == ("short", "dprr", 0.0))
    rows[lost.id] = Row(lost, "failed", note="out of memory")
    grown = plan(rows)
    assert not points(grown, "whole", "dprr", 0.0)
    assert points(grown, "whole", "dprr", 0.2)
