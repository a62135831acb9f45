"""How much of an experiment is computed: seeds, grids and epochs, from a look to the paper's Section 5.1."""

from __future__ import annotations

from dataclasses import dataclass

from graphldp.learn.grid import Grid


@dataclass(frozen=True)
class Effort:
    """How much is computed.

    Args:
        about: in words.
        seeds: how many splits, noise draws and starting weights, by default.
        grid: of the search on validation graphs.
        max_epochs: no training is longer.
        min_epochs: no training stops earlier.
        patience: epochs without a lower validation loss after which training stops.
        timed_epochs: epochs of a timed training.
        node_share: timed graphs have this share of the paper's nodes.
        graph_share: runtime-nodes has this share of the paper's graphs.
        timed_hidden: hidden units of a timed training; it has as many layers as the deepest of the grid.
    """

    about: str
    seeds: int
    grid: Grid
    max_epochs: int
    min_epochs: int
    patience: int
    timed_epochs: int
    node_share: float
    graph_share: float
    timed_hidden: int = 64


EFFORTS: dict[str, Effort] = {
    "smoke": Effort(
        about="does everything run: one hyper-parameter point, two seeds, a dozen epochs; the numbers mean little",
        seeds=2,
        grid=Grid(layers=(3,), hidden=(16,), lr=(1e-2,), dropout=(0.0,)),
        max_epochs=12,
        min_epochs=6,
        patience=6,
        timed_epochs=1,
        node_share=0.1,
        graph_share=0.02,
        timed_hidden=16,
    ),
    "demo": Effort(
        about="a look at the whole in two minutes: one hyper-parameter point, three seeds, up to 80 epochs",
        seeds=3,
        grid=Grid(layers=(4,), hidden=(16,), lr=(1e-2,), dropout=(0.0,)),
        max_epochs=80,
        min_epochs=30,
        patience=15,
        timed_epochs=1,
        node_share=0.1,
        graph_share=0.02,
        timed_hidden=16,
    ),
    "quick": Effort(
        about="the shape of every figure: two hyper-parameter points, three seeds",
        seeds=3,
        grid=Grid(layers=(3, 5), hidden=(32,), lr=(1e-2,), dropout=(0.0,)),
        max_epochs=120,
        min_epochs=40,
        patience=20,
        timed_epochs=3,
        node_share=0.5,
        graph_share=0.05,
        timed_hidden=32,
    ),
    # The clock runs for ten epochs, and on a fifth of Figure 9's graphs: time is linear in both.
    "paper": Effort(
        about="the paper's Section 5.1: 96 hyper-parameter points, ten seeds, up to 500 epochs",
        seeds=10,
        grid=Grid(),
        max_epochs=500,
        min_epochs=100,
        patience=30,
        timed_epochs=10,
        node_share=1.0,
        graph_share=0.2,
    ),
}
