"""A relay between a browser and the collector that breaks off where a test says."""

from __future__ import annotations

import socket
import threading
from types import TracebackType
from typing import Self


class Relay:
    """A relay on loopback, over which each connection may send only so much.

    Args:
        port: the collector's.
    """

    def __init__(self, port: int) -> None:
        self.port, self.most, self.broken = port, 10**9, threading.Event()
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listening.getsockname()[1]}"
        self._accepting = threading.Thread(target=self._accept, daemon=True)

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._listening.accept()
            except OSError:  # closed: the test is over
                return
            far = socket.create_connection(("127.0.0.1", self.port))
            for source, target in ((near, far), (far, near)):
                threading.Thread(target=self._pass_on, args=(source, target, source is near), daemon=True).start()

    def _pass_on(self, source: socket.socket, target: socket.socket, limited: bool) -> None:
        passed = 0
        with source, target:
            try:
                while data := source.recv(65536):
                    passed += len(data)
                    if limited and passed > self.most:
                        self.broken.set()
                        source.shutdown(socket.SHUT_RDWR)
                        target.shutdown(socket.SHUT_RDWR)
                        return
                    target.sendall(data)
            except OSError:  # the other direction has ended
                return

    def __enter__(self) -> Self:
        self._accepting.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        self._accepting.join()
