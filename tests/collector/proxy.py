"""A proxy between a collector and its database that falls silent: it takes what is sent, and passes nothing on."""

from __future__ import annotations

import socket
import threading
from types import TracebackType
from typing import Self


class Proxy:
    """A proxy on a port of its own.

    Args:
        port: of the database.
    """

    def __init__(self, port: int) -> None:
        self._port = port
        self._passes = threading.Event()
        self._passes.set()
        self._over = threading.Event()
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listening.getsockname()[1]
        self._held: list[socket.socket] = [self._listening]
        threading.Thread(target=self._accept, daemon=True).start()

    def fall_silent(self) -> None:
        """Pass nothing on any more; connections stay, and new ones are taken."""
        self._passes.clear()

    def _accept(self) -> None:
        while not self._over.is_set():
            try:
                client, _ = self._listening.accept()
                server = socket.create_connection(("127.0.0.1", self._port))
            except OSError:
                return
            self._held += [client, server]
            for source, target in ((client, server), (server, client)):
                threading.Thread(target=self._pass, args=(source, target), daemon=True).start()

    def _pass(self, source: socket.socket, target: socket.socket) -> None:
        try:
            while data := source.recv(1 << 16):
                self._passes.wait()
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)
        except OSError:
            return

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        for each in self._held:
            each.close()
        self._passes.set()
