"""An end to every conversation: a connection that is cut when its time is over, whatever it waits for.

A timeout begins anew with each byte. A server that sends one byte now and then would hold the client, and with it the
vault's lock, for as long as it likes.
"""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

_CONNECTED = ("connect_tcp.complete", "start_tls.complete")


class Deadline:
    """The moment by which everything has to be over.

    Args:
        seconds: from now on.
    """

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds
        self._sockets: list[socket.socket] = []

    @property
    def left(self) -> float:
        """Seconds until then; 0 afterwards."""
        return max(self._end - time.monotonic(), 0.0)

    @property
    def trace(self) -> Callable[[str, Mapping[str, Any]], None]:
        """A trace for a request's extensions, in which httpx says which connection it has opened."""

        def note(event: str, info: Mapping[str, Any]) -> None:
            if event.endswith(_CONNECTED):
                self._sockets.append(info["return_value"].get_extra_info("socket"))
                if not self.left:
                    self._cut()

        return note

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Cut the connections at the deadline unless this block is over before."""
        watchdog = threading.Timer(self.left, self._cut)
        watchdog.daemon = True
        watchdog.start()
        try:
            yield
        finally:
            watchdog.cancel()

    def _cut(self) -> None:
        for each in self._sockets:
            with suppress(OSError):  # it is closed already
                socket.socket.shutdown(each, socket.SHUT_RDWR)  # of TLS too: nothing more is said, not even goodbye
