"""PyTorch Geometric's side of the comparison takes the steps that it is timed for."""

from __future__ import annotations

import pytest

import graphldp as gl
from graphldp.experiments.speed import BATCH, EpochsHere, GeometricEpochs


@pytest.mark.parametrize("kept", [False, True])
def test_a_step_for_each_batch(kept: bool) -> None:
    graphs = gl.synthetic.threads(num_graphs=BATCH + 8, seed=0)
    program = GeometricEpochs(graphs, kept=kept)
    before = [each.clone() for each in program._all.parameters()]
    assert len(list(program.steps())) == 2
    program.epoch()
    assert all(not each.equal(was) for each, was in zip(program._all.parameters(), before, strict=True) if was.any())
    here = EpochsHere(graphs).train(1)
    weights = sum(each.numel() for name, each in here.state.items() if not name.endswith((".mean", ".var")))
    assert sum(each.numel() for each in before) == weights  # the same network
