"""Learn from social graphs without seeing anyone's friends.

The public names, sorted. Each is loaded when it is first used, so that ``import graphldp`` loads neither torch nor numba.
"""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import version as _version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from graphldp.datasets import load_dataset, synthetic
    from graphldp.errors import GraphLDPError
    from graphldp.graphs import GraphSet
    from graphldp.privacy import Budget, Guarantee
    from graphldp.reports import Reports

_HOMES = {
    "Budget": "graphldp.privacy",
    "GraphLDPError": "graphldp.errors",
    "GraphSet": "graphldp.graphs",
    "Guarantee": "graphldp.privacy",
    "Reports": "graphldp.reports",
    "load_dataset": "graphldp.datasets",
    "synthetic": "graphldp.datasets",
}

__version__ = _version("graphldp")
__all__ = [
    "Budget",
    "GraphLDPError",
    "GraphSet",
    "Guarantee",
    "Reports",
    "load_dataset",
    "synthetic",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'graphldp' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
