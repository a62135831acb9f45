"""Users' numbers in a report: without NumPy, and for NumPy to see in place."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from typing import Any, Protocol

from graphldp.errors import WireError

NO_LIST = "A report's list must be a flat array of whole numbers."


class Numbers(Protocol):
    """Whole numbers, one after the other: an array of NumPy is such, and so is what a report keeps."""

    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Any]: ...
    def __getitem__(self, place: int, /) -> Any: ...
    def tolist(self) -> Any:
        """Them as Python's own numbers."""
        ...


def numbers(given: Iterable[int]) -> Numbers:
    """Users' numbers, as a report keeps them: unchangeable, of 32 bits each, and an array of NumPy sees them in place.

    Raises:
        WireError: for anything else than a flat list of whole numbers.
    """
    try:
        plain = given.tolist() if hasattr(given, "tolist") else list(given)
        found = array("i", plain)
    except (TypeError, OverflowError):
        raise WireError(NO_LIST) from None
    if found and isinstance(plain[0], bool):
        raise WireError(NO_LIST)
    return memoryview(found).toreadonly()
