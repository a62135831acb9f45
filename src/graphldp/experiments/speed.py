"""The speed of training on this machine, beside PyTorch Geometric's loader and GINConv in the same run.

Both train the same GIN with batches of 64 graphs and Adam. They take turns, epoch by epoch, and the fastest epoch of
each counts: whatever else a machine does only adds to the time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Any

import numpy as np

from graphldp.datasets import synthetic
from graphldp.datasets.loading import load_dataset
from graphldp.errors import DatasetNotFoundError
from graphldp.graphs import GraphSet
from graphldp.mechanisms import DPRR
from graphldp.mechanisms.drawing.backend import compile_loops
from graphldp.neighbour_lists import NeighbourLists

if TYPE_CHECKING:
    import torch

BATCH = 64
ROUNDS = 3
Seconds = tuple[float, ...]
"""Seconds by the clock, and of the processor."""


def beside_pyg(root: Path | None = None) -> Iterator[dict[str, Any]]:
    """Rows of a draw and of an epoch here and in PyTorch Geometric, on true lists and under DPRR at ε = 1.

    Args:
        root: where REDDIT-BINARY may lie; the embedded threads take its place where it is not at hand.
    """
    graphs, mechanism = dataset(root), DPRR(epsilon=1.0)
    compile_loops()
    mechanism.randomize(graphs[:1], rng=7)  # loads and compiles
    drawn = timed(lambda: mechanism.randomize(graphs, rng=7))
    yield _row(f"{graphs.name}: draw DPRR, ε = 1", drawn, None)
    for name, lists in (("true lists", graphs), ("DPRR, ε = 1", mechanism.randomize(graphs, rng=7))):
        here, theirs = EpochsHere(lists), GeometricEpochs(lists)
        turns = [(here.epoch(), theirs.epoch()) for _ in range(ROUNDS)]
        fastest = [tuple(map(min, zip(*times, strict=True))) for times in zip(*turns, strict=True)]
        for program, seconds in zip(("graphldp", "torch_geometric"), fastest, strict=True):
            yield _row(f"{graphs.name}, {name}: an epoch by {program}", seconds, seconds[0] / fastest[0][0])


def _row(what: str, seconds: Seconds, ratio: float | None) -> dict[str, Any]:
    clock, processor = (round(each, 4) for each in seconds)
    times = None if ratio is None else round(ratio, 1)
    return {"what": what, "seconds": clock, "processor seconds": processor, "times ours": times}


def dataset(root: Path | None, name: str = "REDDIT-BINARY") -> GraphSet:
    """A dataset that is at hand, or the embedded threads."""
    try:
        return load_dataset(name, root=root, download=False)
    except DatasetNotFoundError:
        return synthetic.threads(num_graphs=2000)


def timed(work: Callable[[], object]) -> Seconds:
    """The seconds of one call."""
    began, worked = perf_counter(), process_time()
    work()
    return perf_counter() - began, process_time() - worked


class EpochsHere:
    """Training by graphldp on a device.

    Args:
        lists: graphs or reports, whose labels may be any two classes.
        device: the CPU by default.
    """

    def __init__(self, lists: NeighbourLists, device: torch.device | None = None) -> None:
        import torch

        from graphldp.learn.engine.gin import ModelSpec
        from graphldp.learn.engine.packed.batches import PackedGraphs

        self.spec = ModelSpec(num_classes=2)
        self.packed = PackedGraphs.pack(lists, self.spec, device or torch.device("cpu"), classes(lists))
        self._smallest = self.packed.subset([int(np.argmin(lists.sizes))])  # the others do not validate

    def epoch(self, count: int = 1) -> Seconds:
        """The fastest of some epochs, after one that warms up."""
        ends: list[float] = []
        history = self.train(1 + count, on_epoch=lambda _: ends.append(process_time())).history
        return min(each.seconds for each in history[1:]), float(np.diff(ends).min())

    def train(self, epochs: int, on_epoch: Callable[[Any], None] | None = None) -> Any:
        """A training of some epochs."""
        from graphldp.learn.engine.one_training import Training, TrainingOptions
        from graphldp.learn.engine.rows import always_compiled
        from graphldp.learn.engine.training import train_many

        options = TrainingOptions(max_epochs=epochs, min_epochs=epochs, batch_size=BATCH)
        report = None if on_epoch is None else lambda _, record: on_epoch(record)
        with always_compiled():
            return train_many([Training(self.spec, options, self.packed, self._smallest)], on_epoch=report)[0]


class GeometricEpochs:
    """Training as PyTorch Geometric's own example does it: DataLoader and GINConv, one node per user.

    Args:
        lists: graphs or reports, whose labels may be any two classes.
        device: the CPU by default.
        kept: whether batches are made once and stay on the device, in one order.
    """

    def __init__(self, lists: NeighbourLists, device: torch.device | None = None, *, kept: bool = False) -> None:
        import torch
        from torch_geometric.data import Data
        from torch_geometric.loader import DataLoader

        from graphldp.learn.engine.gin import ModelSpec

        graphs = []
        users = zip(lists.graph_ptr[:-1], lists.graph_ptr[1:], classes(lists).tolist(), strict=True)
        for first, last, label in users:
            source = torch.tensor(lists.indices[lists.indptr[first] : lists.indptr[last]], dtype=torch.long)
            target = torch.repeat_interleave(torch.from_numpy(np.diff(lists.indptr[first : last + 1])))
            graphs.append(Data(x=torch.ones(last - first, 1), edge_index=torch.stack((source, target)), y=label))
        self._spec, self._device = ModelSpec(num_classes=2), device or torch.device("cpu")
        self._convs, self._norms, self._heads = _modules(self._spec)
        self._all = torch.nn.ModuleList([*self._convs, *self._norms, *self._heads]).to(self._device)
        self._optimizer = torch.optim.Adam(self._all.parameters(), lr=0.01)
        loader = DataLoader(graphs, batch_size=BATCH, shuffle=True)
        self._batches: Any = [each.to(self._device) for each in loader] if kept else loader

    def epoch(self) -> Seconds:
        """One epoch, whose first step warms up: the time of the others is scaled."""
        first, *others = self.steps()
        first()
        return tuple(each * (1 + 1 / len(others)) for each in timed(lambda: [step() for step in others]))

    def steps(self) -> Iterator[Callable[[], None]]:
        """One epoch, a step at a time; each step fetches its batch too."""
        batches = iter(self._batches)
        for _ in range(len(self._batches)):
            yield lambda: self._step(next(batches).to(self._device))

    def _step(self, data: Any) -> None:
        import torch
        from torch.nn.functional import cross_entropy, dropout
        from torch_geometric.nn import global_mean_pool

        self._optimizer.zero_grad()
        h, size = data.x, data.num_graphs
        pooled = [global_mean_pool(h, data.batch, size)]
        for conv, norm in zip(self._convs, self._norms, strict=True):
            h = norm(conv(h, data.edge_index)).relu()
            pooled.append(global_mean_pool(h, data.batch, size))
        scores = [dropout(head(each), self._spec.dropout) for head, each in zip(self._heads, pooled, strict=True)]
        torch.autograd.backward(cross_entropy(torch.stack(scores).sum(0), data.y))
        self._optimizer.step()


def classes(lists: NeighbourLists) -> Any:
    """Labels as 0 and 1; those of graphs without labels are 0."""
    labels = np.zeros(len(lists)) if lists.labels is None else lists.labels
    return np.unique(labels, return_inverse=True)[1]


def _modules(spec: Any) -> tuple[list[Any], list[Any], list[Any]]:
    import torch
    from torch import nn
    from torch_geometric.nn import GINConv

    torch.manual_seed(0)
    wide = spec.hidden
    convs = [
        GINConv(nn.Sequential(nn.Linear(width, wide), nn.BatchNorm1d(wide), nn.ReLU(), nn.Linear(wide, wide)))
        for width in [1, *[wide] * (spec.convolutions - 1)]
    ]
    norms = [nn.BatchNorm1d(wide) for _ in convs]
    return convs, norms, [nn.Linear(width, spec.num_classes) for width in [1, *[wide] * spec.convolutions]]
