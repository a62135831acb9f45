"""Whether reports can be stored now. Anyone may ask, so asking often costs no more than asking at times."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from graphldp.errors import StoreError

_SECONDS = 2.0


class Health:
    """The last look at the database, for a moment.

    Args:
        ping: writes to the database, or raises StoreError.
        clock: seconds, from anywhere.
    """

    def __init__(self, ping: Callable[[], None], clock: Callable[[], float] = time.monotonic) -> None:
        self._ping, self._clock = ping, clock
        self._looked: float | None = None
        self._failure: str | None = None
        self._one = threading.Lock()

    def check(self) -> None:
        """Look, unless somebody has just looked.

        Raises:
            StoreError: where the database could not be written to.
        """
        with self._one:
            now = self._clock()
            if self._looked is None or now - self._looked >= _SECONDS:
                try:
                    self._ping()
                    self._failure = None
                except StoreError as error:
                    self._failure = str(error)
                self._looked = self._clock()
            if self._failure is not None:
                raise StoreError(self._failure)
