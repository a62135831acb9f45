from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from tests.experiments.conftest import MakePlan

from graphldp.experiments.cells import Cell
from graphldp.experiments.compute import compute
from graphldp.experiments.draws import Context, Draw

pytestmark = pytest.mark.usefixtures("few_trees")

MODELS: list[dict[str, Any]] = [
    {"layers": 3},
    {"layers": 2, "graph_features": "degrees"},
    {"layers": 3, "features": "profile", "directions": "both"},
]


def test_one_draw_serves_models_that_see_it_in_different_ways(context: Context) -> None:
    """Each cell among others gives what it gives alone."""
    dataset = context.files[0][0]
    draw = Draw(dataset, "dprr", 1.0, (0.5, 0.5), 0.0, 1).params()
    common = {"draw": draw, "ratios": [0.6, 0.2, 0.2], "seed": 1, "training": {"max_epochs": 2}}
    cells = [Cell.of("accuracy", **common, model={"hidden": 4, "dropout": 0.5} | model) for model in MODELS]
    together = {row.cell.id: row for row in compute(cells, context)}
    assert [together[cell.id].status for cell in cells] == ["done"] * 3
    for cell in cells:
        (alone,) = compute([cell], context)
        assert alone.numbers == together[cell.id].numbers
    assert len({row.numbers["val_loss"] for row in together.values()}) == 3


@pytest.mark.long
def test_other_processes_prepare_the_same(context: Context) -> None:
    """Both kinds of Blink's graphs, of two draws, beside a draw that is not prepared."""
    dataset = context.files[0][0]
    draws = [Draw(dataset, f"blink-{kind}", 1.0, None, 0.2, seed) for seed in (1, 2) for kind in ("hard", "hybrid")]
    common = {"ratios": [0.6, 0.2, 0.2], "seed": 1, "training": {"max_epochs": 2}, "model": {"layers": 2, "hidden": 4}}
    cells = [
        Cell.of("accuracy", draw=draw.params(), **common)
        for draw in [*draws, Draw(dataset, "dprr", 1.0, (0.5, 0.5), 0.0, 1)]
    ]
    alone, others = ({r.cell.id: r for r in compute(cells, replace(context, workers=n))} for n in (1, 2))
    assert [alone[cell.id].status for cell in cells] == ["done"] * 5
    assert {key: row.numbers for key, row in alone.items()} == {key: row.numbers for key, row in others.items()}


def test_every_method_beyond_the_paper_is_computed(plan_of: MakePlan, context: Context) -> None:
    """At ε = 1 and with public users; of trainings the two shallow points, so no more than one of each."""
    entries = [*plan_of("beyond").entries, *plan_of("ingredients").entries]
    chosen = {e.series: e.cell for e in entries if e.x in (None, 1.0) and e.panel != "λ = 0"}
    assert set(chosen) >= {"recipe", "arr", "blink-hard", "blink-hybrid", "degree-forest", "size-gin", "dprr-all"}
    rows = {row.cell.id: row for row in compute(list(chosen.values()), context)}
    for series, cell in chosen.items():
        assert rows[cell.id].status == "done", (series, rows[cell.id].note)
