"""Methods that experiments compare, by name: each a mechanism or a variant of one, and what learns from its reports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from graphldp.experiments.trial import NETWORK
from graphldp.mechanisms.named import Colour, colour_of, label_of, mechanisms
from graphldp.privacy import Allocation

TRUE = "nonpriv-full"
"""The mechanism of true lists."""


@dataclass(frozen=True)
class Method:
    """A method: one line of a figure.

    Args:
        label: how people read it.
        mechanism: a name of :mod:`graphldp.mechanisms.named`.
        colour: on light and on dark paper.
        classifier: as trials name it.
        model: what a network has beside the grid's numbers.
        allocation: how DPRR splits ε.
        options: of the mechanism, where it has others than its variant.
        once: drawn once, with ε = 1, since nothing of the draw is looked at.
    """

    label: str
    mechanism: str
    colour: Colour
    classifier: str = NETWORK
    model: Mapping[str, str] = field(default_factory=dict)
    allocation: Allocation = "paper"
    options: tuple[tuple[str, Any], ...] = ()
    once: bool = False

    @property
    def across(self) -> bool:
        """Whether it does not depend on ε: a line across."""
        return self.mechanism == TRUE or self.once


_RECIPE = "recipe-2"
_HEAD, _SEEN = {"graph_features": "degrees"}, {"features": "noisy-degree"}
_SIZE, _LENGTH = {"features": "size", "graph_features": "size"}, {"features": "degree"}
_ALL = {"graph_features": "degrees", "features": "profile", "directions": "both", "weights": "posterior"}
_VARIANTS = {
    "dprr-fixed": Method("DPRR, ε₁ = (1−α)ε", "dprr", ("#7a3fd1", "#b794f6"), allocation="fixed"),
    "lap-graph": Method("LapGraph, central DP", "lap-graph", ("#7c2d12", "#fdba74")),
    "size-control": Method("control: n only", TRUE, ("#8a94a3", "#8a94a3"), "size"),
    "degree-control": Method("control: n and d* only", "noisy-degrees", ("#ad1480", "#f58ad0"), "degree"),
    "size-forest": Method("n only, extra trees", TRUE, ("#a3acb9", "#737e8e"), "size-forest"),
    "size-gin": Method("n only, GIN", "noisy-degrees", ("#6b7686", "#a9b3c1"), model=_SIZE, once=True),
    "degree-forest": Method("n and d*, extra trees", "noisy-degrees", ("#d946ae", "#f9a8d4"), "degree-forest"),
    "degree-gin": Method("d* only, GIN", "noisy-degrees", ("#86198f", "#e879f9"), model=_SEEN),
    "degree-head-gin": Method("n and d*, GIN", "noisy-degrees", ("#be123c", "#fda4af"), model=_SEEN | _HEAD),
    "recipe": Method("the recipe", "recommended", ("#1a7f37", "#56d364"), _RECIPE),
    "profile-degrees": Method("all of ε on degrees", "discrete-degrees", ("#0b5fff", "#6ea8ff"), _RECIPE),
    "profile-hub-lists": Method("hubs send lists", "every-hub-list", ("#1a7f37", "#56d364"), _RECIPE),
    "two-rounds": Method("hubs are asked again", "hub-counts", ("#a16207", "#fde047"), _RECIPE),
    **{
        f"two-rounds-away-{share}": Method(
            f"… and {share} % stay away", "hub-counts", colour, _RECIPE, options=(("away", share / 100),)
        )
        for share, colour in (
            (10, ("#b45309", "#fcd34d")),
            (30, ("#be123c", "#fda4af")),
            (50, ("#86198f", "#e879f9")),
        )
    },
    "arr": Method("ARR", "sparse-arr", colour_of("arr")),
    "blink-hard": Method("Blink, hard graph", "blink-hard", ("#0e7490", "#67e8f9")),
    "blink-hybrid": Method("Blink, hybrid graph", "blink-hybrid", ("#155e75", "#a5f3fc")),
    "raw-recipe": Method("no privacy, the recipe's classifier", TRUE, ("#14532d", "#bbf7d0"), _RECIPE),
    "raw-degree-gin": Method("no privacy, GIN with degrees", TRUE, ("#57534e", "#d6d3d1"), model=_LENGTH),
    "raw-head-gin": Method(
        "no privacy, GIN with degrees and a head", TRUE, ("#1e293b", "#e2e8f0"), model=_LENGTH | _HEAD
    ),
    "dprr-unbiased": Method("+ unbiased estimate", "dprr-unbiased", ("#4d7c0f", "#bef264")),
    "dprr-bayes": Method("+ Bayesian estimate", "dprr-bayes", ("#3f6212", "#a3e635")),
    "dprr-utility": Method("+ split by utility", "dprr", ("#a16207", "#fde047"), allocation="utility"),
    "dprr-head": Method("+ d* at the head", "dprr", ("#be123c", "#fda4af"), model=_HEAD),
    "dprr-noisy-degree": Method("+ d* at the nodes", "dprr", ("#86198f", "#e879f9"), model=_SEEN),
    "dprr-profile": Method("+ profile at the nodes", "dprr", ("#c026d3", "#f0abfc"), model={"features": "profile"}),
    "dprr-both": Method("+ both directions", "dprr", ("#0e7490", "#67e8f9"), model={"directions": "both"}),
    "dprr-weights": Method("+ link posterior", "dprr", ("#b45309", "#fcd34d"), model={"weights": "posterior"}),
    "dprr-all": Method("+ all of these", "dprr", ("#00796b", "#4fd1b8"), model=_ALL, allocation="utility"),
    "node-features": Method("features alone", TRUE, ("#8a94a3", "#8a94a3")),
    "node-similar": Method("similarity graph alone", TRUE, ("#a16207", "#fde047")),
    "node-view": Method("all that features say", TRUE, ("#1a7f37", "#56d364")),
    "lpgnn": Method("LPGNN, private features", "multi-bit", ("#7a3fd1", "#b794f6")),
    "lpgnn-labels": Method("LPGNN, private features and labels", "multi-bit", ("#86198f", "#e879f9")),
    "lpgnn-other": Method("control: another user's features", "multi-bit", ("#b45309", "#fcd34d")),
    "lpgnn-random": Method("control: random numbers", "multi-bit", ("#6b7686", "#a9b3c1")),
}
METHODS = {each.name: Method(each.label, each.name, each.colour) for each in mechanisms()} | _VARIANTS
"""What experiments compare: mechanisms, variants of them, and controls."""

CONTROLS = ("size-control", "degree-control")
"""What every accuracy table carries beside the mechanisms: n only, and noisy degrees only with all of ε."""

RAW = ("raw-recipe", "raw-degree-gin", "raw-head-gin")
"""Better readers of the true lists than the paper's GIN: what can be had without privacy."""

NOT_PRIVATE = (*(each.name for each in mechanisms() if not each.private), *RAW)
"""Methods that see true lists: what the others are measured by, and no contestants."""


def method_of(name: str) -> Method:
    """A method by its name; one that is not in the table is a mechanism of one's own."""
    return METHODS.get(name) or Method(label_of(name), name, colour_of(name))
