"""The paper's tables and figures as data, and those beyond it: their constants and no maths."""

from __future__ import annotations

from graphldp.experiments.plans.accuracy import AccuracySweep, CalibrationStudy, DatasetTable, DegreeStudy, NodeSweep
from graphldp.experiments.plans.adversaries import BEYOND, EVASION, PAPER, TEACHING, DegreeForgery, Poisoning
from graphldp.experiments.plans.methods import RAW
from graphldp.experiments.plans.scope import Experiment
from graphldp.experiments.plans.search import GridSearch, Rung
from graphldp.experiments.plans.timings import ComplexityTable, NodesRuntime, SamplingRuntime

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
    ),
    "side-by-side": AccuracySweep(
        "The paper's methods and the recipe against ε",
        "Figure 5",
        methods=("recipe", "dprr", "rr", "local-lap", "nonpriv-full"),
    ),
    "beyond": AccuracySweep(
        "The recipe, the paper's set-up, peers and controls against ε",
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
        public_fraction=(0.0, 0.2),
    ),
    "elsewhere": AccuracySweep(
        "The recipe against the controls: no graph neural network, so minutes for a small dataset",
        methods=("recipe", "size-forest", "degree-forest"),
    ),
    "ceilings": AccuracySweep(
        "How near the recipe comes to what can be had without privacy",
        methods=("recipe", "nonpriv-full", *RAW),
    ),
    "unseen": AccuracySweep(
        "The recipe, the paper's set-up, peers and controls: for a dataset that nothing was chosen on",
        methods=("recipe", "dprr", "rr", "blink-hybrid", "size-forest", "degree-forest", "nonpriv-full", *RAW),
    ),
    "lists": AccuracySweep(
        "From which ε on lists are worth their share: the recipe's classifier, with and without them",
        methods=("profile-degrees", "profile-hub-lists"),
        values=(0.5, 1.0, 1.5, 2.0, 3.0),
        public_fraction=(0.0, 0.2),
    ),
    "rounds": AccuracySweep(
        "What a second question to hubs is worth, also where some of them do not come back",
        methods=("recipe", "two-rounds", "two-rounds-away-10", "two-rounds-away-30", "two-rounds-away-50"),
        public_fraction=(0.0, 0.2),
    ),
    "calibration": CalibrationStudy(
        "How sure the classifiers are, and how often they are right",
        methods=("recipe", "two-rounds", "dprr"),
        epsilon=(1.0, 2.0),
    ),
    "ingredients": AccuracySweep(
        "What each idea adds to the paper's set-up",
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
        settings=((1.0, (EVASION, TEACHING)), (2.0, (EVASION,))),
        trusted=(0.02, 0.05, 0.1, 0.2, 0.4),
    ),
    "nodes": NodeSweep(
        "Classes of single users against ε",
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
        methods=("friend-counts", "rr", "node-features", "node-view", "nonpriv-full"),
        epsilon=(0.5, 1.0, 2.0, 4.0),
    ),
    "nodes-features": NodeSweep(
        "Public friendships, private features: LPGNN, and what its critics put in the features' place",
        methods=("lpgnn", "lpgnn-labels", "lpgnn-other", "lpgnn-random", "node-view", "nonpriv-full"),
        epsilon=(0.5, 1.0, 2.0, 3.0, 4.0, 6.0, 8.0),
    ),
}
