"""Which loops draw: the compiled ones, or plain NumPy."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType


@cache
def backend() -> ModuleType:
    """The compiled loops, or plain NumPy with the same bits where numba is not installed."""
    compiled = find_spec("numba") is not None
    return import_module(f"graphldp.mechanisms.drawing.{'kernels' if compiled else 'reference'}")
