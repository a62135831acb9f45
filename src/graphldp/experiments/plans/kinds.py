"""The kinds of experiments, each one frozen value without maths.

:mod:`graphldp.experiments.plans.expansion` turns one into cells.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from graphldp.datasets.registry import NODE_SPLIT
from graphldp.experiments.plans.methods import CONTROLS
from graphldp.experiments.plans.panels import Forged, Panel


@dataclass(frozen=True)
class Experiment:
    """What all experiments have.

    Args:
        title: what it shows.
        paper: where the paper shows it.
    """

    title: str
    paper: str


@dataclass(frozen=True)
class DatasetTable(Experiment):
    """Statistics of the dataset."""


@dataclass(frozen=True)
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
    along: str
    values: tuple[float, ...]
    epsilon: float = 1.0
    public_fraction: tuple[float, ...] = (0.0,)
    alpha: float = 0.9
    most_seeds: int | None = None


@dataclass(frozen=True)
class DegreeStudy(Experiment):
    """True against noisy degree, and the degree distribution of each class."""

    methods: tuple[str, ...]
    epsilon: float


@dataclass(frozen=True)
class ComplexityTable(Experiment):
    """Time and memory of one Barabási–Albert graph against n, of a user and of the server."""

    methods: tuple[str, ...]
    epsilon: float
    public_fraction: float
    edges_per_node: int
    nodes: tuple[int, ...]


@dataclass(frozen=True)
class SamplingRuntime(Experiment):
    """Training and classification time on subgraphs of γn users."""

    methods: tuple[str, ...]
    epsilon: float
    sampling: tuple[float, ...]


@dataclass(frozen=True)
class NodesRuntime(Experiment):
    """Training and classification time on Barabási–Albert graphs of n nodes; one panel for each m."""

    methods: tuple[str, ...]
    epsilon: float
    edges_per_node: tuple[int, ...]
    nodes: tuple[int, ...]
    train_graphs: int
    test_graphs: int


@dataclass(frozen=True)
class Poisoning(Experiment):
    """Accuracy and detection against the share β of malicious users in the training graphs; one panel for each attack.

    Args:
        panels: attacks, shares and lines.
        epsilon: ε of all users.
    """

    panels: tuple[Panel, ...]
    epsilon: float = 1.0


@dataclass(frozen=True)
class CalibrationStudy(Experiment):
    """How sure classifiers are of test graphs, and how often they are right.

    Args:
        methods: keys of :data:`~graphldp.experiments.plans.methods.METHODS` whose classifier labels.
        epsilon: ε of all users; one picture for each.
    """

    methods: tuple[str, ...]
    epsilon: tuple[float, ...]


@dataclass(frozen=True)
class DegreeForgery(Experiment):
    """Accuracy of the recipe under forged degrees, with and without its defense.

    Args:
        settings: methods and their ε, each with the attacks on its reports.
        learners: as cells name them.
    """

    settings: tuple[tuple[str, float, tuple[Forged, ...]], ...]
    learners: tuple[str, ...] = ("recipe-2", "recipe-robust-5")


@dataclass(frozen=True)
class Rung:
    """One step of a search: how long the points that are left are trained, and how many of them go on.

    Args:
        name: what the step is called.
        seeds: how many.
        keep: how many points of each learning rate go on; one of all where it is None.
        most_epochs: no training is longer, whatever the effort.
    """

    name: str
    seeds: int
    keep: int | None = None
    most_epochs: int | None = None


@dataclass(frozen=True)
class GridSearch(Experiment):
    """Hyper-parameters chosen for each method on its own, by validation graphs, then tested with every seed.

    Args:
        methods: keys of :data:`~graphldp.experiments.plans.methods.METHODS`.
        rungs: the steps of the search.
        before: the point that all methods shared until then; it is tested beside each method's own.
        costly: methods with other, cheaper rungs; they are searched at the first λ alone.
        epsilon: ε of private users.
        public_fraction: λ.
    """

    methods: tuple[str, ...]
    rungs: tuple[Rung, ...]
    before: tuple[tuple[str, float], ...]
    costly: tuple[tuple[str, tuple[Rung, ...]], ...] = ()
    epsilon: float = 1.0
    public_fraction: tuple[float, ...] = (0.0, 0.2)


@dataclass(frozen=True)
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


def with_methods(spec: Experiment, methods: Iterable[str]) -> Experiment:
    """An experiment about accuracy or degrees with more methods; another one as it is."""
    if not isinstance(spec, AccuracySweep | DegreeStudy):
        return spec
    more = (each for each in methods if each not in (*spec.methods, *CONTROLS))
    return replace(spec, methods=(*spec.methods, *dict.fromkeys(more)))
