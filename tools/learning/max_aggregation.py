"""Train GINs that take the maximum over a list in place of the sum, and fill docs/guides/learning.md.

    python -m tools.learning.max_aggregation --root data --jobs 8  # trains what docs/results/max-aggregation.json lacks

REDDIT-BINARY, with the architecture, the training and the splits of Figure 5 of the paper. The sum is trained beside
the maximum by the same program, so that only the aggregation differs.
"""

from __future__ import annotations

import argparse
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from tools.fill import DOCS, fill, markdown
from tools.learning.rows import compute, read, shown
from torch import nn

import graphldp as gl
from graphldp.learn.engine.features.codes import DEGREE_BOUNDS

PAGES = (DOCS / "guides" / "learning.md",)
RESULTS = DOCS / "results" / "max-aggregation.json"
RATIOS, SEEDS = (0.75, 0.10, 0.15), range(10)
LAYERS, HIDDEN, BATCH = 5, 64, 64
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


class Network(nn.Module):
    """GIN-0 as in :mod:`graphldp.learn.engine.gin`, with any aggregation that PyTorch Geometric has."""

    def __init__(self, width: int, aggregation: str) -> None:
        from torch_geometric.nn import GINConv

        def perceptron(width: int) -> nn.Module:
            inner = nn.Linear(width, HIDDEN), nn.BatchNorm1d(HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, HIDDEN)
            return nn.Sequential(*inner)

        super().__init__()
        widths = [width, *[HIDDEN] * (LAYERS - 1)]
        self.convs: Any = nn.ModuleList(GINConv(perceptron(each), aggr=aggregation) for each in widths[:-1])
        self.norms: Any = nn.ModuleList(nn.BatchNorm1d(HIDDEN) for _ in widths[1:])
        self.heads: Any = nn.ModuleList(nn.Linear(each, 2) for each in widths)

    def forward(self, batch: Any) -> torch.Tensor:
        """The scores of each graph."""
        from torch_geometric.nn import global_mean_pool

        layers = [batch.x]
        for conv, norm in zip(self.convs, self.norms, strict=True):
            layers.append(norm(conv(layers[-1], batch.edge_index)).relu())
        pooled = [global_mean_pool(each, batch.batch, batch.num_graphs) for each in layers]
        scores = [head(each) for head, each in zip(self.heads, pooled, strict=True)]
        return torch.stack([nn.functional.dropout(each, 0.5, self.training) for each in scores]).sum(0)


def graphs_of(reports: gl.Reports, features: str) -> list[Any]:
    """A graph of PyTorch Geometric for each, with what users begin with."""
    graphs, width = reports.to_pyg(), len(DEGREE_BOUNDS) + 1 if features == "degree" else 1
    bins = np.searchsorted(DEGREE_BOUNDS, reports.degrees) if features == "degree" else 0 * reports.degrees
    x = nn.functional.one_hot(torch.from_numpy(bins).long(), width).float()
    labels = np.unique(np.asarray(reports.labels), return_inverse=True)[1]
    for graph, begin, end, label in zip(graphs, reports.graph_ptr, reports.graph_ptr[1:], labels, strict=False):
        graph.x, graph.y = x[begin:end], torch.tensor([label])
    return graphs


def accuracy(key: Key, root: Path, device: str) -> float:
    """The share of test graphs whose label is found, with the weights of the lowest validation loss."""
    from torch_geometric.loader import DataLoader

    raw = gl.load_dataset("REDDIT-BINARY", root, download=False)
    mechanism: gl.Mechanism = gl.NonPrivFull() if key.lists == "true" else gl.DPRR(1.0)
    graphs = graphs_of(mechanism.randomize(raw, rng=key.seed), key.features)
    parts = [[graphs[each] for each in ids] for ids in gl.split(raw.labels, RATIOS, key.seed)]
    torch.manual_seed(key.seed)
    learn, stop, test = (DataLoader(part, BATCH, shuffle=part is parts[0]) for part in parts)
    network = Network(graphs[0].x.shape[1], key.aggregation).to(device)
    adam = torch.optim.Adam(network.parameters(), lr=0.01)
    schedule = torch.optim.lr_scheduler.StepLR(adam, 50, 0.5)
    best, best_epoch, at_test = float("inf"), 0, 0.0
    for epoch in range(1, MOST_EPOCHS + 1):
        network.train()
        for batch in learn:
            adam.zero_grad()
            scores = network(batch.to(device))
            torch.autograd.backward(nn.functional.cross_entropy(scores, batch.y))
            adam.step()
        schedule.step()
        loss, _ = judged(network, stop, device)
        if loss < best:
            best, best_epoch, at_test = loss, epoch, judged(network, test, device)[1]
        if epoch >= LEAST_EPOCHS and epoch - best_epoch >= PATIENCE:
            break
    return at_test


@torch.no_grad()
def judged(network: Network, loader: Any, device: str) -> tuple[float, float]:
    """Mean loss and accuracy."""
    network.eval()
    found = [(network(batch.to(device)), batch.y) for batch in loader]
    scores, labels = (torch.cat(each) for each in zip(*found, strict=True))
    right = (scores.argmax(1) == labels).float().mean()
    return float(nn.functional.cross_entropy(scores, labels)), float(right)


def table() -> str:
    """Mean accuracy of each, with its error."""
    known, rows = read(RESULTS), list[list[str | None]]()
    for (lists, label), (features, meaning) in product(LISTS.items(), FEATURES.items()):
        values = [
            [known[key] for seed in SEEDS if (key := (seed, lists, features, each)) in known] for each in AGGREGATIONS
        ]
        rows.append([label, meaning, *(shown(each, len(SEEDS), RATIOS[2] / RATIOS[0]) for each in values)])
    return markdown(["lists", "a user begins with", *AGGREGATIONS.values()], rows)


TABLES = {"max-aggregation": table}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=Path, required=True, help="a folder with REDDIT-BINARY.zip")
    parser.add_argument("--jobs", type=int, default=2, help="how many trainings at a time")
    parser.add_argument("--device", default="cpu", help="cpu or cuda")
    asked = parser.parse_args()
    wanted = [Key(*each) for each in product(SEEDS, LISTS, FEATURES, AGGREGATIONS)]
    compute(RESULTS, wanted, accuracy, asked.jobs, asked.root, asked.device)
    fill(PAGES[0], TABLES)
