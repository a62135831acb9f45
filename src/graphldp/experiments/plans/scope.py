"""What all expansions share: a number of a figure, what an experiment is run on, and a method's draw."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from graphldp.errors import BudgetError
from graphldp.experiments.cells import Cell, Row
from graphldp.experiments.draws import Draw
from graphldp.experiments.plans.efforts import Effort
from graphldp.experiments.plans.methods import MODELS, RAW
from graphldp.experiments.trial import Threat, Trial
from graphldp.graphs import GraphSet
from graphldp.mechanisms import DPRR
from graphldp.privacy import Allocation

_ALLOCATIONS: dict[str, Allocation] = {"dprr-fixed": "fixed", "dprr-utility": "utility", "dprr-all": "utility"}
_NAMES = dict.fromkeys((*MODELS, "dprr-fixed", "dprr-utility"), "dprr") | {
    "recipe": "recommended",
    "profile-degrees": "degrees",
    "profile-hub-lists": "hub-lists",
    "two-rounds": "hub-counts",
}


@dataclass(frozen=True)
class PlannedCell:
    """One number of a figure.

    Args:
        panel: which panel, as in ``"λ = 0.5"``; empty where there is one.
        series: which line, a key of :data:`graphldp.experiments.plans.methods.METHODS` or another name.
        x: where on the x axis, None for a line across or a table.
        seed: which repetition.
        cell: what is computed.
    """

    panel: str
    series: str
    x: float | None
    seed: int
    cell: Cell


@dataclass(frozen=True)
class Scope:
    """What an experiment is run on: the dataset, the effort, how many seeds, how graphs are divided, and what is known.

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


def draw_of(
    method: str, setting: Scope, *, seed: int | None, epsilon: float, alpha: float, public_fraction: float
) -> Draw:
    """The draw of a method of :data:`graphldp.experiments.plans.methods.METHODS` at one point of a figure."""
    if method in ("nonpriv-full", "size-control", "size-forest", *RAW):
        return Draw(setting.dataset, "nonpriv-full")
    if method == "size-gin":  # lists without an entry, and no d* looked at
        return Draw(setting.dataset, "noisy-degrees", 1.0, seed=0)
    if method == "nonpriv-part":
        return Draw(setting.dataset, method, public_fraction=public_fraction, seed=seed)
    budget = None
    if method.startswith("dprr"):
        split = _ALLOCATIONS.get(method, "paper")
        try:
            found = DPRR(epsilon, allocation=split, alpha=alpha).budget(setting.graphs.n_max)
            budget = float(found.degree), float(found.edges)
        except BudgetError:  # said where it is computed: the cell is impossible
            budget = None
    name = "noisy-degrees" if method.startswith("degree-") else _NAMES.get(method, method)
    name, _, percent = name.partition("-away-")
    options = (("away", int(percent) / 100),) if percent else ()
    return Draw(setting.dataset, _NAMES.get(name, name), epsilon, budget, public_fraction, seed, options)
