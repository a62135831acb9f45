"""Accounting: how ε is split, and what the split promises. Pure maths that knows no mechanism.

Names are loaded when they are first used: a client needs some of these modules, and does without NumPy.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from graphldp.privacy.budget import Allocation, Budget, allocate, check_epsilon, degree_alone, once
    from graphldp.privacy.guarantee import Guarantee

_HOMES = {"Guarantee": "guarantee"}
__all__ = ["Allocation", "Budget", "Guarantee", "allocate", "check_epsilon", "degree_alone", "once"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES.get(name, 'budget')}"), name)
