"""The public names, with what their docstrings say."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from functools import cache
from types import ModuleType
from typing import Any

import graphldp as gl

# a page of the API → the rooms whose public names it shows
SECTIONS: Mapping[str, tuple[str, ...]] = {
    "data": ("graphs", "datasets", "reports"),
    "mechanisms": ("mechanisms", "privacy"),
    "learning": ("learn",),
    "surveys": ("estimates",),
    "experiments": ("experiments", "pages", "threats", "errors"),
}


def public_names(section: str) -> list[str]:
    """The public names of a page of the API, as ``gl.__all__`` orders them."""
    return [name for name in gl.__all__ if _room(getattr(gl, name)) in SECTIONS[section]]


def _room(value: Any) -> str:
    home = value.__name__ if isinstance(value, ModuleType) else value.__module__
    return str(home).split(".")[1]


def names(section: str) -> str:
    """One heading for each public name, and what its docstring says."""
    parts = [f"## {name}\n\n```{{eval-rst}}\n{_directive(name)}\n```" for name in public_names(section)]
    return "\n\n".join(parts)


@cache
def _public() -> list[object]:
    return [getattr(gl, name) for name in gl.__all__]


def _directive(name: str) -> str:
    """What has Sphinx show a name; of a module, what it is for and each of its own names."""
    value = getattr(gl, name)
    if isinstance(value, ModuleType):
        members = [_member(f"{name}.{each}", getattr(value, each)) for each in module_names(value)]
        return "\n\n".join([f".. py:module:: graphldp.{name}", inspect.getdoc(value) or "", *members])
    return _member(name, value)


def _member(name: str, value: object) -> str:
    if not isinstance(value, type):
        return f".. autofunction:: graphldp.{name}"
    options = [":members:", ":show-inheritance:"]
    if any(base in _public() for base in value.__mro__[1:]):  # what it inherits is shown there
        options.append(":no-inherited-members:")
    return "\n   ".join([f".. autoclass:: graphldp.{name}", *options])


def module_names(module: ModuleType) -> list[str]:
    """The public names of a module: those it lists, or those it defines."""
    defined = [name for name, value in vars(module).items() if getattr(value, "__module__", "") == module.__name__]
    return list(getattr(module, "__all__", [name for name in defined if not name.startswith("_")]))
