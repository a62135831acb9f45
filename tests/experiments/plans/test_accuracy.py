"""Plans about single users: which trials, on which splits, and which experiments a dataset is for."""

from __future__ import annotations

import pytest

from graphldp.datasets.registry import NODE_SPLIT
from graphldp.errors import ParameterError
from graphldp.experiments.draws import Context, load
from graphldp.experiments.plans.accuracy import NodeSweep
from graphldp.experiments.plans.figures import EXPERIMENTS
from graphldp.experiments.plans.plan import ExperimentPlan, experiments_for, make_plan
from graphldp.experiments.plans.setup import Setup, draw_for
from graphldp.experiments.trial import LPGNNS, NODE_LEARNERS, NODES, Trial

DATASET = "synthetic:communities"


def plan_of(experiment: str = "nodes", effort: str = "paper") -> ExperimentPlan:
    return make_plan(experiment, DATASET, Context(), effort=effort)


def test_ten_fresh_splits_of_every_method() -> None:
    plan = plan_of()
    spec = EXPERIMENTS["nodes"]
    assert isinstance(spec, NodeSweep)
    assert {entry.seed for entry in plan.entries} == set(range(100, 110))
    for method in spec.methods:
        own = [entry for entry in plan.entries if entry.series == method]
        across = method in NODE_LEARNERS or method == "nonpriv-full"
        assert [e.x for e in own if e.seed == 100] == ([None] if across else list(spec.epsilon))
    assert all(entry.cell.kind == "nodes" for entry in plan.entries)
    assert len({entry.cell.id for entry in plan.entries}) == len(plan.entries)


@pytest.mark.parametrize("mechanism", ["friend-counts", "rr", "dprr", "nonpriv-full"])
def test_what_train_runs_is_the_same_cell(mechanism: str) -> None:
    graphs = load(DATASET, Context())
    setup = Setup(Trial(draw_for(DATASET, graphs, mechanism, 2.0), NODE_SPLIT, 0, NODES))
    planned = {entry.cell.id for entry in plan_of().entries}
    (own,) = setup.candidates(103)
    if mechanism != "nonpriv-full":  # nothing is drawn in a plan, and so there is no seed
        assert own.cell.id in planned
    assert {trial.cell.id for trial in setup.controls(103).values()} <= planned


def test_lpgnns_draw_private_features() -> None:
    drawn = {e.cell.params["draw"]["mechanism"] for e in plan_of("nodes-features").entries if e.series in LPGNNS}
    assert drawn == {"multi-bit"}


def test_experiments_fit_the_dataset() -> None:
    users = {"nodes", "nodes-features", "nodes-side-by-side"}
    assert set(experiments_for(DATASET, Context())) == users
    assert set(experiments_for("synthetic:threads", Context())) == set(EXPERIMENTS) - users
    with pytest.raises(ParameterError, match="not one graph whose users have labels"):
        make_plan("nodes", "synthetic:threads", Context())
    with pytest.raises(ParameterError, match="has no labels to learn"):
        make_plan("degrees", DATASET, Context())
