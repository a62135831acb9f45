"""Graphs to work with: datasets of the TU collection, and two embedded generators."""

from __future__ import annotations

from graphldp.datasets import synthetic
from graphldp.datasets.loading import load_dataset

__all__ = ["load_dataset", "synthetic"]
