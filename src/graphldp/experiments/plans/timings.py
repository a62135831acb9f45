"""Experiments about time and memory; their cells run alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from graphldp.experiments.cells import Cell
from graphldp.experiments.draws import Draw
from graphldp.experiments.plans.scope import Experiment, PlannedCell, Scope, draw_of
from graphldp.mechanisms import DPRR


@dataclass(frozen=True, kw_only=True)
class ComplexityTable(Experiment):
    """Time and memory of one Barabási–Albert graph against n, of a user and of the server."""

    methods: tuple[str, ...]
    epsilon: float
    public_fraction: float
    edges_per_node: int
    nodes: tuple[int, ...]

    def cells(self, setting: Scope) -> Iterator[PlannedCell]:
        """See :meth:`Experiment.cells`."""
        for method, nodes in product(self.methods, _scaled(self.nodes, setting.effort.node_share)):
            draw = _ba_draw(method, nodes, self.edges_per_node, self.epsilon, self.public_fraction)
            cell = Cell.of("complexity", draw=draw.params(), nodes=nodes, edges_per_node=self.edges_per_node)
            yield PlannedCell("", method, nodes, 0, cell)


@dataclass(frozen=True, kw_only=True)
class SamplingRuntime(Experiment):
    """Training and classification time on subgraphs of γn users."""

    methods: tuple[str, ...]
    epsilon: float
    sampling: tuple[float, ...]

    def cells(self, setting: Scope) -> Iterator[PlannedCell]:
        """See :meth:`Experiment.cells`."""
        for method, share in product(self.methods, self.sampling):
            draw = draw_of(method, setting, seed=0, epsilon=self.epsilon, alpha=0.9, public_fraction=0.0)
            cell = Cell.of(
                "runtime",
                draw=draw.params(),
                sampling=share,
                ratios=list(setting.ratios),
                epochs=setting.effort.timed_epochs,
                model=setting.timed_model(),
                seed=0,
            )
            yield PlannedCell("", method, share, 0, cell)


@dataclass(frozen=True, kw_only=True)
class NodesRuntime(Experiment):
    """Training and classification time on Barabási–Albert graphs of n nodes; one panel for each m."""

    methods: tuple[str, ...]
    epsilon: float
    edges_per_node: tuple[int, ...]
    nodes: tuple[int, ...]
    train_graphs: int
    test_graphs: int

    def cells(self, setting: Scope) -> Iterator[PlannedCell]:
        """See :meth:`Experiment.cells`."""
        effort = setting.effort
        for m, method, nodes in product(self.edges_per_node, self.methods, _scaled(self.nodes, effort.node_share)):
            cell = Cell.of(
                "runtime",
                draw=_ba_draw(method, nodes, m, self.epsilon, 0.0).params(),
                nodes=nodes,
                edges_per_node=m,
                train_graphs=max(round(self.train_graphs * effort.graph_share), 2),
                test_graphs=max(round(self.test_graphs * effort.graph_share), 2),
                epochs=effort.timed_epochs,
                model=setting.timed_model(),
                seed=0,
            )
            yield PlannedCell(f"m = {m}", method, nodes, 0, cell)


def _ba_draw(method: str, nodes: int, edges_per_node: int, epsilon: float, public_fraction: float) -> Draw:
    name = f"barabasi-albert-{nodes}-{edges_per_node}"
    if method == "nonpriv-part":
        return Draw(name, method, public_fraction=public_fraction, seed=0)
    budget = None
    if method == "dprr":
        split = DPRR(epsilon).budget(nodes)
        budget = float(split.degree), float(split.edges)
    return Draw(name, method, epsilon, budget, 0.0, 0)


def _scaled(nodes: Sequence[int], share: float) -> list[int]:
    return [round(n * share) for n in nodes]
