"""The cells that each kind of experiment needs, one for each number of the figure, and their place in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import product

from graphldp.experiments.cells import Cell
from graphldp.experiments.draws import Draw
from graphldp.experiments.plans.kinds import (
    AccuracySweep,
    CalibrationStudy,
    ComplexityTable,
    DatasetTable,
    DegreeForgery,
    DegreeStudy,
    Experiment,
    GridSearch,
    NodesRuntime,
    NodeSweep,
    Poisoning,
    SamplingRuntime,
)
from graphldp.experiments.plans.methods import ACROSS, CONTROLS, MODELS, TABULAR
from graphldp.experiments.plans.panels import CURVES, HONEST_DEGREE, NOBODY, line_name
from graphldp.experiments.plans.scope import PlannedCell, Scope, draw_of
from graphldp.experiments.plans.search import search_cells
from graphldp.experiments.plans.users import user_cells
from graphldp.experiments.trial import Threat, Trial
from graphldp.mechanisms import DPRR

_LEARNERS = {"degrees": "degree", "bounded": "bounded"}  # a line's learner as a trial's classifier


def _accuracy(spec: Experiment, setting: Scope) -> Iterator[PlannedCell]:
    assert isinstance(spec, AccuracySweep)  # noqa: S101
    seeds = min(setting.seeds, spec.most_seeds or setting.seeds)
    for fraction, value, seed in product(spec.public_fraction, spec.values, range(seeds)):
        point = {"epsilon": spec.epsilon, "alpha": spec.alpha, "public_fraction": fraction} | {spec.along: value}
        panel = f"λ = {fraction:g}" if len(spec.public_fraction) > 1 else ""
        for method in (*spec.methods, *CONTROLS):
            across = method in ACROSS
            if (across and value != spec.values[0]) or (method == "nonpriv-part" and not point["public_fraction"]):
                continue
            draw = draw_of(method, setting, seed=seed, **point)
            for trial in _trials(method, setting, draw, seed):
                yield PlannedCell(panel, method, None if across else value, seed, trial.cell)


def _trials(method: str, setting: Scope, draw: Draw, seed: int) -> list[Trial]:
    if method in TABULAR:
        return [Trial(draw, setting.ratios, seed, TABULAR[method])]
    return list(setting.networks(draw, seed, MODELS.get(method, {})))


def _calibration(spec: Experiment, setting: Scope) -> Iterator[PlannedCell]:
    assert isinstance(spec, CalibrationStudy)  # noqa: S101
    for epsilon, method, seed in product(spec.epsilon, spec.methods, range(setting.seeds)):
        draw = draw_of(method, setting, seed=seed, epsilon=epsilon, alpha=0.9, public_fraction=0.0)
        for trial in _trials(method, setting, draw, seed):
            yield PlannedCell("", method, epsilon, seed, Cell.of("calibration", **trial.cell.params))


def _degrees(spec: Experiment, setting: Scope) -> Iterator[PlannedCell]:
    assert isinstance(spec, DegreeStudy)  # noqa: S101
    yield PlannedCell("", "distribution", None, 0, Cell.of("degree-distribution", dataset=setting.dataset))
    for method in spec.methods:
        draw = draw_of(method, setting, seed=0, epsilon=spec.epsilon, alpha=0.9, public_fraction=0.0)
        yield PlannedCell("", method, None, 0, Cell.of("degrees", draw=draw.params()))


def _datasets(spec: Experiment, setting: Scope) -> Iterator[PlannedCell]:
    yield PlannedCell("", setting.dataset, None, 0, Cell.of("dataset", dataset=setting.dataset))


def _complexity(spec: Experiment, setting: Scope) -> Iterator[PlannedCell]:
    assert isinstance(spec, ComplexityTable)  # noqa: S101
    for method, nodes in product(spec.methods, _scaled(spec.nodes, setting.effort.node_share)):
        draw = _ba_draw(method, nodes, spec.edges_per_node, spec.epsilon, spec.public_fraction)
        cell = Cell.of("complexity", draw=draw.params(), nodes=nodes, edges_per_node=spec.edges_per_node)
        yield PlannedCell("", method, nodes, 0, cell)


def _ba_draw(method: str, nodes: int, edges_per_node: int, epsilon: float, public_fraction: float) -> Draw:
    name = f"barabasi-albert-{nodes}-{edges_per_node}"
    if method == "nonpriv-part":
        return Draw(name, method, public_fraction=public_fraction, seed=0)
    budget = None
    if method == "dprr":
        split = DPRR(epsilon).budget(nodes)
        budget = float(split.degree), float(split.edges)
    return Draw(name, method, epsilon, budget, 0.0, 0)


def _sampling(spec: Experiment, setting: Scope) -> Iterator[PlannedCell]:
    assert isinstance(spec, SamplingRuntime)  # noqa: S101
    for method, share in product(spec.methods, spec.sampling):
        draw = draw_of(method, setting, seed=0, epsilon=spec.epsilon, alpha=0.9, public_fraction=0.0)
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


def _nodes(spec: Experiment, setting: Scope) -> Iterator[PlannedCell]:
    assert isinstance(spec, NodesRuntime)  # noqa: S101
    effort = setting.effort
    for m, method, nodes in product(spec.edges_per_node, spec.methods, _scaled(spec.nodes, effort.node_share)):
        cell = Cell.of(
            "runtime",
            draw=_ba_draw(method, nodes, m, spec.epsilon, 0.0).params(),
            nodes=nodes,
            edges_per_node=m,
            train_graphs=max(round(spec.train_graphs * effort.graph_share), 2),
            test_graphs=max(round(spec.test_graphs * effort.graph_share), 2),
            epochs=effort.timed_epochs,
            model=setting.timed_model(),
            seed=0,
        )
        yield PlannedCell(f"m = {m}", method, nodes, 0, cell)


def _poisoning(spec: Experiment, setting: Scope) -> Iterator[PlannedCell]:
    assert isinstance(spec, Poisoning)  # noqa: S101
    point = {"epsilon": spec.epsilon, "alpha": 0.9, "public_fraction": 0.0}
    for panel, seed in product(spec.panels, range(setting.seeds)):
        draw = draw_of("dprr", setting, seed=seed, **point)
        for fraction in panel.fractions:
            attack = _attack(panel.attack, fraction)
            for line in panel.lines:
                threat = replace(attack, defense=line[1], treatment=line[2])
                if line[0] == "gin":
                    trials = list(setting.networks(draw, seed, {}, threat))
                else:
                    trials = [Trial(draw, setting.ratios, seed, _LEARNERS[line[0]], threat=threat)]
                for trial in trials:
                    yield PlannedCell(panel.name, line_name(*line), fraction, seed, trial.cell)
            for defense in CURVES if fraction == panel.curve and not seed else ():
                shared = {"draw": draw.params(), "ratios": list(setting.ratios), "seed": seed}
                asked = {name: getattr(attack, name) for name in ("attack", "fraction", "forge_degree")}
                cell = Cell.of("detection-curve", **shared, **asked, defense=defense)
                yield PlannedCell(panel.name, defense, None, seed, cell)


def _forgery(spec: Experiment, setting: Scope) -> Iterator[PlannedCell]:
    """The recipe under forged degrees; a cell with one liar in each graph has no place on the axis of β."""
    assert isinstance(spec, DegreeForgery)  # noqa: S101
    for (method, epsilon, panels), seed in product(spec.settings, range(setting.seeds)):
        draw = draw_of(method, setting, seed=seed, epsilon=epsilon, alpha=0.9, public_fraction=0.0)
        for learner in spec.learners:
            plain = Trial(draw, setting.ratios, seed, learner, threat=Threat())
            yield PlannedCell(f"{method}, ε = {epsilon:g}", f"{learner} {NOBODY}", 0.0, seed, plain.cell)
            for panel in panels:
                crews: list[tuple[float | None, Threat]] = [(x, Threat(fraction=x)) for x in panel.fractions]
                crews += [(None, Threat(liars=1))] if panel.lone else []
                for attack, (x, crew) in product(panel.attacks, crews):
                    threat = replace(crew, attack=attack, where=panel.where)
                    name = f"{learner} {panel.where} {attack}"
                    trial = replace(plain, threat=threat)
                    yield PlannedCell(f"{method}, ε = {epsilon:g}", name, x, seed, trial.cell)


def _attack(name: str, fraction: float) -> Threat:
    """An attack as a panel names it; without malicious users all attacks are one."""
    if not fraction:
        return Threat()
    own = name.removesuffix(HONEST_DEGREE)
    return Threat(own, fraction, forge_degree=own == name)


_EXPANDERS: dict[type[Experiment], Callable[[Experiment, Scope], Iterator[PlannedCell]]] = {
    DatasetTable: _datasets,
    AccuracySweep: _accuracy,
    CalibrationStudy: _calibration,
    DegreeStudy: _degrees,
    ComplexityTable: _complexity,
    SamplingRuntime: _sampling,
    NodesRuntime: _nodes,
    NodeSweep: user_cells,
    Poisoning: _poisoning,
    DegreeForgery: _forgery,
    GridSearch: search_cells,
}


def _scaled(nodes: Sequence[int], share: float) -> list[int]:
    return [round(n * share) for n in nodes]


def cells_of(spec: Experiment, setting: Scope) -> Iterator[PlannedCell]:
    """Every number of an experiment, by what kind of experiment it is."""
    return _EXPANDERS[type(spec)](spec, setting)
