"""Graphs to work with: datasets of the TU collection, and two embedded generators.

Each is loaded when it is first used: what only asks for names and places needs no numpy.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from graphldp.datasets import synthetic
    from graphldp.datasets.loading import load_dataset

__all__ = ["load_dataset", "synthetic"]


def __getattr__(name: str) -> Any:
    if name == "load_dataset":
        return import_module("graphldp.datasets.loading").load_dataset
    if name == "synthetic":
        return import_module("graphldp.datasets.synthetic")
    raise AttributeError(f"module 'graphldp.datasets' has no attribute {name!r}")
