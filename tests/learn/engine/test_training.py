"""Training is Adam with a step schedule and early stopping, alone or among others."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from tests.learn.samples import random_lists, with_degrees
from torch.nn.functional import cross_entropy

from graphldp.errors import DataError, ParameterError, TrainingError
from graphldp.learn.engine import gin, rows
from graphldp.learn.engine.gin import ModelSpec
from graphldp.learn.engine.one_training import STREAMS, Training, TrainingOptions
from graphldp.learn.engine.packed.batches import PackedGraphs
from graphldp.learn.engine.training import predict_proba, resolve_device, train_many
from graphldp.reports import Reports

CPU = torch.device("cpu")


@pytest.fixture(autouse=True)
def by_compiled_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    """However little there is to train."""
    monkeypatch.setattr(rows, "PAYS", 0.0)


def problem(num_graphs: int = 40, seed: int = 0) -> tuple[Reports, NDArray[np.int64]]:
    """Two classes of different density."""
    rng = np.random.default_rng(seed)
    classes = np.arange(num_graphs) % 2
    graphs = [random_lists(rng, [int(rng.integers(5, 15))], 0.15 + 0.3 * c) for c in classes]
    indptr = np.concatenate(([0], np.cumsum(np.concatenate([g.degrees for g in graphs]))))
    sizes = [g.num_users for g in graphs]
    lists = type(graphs[0])(
        indptr, np.concatenate([g.indices for g in graphs]), np.concatenate(([0], np.cumsum(sizes)))
    )
    return with_degrees(rng, lists), classes


def packed_problem(
    spec: ModelSpec, dtype: torch.dtype = torch.float32, seed: int = 0
) -> tuple[PackedGraphs, PackedGraphs]:
    lists, classes = problem(seed=seed)
    packed = PackedGraphs.pack(lists, spec, CPU, classes, dtype=dtype)
    return packed.subset(np.arange(30)), packed.subset(np.arange(30, 40))


def stream(seed: int, name: str) -> np.random.Generator:
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(STREAMS[name],)))


def train(spec: ModelSpec, options: TrainingOptions, train_set: PackedGraphs, validation: PackedGraphs) -> Training:
    return train_many([Training(spec, options, train_set, validation)])[0]


@pytest.mark.parametrize(
    "kind",
    [
        {},
        {"graph_features": "degrees", "directions": "both"},
        {"convolution": "gcn"},
        {"convolution": "sage", "features": "degree", "num_features": 3, "readout": "sum"},
    ],
    ids=str,
)
@pytest.mark.parametrize("pays", [0.0, np.inf], ids=["compiled", "plain"])
def test_equals_a_plain_training_loop(kind: dict[str, Any], pays: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """torch_geometric modules, torch.optim.Adam and StepLR, from the same weights with the same shuffles."""
    from tests.learn.reference import Reference, batch_of, data_of

    monkeypatch.setattr(rows, "PAYS", pays)
    spec = ModelSpec(2, layers=3, hidden=8, dropout=0.0, **kind)
    options = TrainingOptions(max_epochs=4, batch_size=8, lr_step=2, seed=5)
    train_set, validation = packed_problem(spec, torch.float64)
    trained = train(spec, options, train_set, validation)

    lists, classes = problem()
    data = data_of(lists, spec, torch.float64)
    model = Reference(spec).double()
    slots = gin.parameters(spec)
    model.load(gin.views(slots, torch.from_numpy(gin.initial(slots, stream(5, "weights")))[None]))
    if spec.summaries:
        seen = torch.cat([each.summaries for each in data[:30]])
        model.running_mean, model.running_deviation = seen.mean(0), seen.std(0, correction=0)
        model.running_deviation[model.running_deviation < 1e-6] = 1.0
    optimizer = torch.optim.Adam(model.parameters(), lr=options.lr)
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, options.lr_step, options.lr_decay)
    shuffle = stream(5, "shuffle")
    states, losses = [], []
    for _ in range(options.max_epochs):
        model.train()
        order = shuffle.permutation(30)
        for start in range(0, 30, 8):  # the last batch has 6 graphs, and is not dropped
            some = order[start : start + 8]
            optimizer.zero_grad()
            scores = model(batch_of([data[i] for i in some]))
            torch.autograd.backward(cross_entropy(scores, torch.from_numpy(classes[some])))
            optimizer.step()
        schedule.step()
        with torch.no_grad():
            scores = model.eval()(batch_of(data[30:]))
        losses.append(float(cross_entropy(scores, torch.from_numpy(classes[30:]))))
        states.append(model.tensors())

    np.testing.assert_allclose([record.val_loss for record in trained.history], losses, atol=1e-8)
    assert trained.best_epoch == np.argmin(losses) + 1
    best = states[trained.best_epoch - 1]
    assert best.keys() == trained.state.keys()
    for name, value in best.items():
        # a bias before batch norm has no gradient but for rounding, which Adam magnifies
        tolerance = 1e-6 if name.startswith("conv") and name.endswith((".bias", ".mean")) else 1e-8
        assert (trained.state[name] - value).abs().max() < tolerance, name
    chances = predict_proba(spec, trained.state, validation, batch_size=3)
    reference = Reference(spec).double().eval()
    reference.load({name: value[None] for name, value in best.items()})
    expected = torch.softmax(reference(batch_of(data[30:])), dim=1)
    np.testing.assert_allclose(chances, expected.detach(), atol=1e-6)


@pytest.mark.parametrize(
    "kind", [{}, {"graph_features": "degrees", "features": "profile", "directions": "both"}], ids=str
)
def test_stacked_is_alone(kind: dict[str, Any]) -> None:
    """Different seeds, draws, splits, sizes, batch sizes, rates, dropouts and ends: each job as if it were alone."""
    spec = ModelSpec(2, layers=4, hidden=8, **kind)
    rng = np.random.default_rng(0)
    jobs = []
    for number in range(7):
        lists, classes = problem(seed=number % 3)
        packed = PackedGraphs.pack(lists, spec, CPU, classes, dtype=torch.float64)
        order = rng.permutation(40)
        size = 24 + number
        options = TrainingOptions(
            lr=0.05 / (1 + number % 2),
            batch_size=8 + number,
            max_epochs=3 + number % 4,
            min_epochs=1,
            patience=1 + 30 * (number % 2),  # some leave when nobody expects it
            seed=number,
        )
        own = replace(spec, dropout=0.1 * (number % 5))
        jobs.append(Training(own, options, packed.subset(order[:size]), packed.subset(order[size:])))
    seen = []
    together = train_many(jobs, at_once=3, on_epoch=lambda position, record: seen.append((position, record.epoch)))
    for number, job in enumerate(jobs):
        alone = train(job.spec, job.options, job.train_set, job.validation)
        assert [epoch for position, epoch in seen if position == number] == [each.epoch for each in alone.history]
        for one, other in zip(alone.history, together[number].history, strict=True):
            assert one.train_loss == pytest.approx(other.train_loss, abs=1e-8)
            assert one.val_loss == pytest.approx(other.val_loss, abs=1e-8)
            assert one.val_accuracy == other.val_accuracy
        for name, value in alone.state.items():
            assert (together[number].state[name] - value).abs().max() < 1e-6, name
    assert any(len(each.history) < job.options.max_epochs for each, job in zip(together, jobs, strict=True))


def test_a_step_may_have_graphs_of_one_training_alone() -> None:
    """Its rows are one tile, as those of a training that runs alone are."""
    spec = ModelSpec(2, layers=3, hidden=4, dropout=0.0)
    train_set, validation = packed_problem(spec, torch.float64)
    options = TrainingOptions(max_epochs=2, batch_size=5)
    jobs = [Training(spec, options, train_set.subset(np.arange(size)), validation) for size in (5, 17, 4)]
    for job, together in zip(jobs, train_many(jobs, at_once=3), strict=True):
        alone = train(spec, options, job.train_set, validation)
        assert alone.history[-1].val_loss == pytest.approx(together.history[-1].val_loss, abs=1e-8)


def test_same_seed_same_result() -> None:
    spec = ModelSpec(2, layers=3, hidden=8)
    sets = packed_problem(spec)
    first, again = (train(spec, TrainingOptions(max_epochs=3, seed=1), *sets) for _ in range(2))
    other = train(spec, TrainingOptions(max_epochs=3, seed=2), *sets)
    assert all(torch.equal(first.state[name], again.state[name]) for name in first.state)
    assert [r.val_loss for r in first.history] == [r.val_loss for r in again.history]
    assert not torch.equal(first.state["head1.weight"], other.state["head1.weight"])


def test_dropout_drops_scores_in_training_only() -> None:
    spec = ModelSpec(2, layers=2, hidden=4, dropout=0.9)
    sets = packed_problem(spec)
    trained = train(spec, TrainingOptions(max_epochs=2), *sets)
    without = train(ModelSpec(2, layers=2, hidden=4, dropout=0.0), TrainingOptions(max_epochs=2), *sets)
    assert trained.history[0].train_loss != without.history[0].train_loss
    assert np.array_equal(predict_proba(spec, trained.state, sets[1]), predict_proba(spec, trained.state, sets[1]))


def test_it_learns() -> None:
    spec = ModelSpec(2, layers=3, hidden=16)
    train_set, validation = packed_problem(spec)
    trained = train(spec, TrainingOptions(max_epochs=60, batch_size=8), train_set, validation)
    right = predict_proba(spec, trained.state, train_set).argmax(1) == train_set.classes
    assert right.mean() >= 0.9


@pytest.mark.parametrize(("min_epochs", "patience"), [(1, 3), (12, 3), (1, 5), (40, 3)])
def test_stops_after_patience_but_not_before_its_time(min_epochs: int, patience: int) -> None:
    spec = ModelSpec(2, layers=3, hidden=8, dropout=0.0)
    options = TrainingOptions(lr=0.1, max_epochs=30, min_epochs=min_epochs, patience=patience, batch_size=8)
    history = train(spec, options, *packed_problem(spec)).history
    losses = np.array([record.val_loss for record in history])
    for record in history:
        past = losses[: record.epoch]
        assert record.best_epoch == np.argmin(past) + 1
        over = record.epoch >= min_epochs and record.epoch - record.best_epoch >= patience
        assert (record is history[-1]) == (over or record.epoch == 30)
    assert (len(history) < 30) == (min_epochs <= 12)


def test_the_best_weights_are_those_of_the_best_epoch() -> None:
    spec = ModelSpec(2, layers=3, hidden=8)
    sets = packed_problem(spec)
    trained = train(spec, TrainingOptions(lr=0.1, max_epochs=25, batch_size=8), *sets)
    assert trained.best_epoch < 25
    until = train(spec, TrainingOptions(lr=0.1, max_epochs=trained.best_epoch, batch_size=8), *sets)
    assert all(torch.equal(trained.state[name], until.state[name]) for name in trained.state)
    chances = predict_proba(spec, trained.state, sets[1])
    loss = -np.log(chances[np.arange(10), sets[1].classes]).mean()
    assert loss == pytest.approx(trained.history[trained.best_epoch - 1].val_loss, rel=1e-5)


def test_a_loss_that_is_no_number_is_an_error() -> None:
    spec = ModelSpec(2, layers=3, hidden=8)
    sets = packed_problem(spec)
    with pytest.raises(TrainingError, match=r"not a finite number in epoch \d+ \(learning rate 1e\+30\)"):
        train(spec, TrainingOptions(lr=1e30, max_epochs=5, batch_size=8), *sets)


def test_a_batch_of_one_user_trains() -> None:
    spec = ModelSpec(2, layers=3, hidden=4)
    lists = random_lists(np.random.default_rng(0), [1, 1, 1], 0.0)
    packed = PackedGraphs.pack(lists, spec, CPU, [0, 1, 0])
    history = train(spec, TrainingOptions(max_epochs=2, batch_size=2), packed, packed).history
    assert np.isfinite([record.train_loss for record in history]).all()


def test_a_smaller_model_uses_what_was_packed_for_a_larger_one() -> None:
    large, small = ModelSpec(2, layers=5, hidden=8), ModelSpec(2, layers=3, hidden=8)
    options = TrainingOptions(max_epochs=2)
    one = train(small, options, *packed_problem(large))
    two = train(small, options, *packed_problem(small))
    assert all(torch.equal(one.state[name], two.state[name]) for name in one.state)
    with pytest.raises(ParameterError, match="packed for models of another kind"):
        train(large, options, *packed_problem(small))
    with pytest.raises(ParameterError, match="packed for models of another kind"):
        predict_proba(ModelSpec(2, layers=3, hidden=8, convolution="gcn"), one.state, packed_problem(small)[0])


def test_refuses_jobs_that_cannot_run() -> None:
    spec = ModelSpec(2, layers=3, hidden=8)
    train_set, validation = packed_problem(spec)
    options = TrainingOptions(max_epochs=1)
    other = ModelSpec(2, layers=3, hidden=16)
    with pytest.raises(ParameterError, match="one architecture"):
        train_many([Training(each, options, train_set, validation) for each in (spec, other)])
    with pytest.raises(DataError, match="no graphs in validation"):
        train(spec, options, train_set, validation.subset([]))
    with pytest.raises(DataError, match="train_set have no labels"):
        train(spec, options, PackedGraphs.pack(problem()[0], spec, CPU), validation)
    with pytest.raises(ParameterError, match="The 'at_once' parameter of train_many must be"):
        train_many([], at_once=0)
    assert train_many([]) == []


@pytest.mark.parametrize(
    "bad",
    [
        {"lr": 0.0},
        {"lr": float("nan")},
        {"batch_size": 0},
        {"patience": 1.5},
        {"seed": -1},
        {"max_epochs": True},
        {"half": 1},
    ],
)
def test_refuses_options_out_of_range(bad: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match=f"The '{next(iter(bad))}' parameter of TrainingOptions must be"):
        TrainingOptions(**bad)


def test_devices() -> None:
    assert resolve_device("cpu") == CPU
    assert resolve_device("auto").type in ("cpu", "cuda")
    for name in ("tpu", "cuda:99", "meta", "", "no such"):
        with pytest.raises(ParameterError, match="The 'device' parameter"):
            resolve_device(name)


def test_a_machine_without_a_gpu_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 0)
    with pytest.raises(ParameterError, match=r"which has no 'cuda' device that torch can use. Got 'cuda:99' instead"):
        resolve_device("cuda:99")


def test_runs_without_the_rest_of_the_package() -> None:
    """The engine trains on machines that have numpy and torch and little else."""
    others = "numba", "scipy", "typer", "pydantic", "sklearn", "torch_geometric", "networkx"
    code = f"""
import sys
sys.modules.update(dict.fromkeys({others!r}))
import graphldp.learn.engine.training, graphldp.reports
"""
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
