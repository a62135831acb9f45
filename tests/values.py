"""Two words for the type checker: a value that is surely there, and one that is wrong on purpose."""

from __future__ import annotations

from typing import Any, TypeVar

T = TypeVar("T")


def some(value: T | None) -> T:
    """``value``, which is not None here."""
    assert value is not None
    return value


def wrong(value: object) -> Any:
    """``value``, of a type that the function under test must refuse."""
    return value
