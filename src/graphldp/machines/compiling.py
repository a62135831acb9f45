"""A line in Python's log when a loop begins to compile: that takes up to a minute, and happens once."""

from __future__ import annotations

import logging
from functools import cache

from numba.core import event

_SAID = "compiling loops, once: up to a minute; the next process finds them compiled"


class _FirstCompilation(event.Listener):
    """Says so at the first of our loops that is compiled, and not found in numba's cache."""

    said = False

    def on_start(self, event: event.Event) -> None:
        """Say so once."""
        loop = event.data["dispatcher"]
        if not self.said and loop.stats.cache_path and loop.py_func.__module__.startswith("graphldp."):
            self.said = True
            logging.getLogger("graphldp").warning(_SAID)

    def on_end(self, event: event.Event) -> None:
        """Nothing: what follows shows that it is over."""


@cache
def tell_when_compiling() -> None:
    """Have the first compilation of this process said."""
    event.register("numba:compile", _FirstCompilation())
