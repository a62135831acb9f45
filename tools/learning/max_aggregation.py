"""Train GINs that take the maximum over a list in place of the sum, by PyTorch Geometric, and fill docs/learning.md.

    python -m tools.learning.max_aggregation --root data --jobs 8  # trains what docs/results/max-aggregation.json lacks
    python -m tools.learning.max_aggregation                       # fills the page alone

REDDIT-BINARY, with the architecture, the training and the splits of Figure 5 of the paper: five layers, 64 units,
dropout 0.5, learning rate 0.01. The sum is trained beside the maximum by the same program, so that only the aggregation
differs. Each row is kept as soon as it is known: interrupt it, and run it again.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from tools.fill import DOCS, fill, markdown
from torch import Tensor, nn

import graphldp as gl
from graphldp.files.whole import written_whole
from graphldp.learn.engine.features.codes import DEGREE_BOUNDS
from graphldp.neighbour_lists import NeighbourLists

PAGE = DOCS / "learning.md"
RESULTS = DOCS / "results" / "max-aggregation.json"
DATASET, RATIOS, SEEDS = "REDDIT-BINARY", (0.75, 0.10, 0.15), range(10)
LAYERS, HIDDEN, DROPOUT, LR, BATCH = 5, 64, 0.5, 0.01, 64
MOST_EPOCHS, LEAST_EPOCHS, PATIENCE = 500, 100, 30
LISTS = {"true": "true lists, not private", "dprr": "DPRR, ε = 1"}
AGGREGATIONS = {"max": "maximum", "add": "sum"}
FEATURES = {"constant": "a constant", "degree": "the length of the list, in bins"}


class Key(NamedTuple):
    """One training."""

    seed: int
    lists: str
    features: str
    aggregation: str


def wanted() -> Iterable[Key]:
    """All trainings, split by split."""
    for seed in SEEDS:
        for aggregation in AGGREGATIONS:
            for lists in LISTS:
                yield from (Key(seed, lists, features, aggregation) for features in FEATURES)


def read() -> dict[Key, float]:
    """What is known."""
    rows = json.loads(RESULTS.read_text()) if RESULTS.exists() else []
    return {Key(*(each[name] for name in Key._fields)): each["accuracy"] for each in rows}


def write(found: dict[Key, float]) -> None:
    """Keep it, in order."""
    rows = [json.dumps(key._asdict() | {"accuracy": round(found[key], 5)}) for key in sorted(found)]
    with written_whole(RESULTS) as file:
        file.write(("[\n" + ",\n".join(rows) + "\n]\n").encode())


class Network(nn.Module):
    """GIN-0 as in :mod:`graphldp.learn.engine.gin`, with any aggregation that PyTorch Geometric has."""

    def __init__(self, width: int, classes: int, aggregation: str) -> None:
        from torch_geometric.nn import GINConv

        super().__init__()
        widths = [width, *[HIDDEN] * (LAYERS - 1)]
        self.convs: Any = nn.ModuleList(GINConv(_perceptron(each), aggr=aggregation) for each in widths[:-1])
        self.norms: Any = nn.ModuleList(nn.BatchNorm1d(HIDDEN) for _ in widths[1:])
        self.heads: Any = nn.ModuleList(nn.Linear(each, classes) for each in widths)

    def forward(self, batch: Batch) -> Tensor:
        """The scores of each graph."""
        layers = [batch.x]
        for conv, norm in zip(self.convs, self.norms, strict=True):
            layers.append(norm(conv(layers[-1], batch.edge_index)).relu())
        scores = []
        for head, x in zip(self.heads, layers, strict=True):
            pooled = x.new_zeros(len(batch.size), x.shape[1]).index_add_(0, batch.graph, x) / batch.size[:, None]
            scores.append(nn.functional.dropout(head(pooled), DROPOUT, self.training))
        return torch.stack(scores).sum(0)


def _perceptron(width: int) -> nn.Module:
    return nn.Sequential(nn.Linear(width, HIDDEN), nn.BatchNorm1d(HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, HIDDEN))


class Batch(NamedTuple):
    """Some graphs as one: what users begin with, an edge (j, i) for each j on i's list; each graph's size and class."""

    x: Tensor
    edge_index: Tensor
    graph: Tensor
    size: Tensor
    y: Tensor


class Batches:
    """All graphs on one device."""

    def __init__(self, lists: NeighbourLists, features: str, device: torch.device) -> None:
        bins = np.searchsorted(DEGREE_BOUNDS, lists.degrees)
        self.width = len(DEGREE_BOUNDS) + 1 if features == "degree" else 1
        code = torch.from_numpy(bins if features == "degree" else np.zeros_like(bins))
        self.device = device
        self._x = nn.functional.one_hot(code.long(), self.width).float().to(device)
        self._lists = lists
        self._target = torch.from_numpy(np.repeat(lists.local_users, lists.degrees)).to(device)
        self._source = torch.from_numpy(lists.indices.astype(np.int64)).to(device)
        self._y = torch.from_numpy(np.unique(np.asarray(lists.labels), return_inverse=True)[1]).to(device)

    def of(self, ids: Any) -> Batch:
        """A batch of these graphs."""
        first, size = self._lists.graph_ptr[ids], self._lists.sizes[ids]
        begin = self._lists.indptr[first]
        entries = self._lists.indptr[first + size] - begin
        users, graph = self._spans(first, size)
        edges, of_graph = self._spans(begin, entries)
        start = torch.from_numpy(np.cumsum(size) - size).to(self.device)[of_graph]
        edge_index = torch.stack((self._source[edges] + start, self._target[edges] + start))
        sizes = torch.from_numpy(size).to(self.device, torch.float32)
        return Batch(self._x[users], edge_index, graph, sizes, self._y[torch.from_numpy(ids).to(self.device)])

    def _spans(self, first: Any, length: Any) -> tuple[Tensor, Tensor]:
        """All places of some spans, one span after the other, and which span each is of."""
        spans = torch.from_numpy(np.stack((first - np.cumsum(length) + length, length))).to(self.device)
        whose = torch.repeat_interleave(spans[1], output_size=int(length.sum()))
        return torch.arange(len(whose), device=self.device) + spans[0][whose], whose

    def each(self, ids: Any, batch_size: int) -> Iterator[Batch]:
        """These graphs, batch after batch."""
        for start in range(0, len(ids), batch_size):
            yield self.of(ids[start : start + batch_size])


@lru_cache(maxsize=1)
def _graphs(root: Path) -> gl.GraphSet:
    return gl.load_dataset(DATASET, root, download=False)


def accuracy(key: Key, root: Path, device: str) -> float:
    """The share of test graphs whose label is found, with the weights of the lowest validation loss."""
    graphs = _graphs(root)
    mechanism: gl.Mechanism = gl.NonPrivFull() if key.lists == "true" else gl.DPRR(1.0)
    batches = Batches(mechanism.randomize(graphs, rng=key.seed), key.features, torch.device(device))
    learn, stop, test = gl.split(graphs.labels, RATIOS, key.seed)
    torch.manual_seed(key.seed)
    network = Network(batches.width, 2, key.aggregation).to(device)
    adam = torch.optim.Adam(network.parameters(), lr=LR)
    schedule = torch.optim.lr_scheduler.StepLR(adam, 50, 0.5)
    order = np.random.default_rng(key.seed)
    best, best_epoch, at_test = float("inf"), 0, 0.0
    for epoch in range(1, MOST_EPOCHS + 1):
        network.train()
        for batch in batches.each(order.permutation(learn), BATCH):
            adam.zero_grad()
            nn.functional.cross_entropy(network(batch), batch.y).backward()  # type: ignore[no-untyped-call]
            adam.step()
        schedule.step()
        loss, _ = judged(network, batches, stop)
        if loss < best:
            best, best_epoch, at_test = loss, epoch, judged(network, batches, test)[1]
        if epoch >= LEAST_EPOCHS and epoch - best_epoch >= PATIENCE:
            break
    return at_test


@torch.no_grad()
def judged(network: Network, batches: Batches, ids: Any) -> tuple[float, float]:
    """Mean loss and accuracy."""
    network.eval()
    losses, right = [], []
    for batch in batches.each(ids, 256):
        scores = network(batch)
        losses.append(nn.functional.cross_entropy(scores, batch.y, reduction="none"))
        right.append(scores.argmax(1) == batch.y)
    return float(torch.cat(losses).mean()), float(torch.cat(right).float().mean())


def compute(root: Path, jobs: int, device: str, deadline: float) -> None:
    """Train what is missing, until the time is up."""
    missing = [key for key in wanted() if key not in read()]
    with ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn")) as pool:
        running = {pool.submit(_in_time, key, root, device, deadline): key for key in missing}
        for done in as_completed(running):
            found = done.result()
            if found is not None:
                write(read() | {running[done]: found})
                print(*running[done], found, flush=True)


def _in_time(key: Key, root: Path, device: str, deadline: float) -> float | None:
    return accuracy(key, root, device) if time.time() < deadline else None


def table() -> str:
    """Mean accuracy, with the corrected error of Nadeau & Bengio (2003)."""
    known = read()
    rows: list[list[str | None]] = []
    for lists, label in LISTS.items():
        for features, meaning in FEATURES.items():
            cells: list[str | None] = []
            for aggregation in AGGREGATIONS:
                keys = [Key(seed, lists, features, aggregation) for seed in SEEDS]
                values = np.array([known[key] for key in keys if key in known])
                cells.append(shown(values) if len(values) > 1 else None)
            rows.append([label, meaning, *cells])
    return markdown(["lists", "a user begins with", *AGGREGATIONS.values()], rows)


def shown(values: Any) -> str:
    """A mean and its error, and over how many splits where some are missing."""
    error = values.std(ddof=1) * np.sqrt(1 / len(values) + RATIOS[2] / RATIOS[0])
    some = "" if len(values) == len(SEEDS) else f", {len(values)} splits"
    return f"{values.mean():.3f} ± {error:.3f}{some}"


TABLES: dict[str, Callable[[], str]] = {"max-aggregation": table}


def main() -> None:
    """Compute where a data root is given; fill the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=Path, help="a folder with REDDIT-BINARY.zip")
    parser.add_argument("--jobs", type=int, default=2, help="how many trainings at a time")
    parser.add_argument("--device", default="cpu", help="cpu or cuda")
    parser.add_argument("--time-limit", type=float, default=float("inf"), help="seconds; no training begins after them")
    given = parser.parse_args()
    if given.root:
        compute(given.root, given.jobs, given.device, time.time() + given.time_limit)
    fill(PAGE, TABLES)


if __name__ == "__main__":
    main()
