"""The paper's tables and figures as data: its constants and no maths.

Each experiment is one frozen value; :mod:`graphldp.experiments.plans.expansion` turns it into cells.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from graphldp.datasets.registry import NODE_SPLIT
from graphldp.experiments.plans.panels import BEYOND, EVASION, FORGED, FORGED_LISTS, PAPER, Forged, Panel
from graphldp.mechanisms.named import label_of, mechanisms

CONTROLS = ("size-control", "degree-control")
"""What every accuracy table carries beside the mechanisms: n only, and noisy degrees only with all of ε."""

_VARIANTS = {
    "dprr-fixed": "DPRR, ε₁ = (1−α)ε",
    "lap-graph": "LapGraph, central DP",
    "size-control": "control: n only",
    "degree-control": "control: n and d* only",
    "size-forest": "n only, extra trees",
    "size-gin": "n only, GIN",
    "degree-forest": "n and d*, extra trees",
    "degree-gin": "d* only, GIN",
    "degree-head-gin": "n and d*, GIN",
    "recipe": "the recipe",
    "profile-degrees": "all of ε on degrees",
    "profile-hub-lists": "hubs send lists",
    "two-rounds": "hubs are asked again",
    "two-rounds-away-10": "… and 10 % stay away",
    "two-rounds-away-30": "… and 30 % stay away",
    "two-rounds-away-50": "… and 50 % stay away",
    "blink-hard": "Blink, hard graph",
    "blink-hybrid": "Blink, hybrid graph",
    "raw-recipe": "no privacy, the recipe's classifier",
    "raw-degree-gin": "no privacy, GIN with degrees",
    "raw-head-gin": "no privacy, GIN with degrees and a head",
    "dprr-unbiased": "+ unbiased estimate",
    "dprr-bayes": "+ Bayesian estimate",
    "dprr-utility": "+ split by utility",
    "dprr-head": "+ d* at the head",
    "dprr-noisy-degree": "+ d* at the nodes",
    "dprr-profile": "+ profile at the nodes",
    "dprr-both": "+ both directions",
    "dprr-weights": "+ link posterior",
    "dprr-all": "+ all of these",
    "node-features": "features alone",
    "node-similar": "similarity graph alone",
    "node-view": "all that features say",
    "lpgnn": "LPGNN, private features",
    "lpgnn-labels": "LPGNN, private features and labels",
    "lpgnn-other": "control: another user's features",
    "lpgnn-random": "control: random numbers",
}

METHODS = {each.name: each.label for each in mechanisms()} | _VARIANTS
"""What experiments compare, and how people read it: mechanisms, variants of them, and controls."""

TABULAR = {
    "size-control": "size",
    "degree-control": "degree",
    "size-forest": "size-forest",
    "degree-forest": "degree-forest",
    "recipe": "recipe-2",
    "profile-degrees": "recipe-2",
    "profile-hub-lists": "recipe-2",
    "raw-recipe": "recipe-2",
    "two-rounds": "recipe-2",
    "two-rounds-away-10": "recipe-2",
    "two-rounds-away-30": "recipe-2",
    "two-rounds-away-50": "recipe-2",
}
"""Methods without a neural network, and how cells name their classifier."""

RAW = ("raw-recipe", "raw-degree-gin", "raw-head-gin")
"""Better readers of the true lists than the paper's GIN: what can be had without privacy."""

NOT_PRIVATE = (*(each.name for each in mechanisms() if not each.private), *RAW)
"""Methods that see true lists: what the others are measured by, and no contestants."""

ACROSS = ("nonpriv-full", *RAW, "size-control", "size-forest", "size-gin")
"""Methods that do not depend on ε: a line across."""

MODELS: dict[str, dict[str, str]] = {
    "size-gin": {"features": "size", "graph_features": "size"},
    "degree-gin": {"features": "noisy-degree"},
    "degree-head-gin": {"features": "noisy-degree", "graph_features": "degrees"},
    "raw-degree-gin": {"features": "degree"},
    "raw-head-gin": {"features": "degree", "graph_features": "degrees"},
    "dprr-head": {"graph_features": "degrees"},
    "dprr-noisy-degree": {"features": "noisy-degree"},
    "dprr-profile": {"features": "profile"},
    "dprr-both": {"directions": "both"},
    "dprr-weights": {"weights": "posterior"},
    "dprr-all": {"graph_features": "degrees", "features": "profile", "directions": "both", "weights": "posterior"},
}
"""What a method's model has beside the grid's numbers."""


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
        methods: keys of :data:`METHODS`; the controls are always added.
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
        methods: keys of :data:`METHODS` whose classifier labels.
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
    learners: tuple[str, ...] = ("recipe-2", "recipe-robust")


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
        methods: keys of :data:`METHODS`.
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


def method_label(name: str) -> str:
    """How people read a method, a mechanism of one's own among them."""
    return METHODS.get(name) or label_of(name)


def with_methods(spec: Experiment, methods: Iterable[str]) -> Experiment:
    """An experiment about accuracy or degrees with more methods; another one as it is."""
    if not isinstance(spec, AccuracySweep | DegreeStudy):
        return spec
    more = (each for each in methods if each not in (*spec.methods, *CONTROLS))
    return replace(spec, methods=(*spec.methods, *dict.fromkeys(more)))


EXPERIMENTS: dict[str, Experiment] = {
    "table-datasets": DatasetTable("Statistics of the dataset", "Table 2"),
    "table-complexity": ComplexityTable(
        "Time and memory against the number of nodes, measured",
        "Table 1",
        methods=("dprr", "rr", "local-lap", "nonpriv-part"),
        epsilon=1.0,
        public_fraction=0.5,
        edges_per_node=5,
        nodes=(1000, 2000, 4000, 8000, 16000),
    ),
    "accuracy-lambda": AccuracySweep(
        "Accuracy and AUC against the share λ of public users, ε = 1",
        "Figure 4",
        methods=("dprr", "rr", "local-lap", "nonpriv-part", "nonpriv-full"),
        along="public_fraction",
        values=(0.0, 0.1, 0.2, 0.5),
        epsilon=1.0,
    ),
    "accuracy-epsilon": AccuracySweep(
        "Accuracy and AUC against the budget ε, λ = 0",
        "Figure 5",
        methods=("dprr", "rr", "local-lap", "nonpriv-full"),
        along="epsilon",
        values=(0.2, 0.5, 1.0, 2.0),
    ),
    "allocation": AccuracySweep(
        "Accuracy against α: the paper's split of ε and the fixed one, ε = 0.2",
        "Figure 6",
        methods=("dprr", "dprr-fixed", "nonpriv-full"),
        along="alpha",
        values=(0.5, 0.6, 0.7, 0.8, 0.9),
        epsilon=0.2,
        public_fraction=(0.0, 0.5),
    ),
    "central": AccuracySweep(
        "What a trusted server would buy: LapGraph under central DP beside its local version",
        "Section 5.1",
        methods=("lap-graph", "local-lap", "dprr", "nonpriv-full"),
        along="epsilon",
        values=(0.2, 0.5, 1.0, 2.0),
    ),
    "side-by-side": AccuracySweep(
        "The paper's methods and the recipe against ε",
        "Figure 5",
        methods=("recipe", "dprr", "rr", "local-lap", "nonpriv-full"),
        along="epsilon",
        values=(0.2, 0.5, 1.0, 2.0),
    ),
    "beyond": AccuracySweep(
        "The recipe, the paper's set-up, peers and controls against ε",
        "beyond Section 5",
        methods=(
            "recipe",
            "dprr",
            "arr",
            "blink-hard",
            "blink-hybrid",
            "nonpriv-full",
            "size-forest",
            "size-gin",
            "degree-forest",
            "degree-gin",
            "degree-head-gin",
        ),
        along="epsilon",
        values=(0.2, 0.5, 1.0, 2.0),
        public_fraction=(0.0, 0.2),
    ),
    "elsewhere": AccuracySweep(
        "The recipe against the controls: no graph neural network, so minutes for a small dataset",
        "beyond Section 5",
        methods=("recipe", "size-forest", "degree-forest"),
        along="epsilon",
        values=(0.2, 0.5, 1.0, 2.0),
    ),
    "ceilings": AccuracySweep(
        "How near the recipe comes to what can be had without privacy",
        "beyond Section 5",
        methods=("recipe", "nonpriv-full", *RAW),
        along="epsilon",
        values=(0.2, 0.5, 1.0, 2.0),
    ),
    "unseen": AccuracySweep(
        "The recipe, the paper's set-up, peers and controls: for a dataset that nothing was chosen on",
        "beyond Section 5",
        methods=("recipe", "dprr", "rr", "blink-hybrid", "size-forest", "degree-forest", "nonpriv-full", *RAW),
        along="epsilon",
        values=(0.2, 0.5, 1.0, 2.0),
    ),
    "lists": AccuracySweep(
        "From which ε on lists are worth their share: the recipe's classifier, with and without them",
        "beyond Section 5",
        methods=("profile-degrees", "profile-hub-lists"),
        along="epsilon",
        values=(0.5, 1.0, 1.5, 2.0, 3.0),
        public_fraction=(0.0, 0.2),
    ),
    "rounds": AccuracySweep(
        "What a second question to hubs is worth, also where some of them do not come back",
        "beyond Section 5",
        methods=("recipe", "two-rounds", "two-rounds-away-10", "two-rounds-away-30", "two-rounds-away-50"),
        along="epsilon",
        values=(0.2, 0.5, 1.0, 2.0),
        public_fraction=(0.0, 0.2),
    ),
    "calibration": CalibrationStudy(
        "How sure the classifiers are, and how often they are right",
        "beyond Section 5",
        methods=("recipe", "two-rounds", "dprr"),
        epsilon=(1.0, 2.0),
    ),
    "ingredients": AccuracySweep(
        "What each idea adds to the paper's set-up",
        "beyond Section 5",
        methods=(
            "dprr",
            "dprr-unbiased",
            "dprr-bayes",
            "dprr-utility",
            "dprr-head",
            "dprr-noisy-degree",
            "dprr-profile",
            "dprr-both",
            "dprr-weights",
            "dprr-all",
            "recipe",
        ),
        along="epsilon",
        values=(0.5, 1.0),
        most_seeds=5,
    ),
    "grid": GridSearch(
        "The grid searched for each method on its own, ε = 1",
        "Section 5.1",
        methods=("dprr", "rr", "local-lap", "nonpriv-part", "nonpriv-full"),
        rungs=(Rung("short", seeds=3, keep=2, most_epochs=40), Rung("whole", seeds=3)),
        before=(("layers", 5), ("hidden", 64), ("lr", 1e-2), ("dropout", 0.5)),
        costly=(("rr", (Rung("short", seeds=1, keep=1, most_epochs=30), Rung("whole", seeds=3))),),
    ),
    "degrees": DegreeStudy(
        "True and noisy degrees, and degrees by class, ε = 1",
        "Figure 7",
        methods=("dprr", "rr", "local-lap"),
        epsilon=1.0,
    ),
    "runtime-sampling": SamplingRuntime(
        "Training and classification time against the sampling rate γ",
        "Figure 8",
        methods=("dprr", "rr", "local-lap"),
        epsilon=1.0,
        sampling=(0.2, 0.4, 0.6, 0.8, 1.0),
    ),
    "runtime-nodes": NodesRuntime(
        "Training and classification time against the number of nodes, Barabási–Albert graphs",
        "Figure 9",
        methods=("dprr", "rr", "local-lap"),
        epsilon=1.0,
        edges_per_node=(3, 5),
        nodes=(1000, 2000, 3000, 4000),
        train_graphs=1000,
        test_graphs=200,
    ),
    "poisoning": Poisoning(
        "Accuracy under poisoning, with and without the paper's defense, ε = 1",
        "Figure 10",
        panels=PAPER,
    ),
    "poisoning-beyond": Poisoning(
        "Stronger attacks, and a defense that keeps the hubs, ε = 1",
        "beyond Section 6",
        panels=BEYOND,
    ),
    "poisoning-recipe": DegreeForgery(
        "The recipe under forged degrees, with and without its defense",
        "beyond Section 6",
        settings=(("recipe", 1.0, FORGED), ("recipe", 2.0, FORGED_LISTS), ("two-rounds", 1.0, EVASION)),
    ),
    "nodes": NodeSweep(
        "Classes of single users against ε",
        "beyond Section 5",
        methods=(
            "friend-counts",
            "rr",
            "dprr",
            "blink",
            "node-features",
            "node-similar",
            "node-view",
            "nonpriv-full",
        ),
        epsilon=(0.5, 1.0, 2.0, 3.0, 4.0, 6.0, 8.0),
    ),
    "nodes-side-by-side": NodeSweep(
        "Classes of single users: friends counted by group, friends listed, and no friends at all",
        "beyond Section 5",
        methods=("friend-counts", "rr", "node-features", "node-view", "nonpriv-full"),
        epsilon=(0.5, 1.0, 2.0, 4.0),
    ),
    "nodes-features": NodeSweep(
        "Public friendships, private features: LPGNN, and what its critics put in the features' place",
        "beyond Section 5",
        methods=("lpgnn", "lpgnn-labels", "lpgnn-other", "lpgnn-random", "node-view", "nonpriv-full"),
        epsilon=(1.0, 4.0),
    ),
}
