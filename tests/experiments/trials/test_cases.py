from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import graphldp as gl
from graphldp.experiments.cells import Cell, Row
from graphldp.experiments.compute import compute, groups_of
from graphldp.experiments.draws import Context, Draw
from graphldp.experiments.plans.plan import make_plan
from graphldp.experiments.trial import Threat, Trial
from graphldp.learn.fitting import fit_each
from graphldp.learn.tables.controls import DegreeControl
from graphldp.threats import HubGuard, Poison, SilentHubs

pytestmark = pytest.mark.usefixtures("few_trees")

CONTEXT = Context(memory=1 << 33)
DRAW = Draw("synthetic:threads", "dprr", 1.0, (0.125, 0.875), 0.0, 2)
FLAGGED_NOBODY = {"false_positives": 0.0, "hub_false_positives": 0.0}
MODEL = {
    "model": {"layers": 3, "hidden": 8, "dropout": 0.0},
    "training": {"lr": 0.01, "max_epochs": 3, "min_epochs": 1, "patience": 2},
}


def cell(kind: str, attack: str, fraction: float, **params: Any) -> Cell:
    common = {"draw": DRAW.params(), "ratios": [0.75, 0.1, 0.15], "seed": 2}
    return Cell.of(kind, **common, attack=attack, fraction=fraction, forge_degree=True, **params)


def sizes(graphs: gl.GraphSet) -> np.ndarray:
    return np.repeat(graphs.sizes, graphs.sizes)


def hubs(graphs: gl.GraphSet) -> np.ndarray:
    return graphs.degrees > sizes(graphs) / 4


def run(*cells: Cell) -> list[Row]:
    rows = {row.cell.id: row for row in compute(cells, CONTEXT)}
    return [rows[each.id] for each in cells]


def test_a_cell_says_what_the_library_says() -> None:
    (row,) = run(
        cell("poisoned-control", "random", 0.3, learner="degrees", defense="guard-accuracy", treatment="redraw")
    )
    assert row.status == "done", row.note
    graphs = gl.synthetic.threads(seed=0)
    reports = gl.DPRR(epsilon=1.0, allocation=gl.Budget(0.125, 0.875)).randomize(graphs, rng=2)
    train, _, test = gl.split(reports.labels, seed=2)
    attack = Poison.random(fraction=0.3)
    kept, verdict = HubGuard("accuracy").apply(attack.apply(reports, rng=2, graphs=train), rng=2)
    assert row.numbers["accuracy"] == DegreeControl(seed=2).fit(kept.subset(train)).score(kept.subset(test))
    malicious = attack.malicious(reports, rng=2, graphs=train)
    assert row.numbers["detected"] == verdict.rate(malicious)
    honest = np.isin(reports.graph_of_user, train) & ~malicious
    assert row.numbers["false_positives"] == verdict.rate(honest)
    assert row.numbers["hub_false_positives"] == verdict.rate(honest & hubs(graphs))
    long = malicious & (attack.apply(reports, rng=2, graphs=train).degrees > (sizes(graphs) - 1) / 4)
    assert row.numbers["detected_long"] == verdict.rate(long)


def test_models_controls_and_curves_run() -> None:
    rows = run(
        cell("poisoned-accuracy", "all-ones", 0.2, defense="none", treatment="", **MODEL),
        cell("poisoned-accuracy", "all-ones", 0.2, defense="guard-accuracy", treatment="remove", **MODEL),
        cell("poisoned-control", "frame", 0.2, learner="bounded", defense="none", treatment=""),
        cell("detection-curve", "random", 0.2, defense="guard-guarantee"),
    )
    assert [row.status for row in rows] == ["done"] * 4, [row.note for row in rows]
    assert rows[1].numbers["detected"] > 0.9
    assert 0 <= rows[3].numbers["hubs"]["area"] <= rows[3].numbers["all"]["area"] <= 1


def test_the_perfect_detector_finds_all_and_nobody_else() -> None:
    lines = [("perfect", each) for each in ("remove", "empty", "redraw")]
    rows = run(
        *(
            cell("poisoned-control", "random", 0.4, learner="degrees", defense=defense, treatment=treatment)
            for defense, treatment in lines
        )
    )
    for row in rows:
        assert row.numbers["detected"] == row.numbers["detected_long"] == 1.0
        assert row.numbers["false_positives"] == row.numbers["hub_false_positives"] == 0.0


def test_a_defense_that_flags_nobody_trains_nothing_new(monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory for one set of packed graphs at a time, and other processes that attack, give the same numbers."""
    cells = [
        cell("poisoned-accuracy", "random", 0.2, defense=defense, treatment=treatment, **MODEL)
        for defense, treatment in (("none", ""), ("threshold", "remove"), ("guard-accuracy", "empty"))
    ]
    trained = []

    def count(trainings: Any, **others: Any) -> Any:
        trained.append(len(trainings))
        return fit_each(trainings, **others)

    monkeypatch.setattr("graphldp.experiments.trials.networks.fit_each", count)
    none, threshold, guard = run(*cells)
    assert sum(trained) == 2
    assert threshold.numbers == {"detected": 0.0, "detected_long": 0.0, **FLAGGED_NOBODY, **none.numbers}
    assert guard.numbers["detected"] > 0.9
    monkeypatch.setattr("graphldp.experiments.trials.networks._ROOM", 0.0)
    alone = run(*cells)
    assert [row.numbers for row in alone] == [none.numbers, threshold.numbers, guard.numbers]
    assert sum(trained) == 2 + 3
    others = {row.cell.id: row.numbers for row in compute(cells, replace(CONTEXT, workers=2))}
    assert others == {row.cell.id: row.numbers for row in (none, threshold, guard)}


def test_no_training_begins_after_the_deadline() -> None:
    late = replace(CONTEXT, deadline=time.monotonic() - 1)
    assert list(compute([cell("poisoned-accuracy", "random", 0.2, defense="none", treatment="", **MODEL)], late)) == []


def test_what_does_not_fit_is_not_tried() -> None:
    large = cell("poisoned-accuracy", "all-ones", 0.5, defense="none", treatment="", **MODEL)
    (row,) = compute([large], replace(CONTEXT, memory=1 << 20))
    assert row.status == "too-large"
    (row,) = run(cell("poisoned-control", "random", 0.3, learner="degrees", defense="row-column", treatment="remove"))
    assert row.status == "failed"
    assert "derived for reports drawn by RR" in row.note


@pytest.mark.parametrize("name", ["poisoning", "poisoning-beyond"])
def test_without_malicious_users_all_attacks_are_one(name: str) -> None:
    plan = make_plan(name, "synthetic:threads", CONTEXT, effort="smoke", seeds=1)
    honest = [entry for entry in plan.entries if entry.x == 0]
    lines = {entry.series for entry in honest}
    assert len({entry.cell.id for entry in honest}) == len(lines)


def test_forged_degrees_are_planned_for_each_epsilon() -> None:
    """One liar stands at no β; a fit is shared by all attacks on test graphs, and by those on training graphs."""
    plan = make_plan("poisoning-recipe", "synthetic:threads", CONTEXT, effort="smoke", seeds=2)
    assert {entry.panel for entry in plan.entries} == {"ε = 1", "ε = 2"}
    alone = [entry for entry in plan.entries if "trusted" in entry.cell.params]
    assert {(entry.series, entry.cell.params["trusted"] == entry.x) for entry in alone} == {("recipe-2 trusted", True)}
    assert {entry.cell.kind for entry in alone} == {"control"}
    for entry in plan.entries:
        params = entry.cell.params
        if entry in alone:
            continue
        assert params.get("liars") == (1 if entry.x is None else None)
        assert params["fraction"] == (entry.x or 0.0)
        learner, *rest = entry.series.split()
        assert learner == params["learner"]
        assert rest == (["nobody"] if params["attack"] is None else [params.get("where", "train"), params["attack"]])
    assert len({entry.cell.id for entry in plan.entries}) == len(plan.entries)
    one = [e.cell for e in plan.entries if e.seed == 0 and e.panel == "ε = 1" and e not in alone]
    groups = groups_of([cell for cell in one if cell.params["learner"] == "recipe-2"])[0]
    evading = max(groups, key=len)
    threats = [trial.threat for trial in evading if isinstance(trial, Trial) and trial.threat is not None]
    assert {threat.where for threat in threats if threat.attack} == {"test"}
    everyone = [trial.threat for group in groups for trial in group if isinstance(trial, Trial)]
    assert sum(threat is not None and threat.where == "test" for threat in everyone) == len(evading) - 1


@pytest.mark.attack("learning")
def test_a_forged_report_is_scored_as_the_library_does() -> None:
    """One user of a community claims n − 1 friends."""
    draw = Draw("synthetic:threads", "discrete-degrees", 1.0, None, 0.0, 2)
    threat = Threat("silent-hub", where="test", liars=1)
    (row,) = run(Trial(draw, (0.75, 0.1, 0.15), 2, "degree", threat=threat).cell)
    reports = gl.NoisyDegrees(1.0, noise="discrete").randomize(gl.synthetic.threads(seed=0), rng=2)
    train, _, test = gl.split(reports.labels, seed=2)
    attacked = SilentHubs(liars=1).apply(reports, rng=2, graphs=test)
    assert row.numbers["accuracy"] == DegreeControl(seed=2).fit(reports.subset(train)).score(attacked.subset(test))
