"""The benchmark measures what it says: rivals that compute the same model, and rows as they come."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import graphldp as gl
from graphldp.benchmarks import rivals, stacked, training
from graphldp.learn.engine.gin import ModelSpec


@pytest.fixture(scope="module")
def graphs() -> gl.GraphSet:
    return gl.synthetic.threads(num_graphs=40, seed=0)


def geometric_steps(lists: gl.GraphSet, spec: ModelSpec, batch_size: int) -> Iterator[rivals.Step]:
    return rivals.GeometricEpochs(lists, spec, batch_size).steps()


@pytest.mark.parametrize("steps", [geometric_steps, rivals.dense_steps])
def test_a_rival_takes_one_step_for_each_batch(
    steps: Callable[[gl.GraphSet, ModelSpec, int], Iterator[rivals.Step]], graphs: gl.GraphSet
) -> None:
    made = list(steps(graphs, ModelSpec(2, layers=3, hidden=4), 8))
    assert len(made) == 5
    for step in made:
        step()


@pytest.mark.long
def test_stacked_against_one_by_one(graphs: gl.GraphSet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stacked, "EPOCHS", 2)
    files = [tmp_path / f"{seed}.npz" for seed in range(2)]
    for seed, file in enumerate(files):
        gl.DPRR(epsilon=2.0).randomize(graphs, rng=seed).save(file)
    rows = {row.pop("what"): row for row in stacked.run(files, device="cpu", sizes=(1, 3))}
    assert rows["1 as one"]["against_one_by_one"] == 1
    assert rows["3 as one"]["trainings_per_minute"] > 0
    assert rows["same job twice"]["alone, same bits"]
    assert rows["same job twice"]["four as one, same bits"]
    assert rows["3 of them one by one"]["largest_difference"] <= 0.5  # 6 test graphs, 2 epochs
    apart = stacked.side_by_side(files, "cpu", 3, processes=2, epochs=2)
    assert apart["trainings_per_minute"] > 0
    assert abs(apart["test_accuracy"] - rows["3 whole trainings as one"]["test_accuracy"]) <= 0.5


def test_what_would_overrun_the_limit_is_left_out(graphs: gl.GraphSet, tmp_path: Path) -> None:
    gl.DPRR(epsilon=2.0).randomize(graphs, rng=0).save(tmp_path / "draw.npz")
    *_, last = stacked.run([tmp_path / "draw.npz"], device="cpu", sizes=(1,), limit=0.0)
    assert "left_out" in last


@pytest.mark.long
def test_a_limit_bounds_the_rounds_of_a_set() -> None:
    """In processes of their own, as measured: one round, however low the limit."""
    graphs = gl.synthetic.threads(num_graphs=2 * training.BATCH, seed=0)
    rows = list(training.compared("threads", graphs, threads=1, rounds=3, limit=0.0, dense_batches=1))
    assert [row["method"] for row in rows] == list(training.METHODS)
    assert [row["rounds"] for row in rows] == [1, 1, 1]
    assert rows[0]["ratio"] == rows[0]["processor_ratio"] == 1
    assert all(row["processor_seconds"] > 0 and row["threads"] == 1 for row in rows)
