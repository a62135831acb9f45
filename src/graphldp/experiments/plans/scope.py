"""The parts that all experiments share: how much is computed, a number of a figure, and a method's draw."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from graphldp.errors import BudgetError
from graphldp.experiments.cells import Cell, Row
from graphldp.experiments.draws import Draw
from graphldp.experiments.plans.methods import TRUE, method_of
from graphldp.experiments.trial import Threat, Trial, Work
from graphldp.graphs import GraphSet
from graphldp.learn.grid import Grid
from graphldp.mechanisms import DPRR


@dataclass(frozen=True)
class PlannedCell:
    """One number of a figure.

    Args:
        panel: which panel, as in ``"λ = 0.5"``; empty where there is one.
        series: which line, a key of :data:`graphldp.experiments.plans.methods.METHODS` or another name.
        x: where on the x axis, None for a line across or a table.
        seed: which repetition.
        work: what is computed.
    """

    panel: str
    series: str
    x: float | None
    seed: int
    work: Work

    @property
    def cell(self) -> Cell:
        """How results name what is computed."""
        return self.work.cell


@dataclass(frozen=True)
class Scope:
    """The scope of an experiment: the dataset, the effort, how many seeds, how graphs are divided, and what is known.

    The rows that there are, by their cell's id, are for experiments whose next cells depend on them.
    """

    dataset: str
    graphs: GraphSet
    effort: Effort
    seeds: int
    ratios: tuple[float, float, float]
    rows: Mapping[str, Row] = field(default_factory=dict)

    def networks(self, draw: Draw, seed: int, own: Mapping[str, Any], threat: Threat | None = None) -> Iterator[Trial]:
        """One trial for each point of the grid; what a method's model has beside the grid's numbers is its own."""
        for point in self.effort.grid.on(self.dataset):
            training = {"lr": point.pop("lr")}
            training |= {name: getattr(self.effort, name) for name in ("max_epochs", "min_epochs", "patience")}
            yield Trial(draw, self.ratios, seed, model={**point, **own}, training=training, threat=threat)

    def timed_model(self) -> dict[str, Any]:
        """One model for all timings."""
        return {"layers": max(self.effort.grid.layers), "hidden": self.effort.timed_hidden, "dropout": 0.0}


@dataclass(frozen=True)
class Experiment:
    """An experiment: what all of them have.

    Args:
        title: what it shows.
        paper: where the paper shows it.
    """

    title: str
    paper: str = "beyond Section 5"

    def cells(self, setting: Scope) -> Iterator[PlannedCell]:
        """Every number that it needs, and its place in the figure."""
        raise NotImplementedError


def draw_of(
    method: str, setting: Scope, *, seed: int | None, epsilon: float, alpha: float, public_fraction: float
) -> Draw:
    """The draw of a method of :data:`graphldp.experiments.plans.methods.METHODS` at one point of a figure."""
    chosen = method_of(method)
    if chosen.mechanism == TRUE:
        return Draw(setting.dataset, TRUE)
    if chosen.once:
        return Draw(setting.dataset, chosen.mechanism, 1.0, seed=0)
    if chosen.mechanism == "nonpriv-part":
        return Draw(setting.dataset, method, public_fraction=public_fraction, seed=seed)
    draw = Draw(setting.dataset, chosen.mechanism, epsilon, None, public_fraction, seed, chosen.options)
    if draw.record is None or draw.record.kind is not DPRR:
        return draw
    try:
        found = DPRR(epsilon, allocation=chosen.allocation, alpha=alpha).budget(setting.graphs.n_max)
    except BudgetError:  # said where it is computed: the cell is impossible
        return draw
    return replace(draw, budget=(float(found.degree), float(found.edges)))


@dataclass(frozen=True)
class Effort:
    """An effort: how much is computed.

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
