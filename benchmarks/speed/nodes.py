"""How fast single users are labelled: on a dataset, and on more and more users.

Each row is measured in a process of its own, so that its peak memory is its own, and split into what happens once for a
graph (what features say) and what happens for each report (draw, fit). Processor seconds stand beside the clock's: they
do not depend on what else the machine does.

1. FacebookPages where it is at hand: counts at ε = 1, lists at ε = 6, the two sides of ``gl.recommended``;
2. as a peer, torch_geometric's GCN on the same pages with their true lists, which are not private: two layers, 200
   steps of Adam, of which :data:`STEPS` are measured. ``ratio`` is its processor seconds over those of counts;
3. counts on embedded communities of up to 20,000 users. Memory is a straight line in users; time is not quite one, as
   the search for users with similar features compares all pairs, block by block.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

from benchmarks.speed.timing import alone

from graphldp.datasets import synthetic
from graphldp.datasets.registry import NODE_SPLIT
from graphldp.experiments.speed import dataset

DATASET = "FacebookPages"
LADDER = (5_000, 10_000, 20_000)
PEER, EPOCHS, STEPS = "torch_geometric's GCN, true lists", 200, 4


def run(root: Path | None) -> Iterator[dict[str, Any]]:
    """Measure, one row at a time.

    Args:
        root: where datasets lie; the first two rows are left out where FacebookPages is not at hand.
    """
    if dataset(root, DATASET).name == DATASET:
        counts = alone(measured, root, None, 1.0)
        yield counts
        yield alone(measured, root, None, 6.0)
        peer = alone(peer_measured, root)
        yield peer | {"ratio": round(peer["processor_seconds"] / counts["processor_seconds"], 1)}
    for users in LADDER:
        yield alone(measured, root, users, 1.0)


def measured(root: Path | None, users: int | None, epsilon: float) -> dict[str, Any]:
    """A row of a recommended classifier."""
    from graphldp.learn.nodes.feature_view import FeatureView
    from graphldp.learn.recipe import recommended
    from graphldp.learn.selection import split

    graphs = dataset(root, DATASET) if users is None else synthetic.communities(users)
    train, validation, test = split(graphs.node_labels, NODE_SPLIT, 0)
    began, worked = perf_counter(), process_time()
    view = FeatureView.of(graphs, train=train, validation=validation)
    seen, looked = perf_counter(), process_time()
    recipe = recommended(epsilon, task="nodes")
    reports = recipe.mechanism.randomize(graphs.with_groups(view.groups), rng=0)
    drawn = perf_counter()
    recipe.classifier.fit(reports, train=train, validation=validation, view=view)
    ended, done = perf_counter(), process_time()
    return {
        "graph": graphs.name,
        "users": graphs.num_users,
        "epsilon": epsilon,
        "mechanism": reports.origin.name,
        "features_seconds": round(seen - began, 2),
        "draw_seconds": round(drawn - seen, 2),
        "fit_seconds": round(ended - drawn, 2),
        "seconds": round(ended - began, 2),
        "features_processor_seconds": round(looked - worked, 2),
        "processor_seconds": round(done - worked, 2),
        "accuracy": round(recipe.classifier.score(reports, users=test), 4),
    }


def peer_measured(root: Path | None) -> dict[str, Any]:
    """A GCN as torch_geometric's own examples write it: dense features, all users in each step."""
    import torch
    from torch.nn.functional import cross_entropy, dropout
    from torch_geometric.nn import GCNConv

    from graphldp.learn.selection import split

    graphs = dataset(root, DATASET)
    assert graphs.features is not None
    train, _, _ = split(graphs.node_labels, NODE_SPLIT, 0)
    torch.manual_seed(0)
    x = torch.tensor(graphs.features.toarray(), dtype=torch.float32)
    labels = torch.tensor(graphs.node_labels).long()
    owner = torch.repeat_interleave(torch.tensor(graphs.degrees))
    edges = torch.stack((torch.tensor(graphs.indices).long(), owner))
    convs = torch.nn.ModuleList((GCNConv(x.shape[1], 64), GCNConv(64, int(labels.max()) + 1)))
    optimizer = torch.optim.Adam(convs.parameters(), lr=0.01)
    began, worked = perf_counter(), process_time()
    for _ in range(STEPS):
        optimizer.zero_grad()
        said = convs[1](dropout(convs[0](x, edges).relu(), 0.5), edges)
        torch.autograd.backward(cross_entropy(said[train], labels[train]))
        optimizer.step()
    ended, done = perf_counter(), process_time()
    return {
        "graph": graphs.name,
        "users": graphs.num_users,
        "mechanism": PEER,
        "seconds": round((ended - began) * EPOCHS / STEPS, 2),
        "processor_seconds": round((done - worked) * EPOCHS / STEPS, 2),
    }
