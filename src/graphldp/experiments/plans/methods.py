"""What experiments compare: methods by name, how people read them, and what cells need to know of them."""

from __future__ import annotations

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


def method_label(name: str) -> str:
    """How people read a method, a mechanism of one's own among them."""
    return METHODS.get(name) or label_of(name)
