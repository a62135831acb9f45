from __future__ import annotations

import pytest

import graphldp as gl
from graphldp.experiments.draws import Context
from graphldp.experiments.plans.plan import dataset_id


@pytest.fixture(scope="session")
def small_graphs(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Context]:
    """Sixty graphs of fewer than 70 users: how cells name them, and where they are."""
    path = tmp_path_factory.mktemp("small") / "small.npz"
    graphs = gl.synthetic.threads(num_graphs=120, seed=0)
    graphs.subset(graphs.sizes.argsort(kind="stable")[:60]).save(path)
    name, files = dataset_id(str(path))
    return name, Context(files=tuple(files.items()), memory=1 << 33)
