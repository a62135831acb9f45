"""Experiments about datasets, accuracy, degrees and confidence: each says in data what is compared, and its cells."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import product

from graphldp.datasets.registry import NODE_SPLIT
from graphldp.experiments.cells import Cell
from graphldp.experiments.draws import Draw
from graphldp.experiments.plans.methods import CONTROLS, TRUE, method_of
from graphldp.experiments.plans.scope import Experiment, PlannedCell, Scope, draw_of
from graphldp.experiments.trial import LPGNNS, NETWORK, NODE_LEARNERS, NODES, Trial
from graphldp.mechanisms import DPRR, MultiBit
from graphldp.mechanisms.named import name_of, named

_LEARNERS = {"blink": "node-blink"}  # where it is not the mechanism's reports that are read


@dataclass(frozen=True, kw_only=True)
class DatasetTable(Experiment):
    """Statistics of the dataset."""

    def cells(self, setting: Scope) -> Iterator[PlannedCell]:
        """See :meth:`Experiment.cells`."""
        yield PlannedCell("", setting.dataset, None, 0, Cell.of("dataset", dataset=setting.dataset))


@dataclass(frozen=True, kw_only=True)
class AccuracySweep(Experiment):
    """Accuracy and AUC of several methods along one parameter, the others fixed.

    Args:
        methods: keys of :data:`~graphldp.experiments.plans.methods.METHODS`; the controls are always added.
        along: the parameter on the x axis: ``"public_fraction"``, ``"epsilon"`` or ``"alpha"``.
        values: of that parameter.
        epsilon: ε of private users.
        public_fraction: λ, the share of public users; one panel for each.
        alpha: the share of ε that DPRR spends on edges.
        most_seeds: no more seeds than these, whatever the effort.
    """

    methods: tuple[str, ...]
    along: str = "epsilon"
    values: tuple[float, ...] = (0.2, 0.5, 1.0, 2.0)
    epsilon: float = 1.0
    public_fraction: tuple[float, ...] = (0.0,)
    alpha: float = 0.9
    most_seeds: int | None = None

    def cells(self, setting: Scope) -> Iterator[PlannedCell]:
        """See :meth:`Experiment.cells`."""
        seeds = min(setting.seeds, self.most_seeds or setting.seeds)
        for fraction, value, seed in product(self.public_fraction, self.values, range(seeds)):
            point = {"epsilon": self.epsilon, "alpha": self.alpha, "public_fraction": fraction} | {self.along: value}
            panel = f"λ = {fraction:g}" if len(self.public_fraction) > 1 else ""
            for method in (*self.methods, *CONTROLS):
                across = method_of(method).across
                if (across and value != self.values[0]) or (method == "nonpriv-part" and not point["public_fraction"]):
                    continue
                draw = draw_of(method, setting, seed=seed, **point)
                for trial in _trials(method, setting, draw, seed):
                    yield PlannedCell(panel, method, None if across else value, seed, trial)


@dataclass(frozen=True, kw_only=True)
class DegreeStudy(Experiment):
    """True against noisy degree, and the degree distribution of each class."""

    methods: tuple[str, ...]
    epsilon: float

    def cells(self, setting: Scope) -> Iterator[PlannedCell]:
        """See :meth:`Experiment.cells`."""
        yield PlannedCell("", "distribution", None, 0, Cell.of("degree-distribution", dataset=setting.dataset))
        for method in self.methods:
            draw = draw_of(method, setting, seed=0, epsilon=self.epsilon, alpha=0.9, public_fraction=0.0)
            yield PlannedCell("", method, None, 0, Cell.of("degrees", draw=draw.params()))


@dataclass(frozen=True, kw_only=True)
class CalibrationStudy(Experiment):
    """How sure classifiers are of test graphs, and how often they are right.

    Args:
        methods: keys of :data:`~graphldp.experiments.plans.methods.METHODS` whose classifier labels.
        epsilon: ε of all users; one picture for each.
    """

    methods: tuple[str, ...]
    epsilon: tuple[float, ...]

    def cells(self, setting: Scope) -> Iterator[PlannedCell]:
        """See :meth:`Experiment.cells`."""
        for epsilon, method, seed in product(self.epsilon, self.methods, range(setting.seeds)):
            draw = draw_of(method, setting, seed=seed, epsilon=epsilon, alpha=0.9, public_fraction=0.0)
            for trial in _trials(method, setting, draw, seed):
                yield PlannedCell("", method, epsilon, seed, Cell.of("calibration", **trial.cell.params))


@dataclass(frozen=True, kw_only=True)
class NodeSweep(Experiment):
    """Accuracy of labels of single users against ε, beside what features tell without any friend.

    Args:
        methods: mechanisms, whose reports :class:`graphldp.NodeClassifier` reads (of Blink, the graph that its own
            server makes), and controls.
        epsilon: ε of all users.
        ratios: the shares of training, validation and test users.
        first_seed: the splits are drawn from this seed on. Every setting was chosen on splits of the seeds 0 to 9.
    """

    methods: tuple[str, ...]
    epsilon: tuple[float, ...]
    ratios: tuple[float, float, float] = NODE_SPLIT
    first_seed: int = 100

    def cells(self, setting: Scope) -> Iterator[PlannedCell]:
        """All cells of a :class:`NodeSweep`, split by split."""
        seeds = range(self.first_seed, self.first_seed + setting.seeds)
        for seed, method in product(seeds, self.methods):
            across = method_of(method).across
            learner = method if method in NODE_LEARNERS else _LEARNERS.get(method, NODES)
            for epsilon in (None,) if across else self.epsilon:
                trial = Trial(_user_draw(method, setting, seed, epsilon), self.ratios, seed, learner)
                yield PlannedCell("", method, epsilon, seed, trial)


def _trials(method: str, setting: Scope, draw: Draw, seed: int) -> list[Trial]:
    chosen = method_of(method)
    if chosen.classifier != NETWORK:
        return [Trial(draw, setting.ratios, seed, chosen.classifier)]
    return list(setting.networks(draw, seed, chosen.model))


def _user_draw(method: str, setting: Scope, seed: int, epsilon: float | None) -> Draw:
    """The draw of 'graphldp train --task nodes', so that the same training is the same cell."""
    if epsilon is None:
        return Draw(setting.dataset, TRUE)
    name = name_of(MultiBit) if method in LPGNNS else method
    if named(name).kind is DPRR:
        return draw_of(method, setting, seed=seed, epsilon=epsilon, alpha=0.9, public_fraction=0.0)
    options = tuple(sorted(named(name).settings({}).items()))
    return Draw(setting.dataset, name, epsilon, seed=seed, options=options)


def with_methods(spec: Experiment, methods: Iterable[str]) -> Experiment:
    """An experiment about accuracy or degrees with more methods; another one as it is."""
    if not isinstance(spec, AccuracySweep | DegreeStudy):
        return spec
    more = (each for each in methods if each not in (*spec.methods, *CONTROLS))
    return replace(spec, methods=(*spec.methods, *dict.fromkeys(more)))
