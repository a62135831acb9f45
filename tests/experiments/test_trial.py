from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from graphldp.experiments.cells import Cell
from graphldp.experiments.compute import compute
from graphldp.experiments.draws import Context, Draw
from graphldp.experiments.trial import TRIALS, Threat, Trial

RESULTS = Path(__file__).parents[2] / "docs" / "results"
DRAW = Draw("synthetic:threads", "dprr", 1.0, (0.125, 0.875), 0.0, 2)
RATIOS = (0.75, 0.10, 0.15)


@pytest.mark.parametrize("name", ["reddit-binary", "elsewhere"])
def test_every_committed_cell_is_a_trial_and_keeps_its_identity(name: str) -> None:
    connection = sqlite3.connect(f"file:{RESULTS / name}.sqlite?mode=ro&immutable=1", uri=True)
    marks = ", ".join("?" * len(TRIALS))
    rows = connection.execute(f"select id, kind, params from cells where kind in ({marks})", TRIALS).fetchall()
    connection.close()
    assert len(rows) > 100
    wrong = [key for key, kind, params in rows if Trial.of(Cell(kind, params)).cell.id != key]
    assert not wrong


def test_kinds_are_told_by_classifier_and_threat() -> None:
    made = [
        Trial(DRAW, RATIOS, 2, threat=threat, **what)
        for threat in (None, Threat())
        for what in ({"model": {"layers": 2}, "training": {"lr": 0.1}}, {"classifier": "degree"})
    ]
    assert [trial.cell.kind for trial in made] == list(TRIALS)
    assert [Trial.of(trial.cell) for trial in made] == made


def test_an_attack_nobody_takes_part_in_changes_nothing() -> None:
    """What a threat adds to a trial without one is only the question."""
    plain, asked = (Trial(DRAW, RATIOS, 2, "degree", threat=threat) for threat in (None, Threat()))
    one, two = compute([plain.cell, asked.cell], Context())
    assert one.status == two.status == "done"
    assert one.numbers == two.numbers
    assert sum(map(sum, one.numbers["confusion"])) == 45
