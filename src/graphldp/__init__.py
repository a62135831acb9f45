"""Learn from social graphs without seeing anyone's friends.

The public names, sorted. Each is loaded when it is first used, so that ``import graphldp`` loads neither torch nor
numba.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from graphldp import threats
    from graphldp.datasets import load_dataset, synthetic
    from graphldp.errors import GraphLDPError
    from graphldp.graphs import GraphSet
    from graphldp.learn import pyg
    from graphldp.learn.classifier import GCNClassifier, GINClassifier, SAGEClassifier
    from graphldp.learn.inference.counts import count_stars, count_triangles
    from graphldp.learn.inference.deconvolution import degree_distribution
    from graphldp.learn.inference.posterior import LinkPosterior
    from graphldp.learn.nodes.classifier import NodeClassifier
    from graphldp.learn.nodes.feature_view import FeatureView
    from graphldp.learn.recipe import Recipe, recommended
    from graphldp.learn.selection import split
    from graphldp.learn.tables.profile_classifier import ProfileClassifier
    from graphldp.learn.tables.robust.robust_profile import RobustProfileClassifier
    from graphldp.mechanisms import (
        ARR,
        DPRR,
        RR,
        Blink,
        CategoryRR,
        FriendCounts,
        HubCounts,
        HubLists,
        Joint,
        LapGraph,
        LocalLap,
        Mechanism,
        MultiBit,
        NoisyDegrees,
        NonPrivFull,
        NonPrivPart,
        RowMechanism,
        customized,
        match_public_fraction,
    )
    from graphldp.mechanisms.contract import check_mechanism
    from graphldp.mechanisms.named import register
    from graphldp.pages.comparison import compare
    from graphldp.privacy import Budget, Guarantee
    from graphldp.reports import Reports

_HOMES = {
    "ARR": "graphldp.mechanisms",
    "Blink": "graphldp.mechanisms",
    "Budget": "graphldp.privacy",
    "CategoryRR": "graphldp.mechanisms",
    "DPRR": "graphldp.mechanisms",
    "FeatureView": "graphldp.learn.nodes.feature_view",
    "FriendCounts": "graphldp.mechanisms",
    "GCNClassifier": "graphldp.learn.classifier",
    "GINClassifier": "graphldp.learn.classifier",
    "GraphLDPError": "graphldp.errors",
    "GraphSet": "graphldp.graphs",
    "Guarantee": "graphldp.privacy",
    "HubCounts": "graphldp.mechanisms",
    "HubLists": "graphldp.mechanisms",
    "Joint": "graphldp.mechanisms",
    "LinkPosterior": "graphldp.learn.inference.posterior",
    "LapGraph": "graphldp.mechanisms",
    "LocalLap": "graphldp.mechanisms",
    "Mechanism": "graphldp.mechanisms",
    "MultiBit": "graphldp.mechanisms",
    "NodeClassifier": "graphldp.learn.nodes.classifier",
    "NoisyDegrees": "graphldp.mechanisms",
    "NonPrivFull": "graphldp.mechanisms",
    "NonPrivPart": "graphldp.mechanisms",
    "ProfileClassifier": "graphldp.learn.tables.profile_classifier",
    "RR": "graphldp.mechanisms",
    "Recipe": "graphldp.learn.recipe",
    "Reports": "graphldp.reports",
    "RobustProfileClassifier": "graphldp.learn.tables.robust.robust_profile",
    "RowMechanism": "graphldp.mechanisms",
    "SAGEClassifier": "graphldp.learn.classifier",
    "check_mechanism": "graphldp.mechanisms.contract",
    "compare": "graphldp.pages.comparison",
    "count_stars": "graphldp.learn.inference.counts",
    "count_triangles": "graphldp.learn.inference.counts",
    "customized": "graphldp.mechanisms",
    "degree_distribution": "graphldp.learn.inference.deconvolution",
    "load_dataset": "graphldp.datasets",
    "match_public_fraction": "graphldp.mechanisms",
    "pyg": "graphldp.learn",
    "recommended": "graphldp.learn.recipe",
    "register": "graphldp.mechanisms.named",
    "split": "graphldp.learn.selection",
    "synthetic": "graphldp.datasets",
    "threats": "graphldp.threats",
}

__version__ = "0.1.0"
__all__ = [
    "ARR",
    "DPRR",
    "RR",
    "Blink",
    "Budget",
    "CategoryRR",
    "FeatureView",
    "FriendCounts",
    "GCNClassifier",
    "GINClassifier",
    "GraphLDPError",
    "GraphSet",
    "Guarantee",
    "HubCounts",
    "HubLists",
    "Joint",
    "LapGraph",
    "LinkPosterior",
    "LocalLap",
    "Mechanism",
    "MultiBit",
    "NodeClassifier",
    "NoisyDegrees",
    "NonPrivFull",
    "NonPrivPart",
    "ProfileClassifier",
    "Recipe",
    "Reports",
    "RobustProfileClassifier",
    "RowMechanism",
    "SAGEClassifier",
    "check_mechanism",
    "compare",
    "count_stars",
    "count_triangles",
    "customized",
    "degree_distribution",
    "load_dataset",
    "match_public_fraction",
    "pyg",
    "recommended",
    "register",
    "split",
    "synthetic",
    "threats",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'graphldp' has no attribute {name!r}")
    from graphldp.errors import extra_named

    with extra_named(f"graphldp.{name}"):
        value = home = import_module(_HOMES[name])
        if _HOMES[name] != f"graphldp.{name}":  # a name in a room, not a room
            value = getattr(home, name) if hasattr(home, name) else import_module(f"{_HOMES[name]}.{name}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
