"""A small set of graphs and the smallest plan that trains on it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import graphldp as gl
from graphldp.experiments.draws import Context
from graphldp.experiments.plans.plan import ExperimentPlan, dataset_id, make_plan

GRID = {"layers": (2, 3), "hidden": (4,), "lr": (0.01,), "dropout": (0.0,)}
MakePlan = Callable[..., ExperimentPlan]


@pytest.fixture(scope="session")
def graphs_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("graphs") / "tiny.npz"
    graphs = gl.synthetic.threads(num_graphs=120, seed=0)
    small = graphs.sizes.argsort(kind="stable")[:60]  # the smallest: n_max below 70
    graphs.subset(small).save(path)
    return path


@pytest.fixture(scope="session")
def context(graphs_file: Path) -> Context:
    return Context(files=tuple(dataset_id(str(graphs_file))[1].items()))


@pytest.fixture(scope="session")
def plan_of(graphs_file: Path, context: Context) -> MakePlan:
    name, _ = dataset_id(str(graphs_file))

    def make(experiment: str, seeds: int = 1) -> ExperimentPlan:
        return make_plan(experiment, name, context, effort="smoke", seeds=seeds, grid=GRID)

    return make
