from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
from tests.values import some

from graphldp.errors import ParameterError
from graphldp.experiments.cells import Cell
from graphldp.experiments.compute import compute
from graphldp.experiments.draws import Context, Draw, reports_of
from graphldp.experiments.trial import NETWORK, NODES, TRIALS, Threat, Trial, Where
from graphldp.experiments.trials.cases import attacked
from graphldp.learn.selection import split

pytestmark = pytest.mark.usefixtures("few_trees")

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
    made.append(Trial(DRAW, RATIOS, 2, NODES))
    assert [trial.cell.kind for trial in made] == list(TRIALS)
    assert [Trial.of(trial.cell) for trial in made] == made


@pytest.mark.parametrize("threat", [None, Threat()])
def test_settings_that_are_not_a_classifiers_own_are_another_trial(threat: Threat | None) -> None:
    usual = Trial(DRAW, RATIOS, 2, "recipe-robust-6", threat=threat)
    daring = replace(usual, model={"allowance": 0.05})
    assert "model" not in usual.cell.params
    assert (daring.cell.params["model"], daring.cell.kind) == ({"allowance": 0.05}, usual.cell.kind)
    assert Trial.of(daring.cell) == daring


def test_an_attack_nobody_takes_part_in_changes_nothing() -> None:
    """What a threat adds to a trial without one is only the question."""
    plain, asked = (Trial(DRAW, RATIOS, 2, "degree", threat=threat) for threat in (None, Threat()))
    one, two = compute([plain.cell, asked.cell], Context())
    assert one.status == two.status == "done"
    assert one.numbers == two.numbers
    assert sum(map(sum, one.numbers["confusion"])) == 45


DEGREES = Draw("synthetic:threads", "discrete-degrees", 1.0, None, 0.0, 2)


def test_only_what_the_paper_does_not_have_is_named() -> None:
    """Cells from before liars could be in test graphs, or be counted, keep their identity."""
    paper = Trial(DRAW, RATIOS, 2, "degree", threat=Threat("random", 0.3))
    assert not {"where", "liars"} & paper.cell.params.keys()
    others = [replace(paper, threat=Threat("fake-hub", where=where, liars=1)) for where in get_args(Where)]
    assert len({trial.cell.id for trial in others}) == 3
    assert [Trial.of(trial.cell) for trial in others] == others


def test_liars_are_where_the_threat_says() -> None:
    """One liar in each training graph, in each test graph, in both: who is turned, and what a fit learns from."""
    trials = {
        where: Trial(DEGREES, RATIOS, 2, "degree", threat=Threat("fake-hub", where=where, liars=1))
        for where in get_args(Where)
    }
    honest = reports_of(DEGREES, Context())
    learn, _, test = split(honest.labels, RATIOS, 2)
    for where, trial in trials.items():
        case = attacked(trial, Context())
        graphs = np.unique(honest.graph_of_user[case.malicious])
        assert set(graphs) == set({"train": learn, "test": test, "both": np.concatenate((learn, test))}[where])
        assert case.malicious.sum() == len(graphs)
    learned = {where: replace(trial, threat=some(trial.threat).learned) for where, trial in trials.items()}
    assert learned["train"] == learned["both"] == trials["train"]
    assert learned["test"].threat == Threat()


def test_nobody_lies_in_trusted_graphs_and_these_are_learned_from_alone() -> None:
    """So it is the same whatever the others send; a network stops by trusted graphs, too."""
    model = {"layers": 2, "hidden": 8, "dropout": 0.5}
    training = {"lr": 0.01, "max_epochs": 3, "min_epochs": 1, "patience": 1}
    found = []
    for threat in (Threat(), Threat("fake-hub", 0.3), Threat("imitation", 0.5)):
        trial = Trial(DEGREES, RATIOS, 2, "degree", threat=threat, trusted=0.2)
        case, honest = attacked(trial, Context()), reports_of(DEGREES, Context())
        learn, stop, test = split(honest.labels, RATIOS, 2)
        trusted, mine, own = trial.parts(honest.labels)
        np.testing.assert_array_equal(mine, stop)
        np.testing.assert_array_equal(own, test)
        assert set(trusted) <= set(learn)
        assert len(trusted) == round(0.2 * len(learn))
        lying = np.unique(honest.graph_of_user[case.malicious])
        assert set(lying) == (set() if threat == Threat() else set(learn) - set(trusted))
        listed = replace(trial, draw=DRAW, threat=None if threat == Threat() else Threat("random", 0.3))
        network = replace(listed, classifier=NETWORK, model=model, training=training)
        learned, stopped, _ = network.parts(honest.labels)
        assert sorted([*learned, *stopped]) == sorted(trusted)
        assert (Trial.of(trial.cell), Trial.of(network.cell)) == (trial, network)
        rows = list(compute([trial.cell, network.cell], Context()))
        assert [row.status for row in rows] == ["done", "done"]
        found.append([row.numbers["accuracy"] for row in rows])
    assert found[0] == found[1] == found[2]


def test_a_fit_that_trials_share_gives_what_each_gives_alone() -> None:
    threats = [Threat(), *(Threat(name, where="test", liars=1) for name in ("fake-hub", "silent-hub"))]
    threats += [Threat("fake-hub", where=where, liars=1) for where in get_args(Where) if where != "test"]
    cells = [Trial(DEGREES, RATIOS, 2, "degree", threat=threat).cell for threat in threats]
    together = {row.cell.id: row.numbers for row in compute(cells, Context())}
    alone = {cell.id: next(compute([cell], Context())).numbers for cell in cells}
    assert together == alone
    assert together[cells[1].id]["accuracy"] < together[cells[0].id]["accuracy"]


def test_a_threat_reads_as_what_it_is() -> None:
    assert str(Threat("fake-hub", where="test", liars=1)) == "attack fake-hub, 1 in each graph, in test graphs"
    with pytest.raises(ParameterError, match="'where' parameter of graphldp must be one of train, test, both"):
        Threat.named("fake-hub", 0.1, None, where="nowhere")
    with pytest.raises(ParameterError, match="'liars' parameter of FakeHub must be a whole number"):
        Threat.named("fake-hub", 0.0, None, liars=-1)
