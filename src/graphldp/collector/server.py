"""The server of the collector: uvicorn, told how to stop."""

from __future__ import annotations

import ctypes
import errno
import gc
import signal
import socket
import sys
from contextlib import ExitStack, suppress
from dataclasses import replace
from types import FrameType

import uvicorn

from graphldp.collector.app import create_app
from graphldp.collector.http.connection import Limits, limited
from graphldp.collector.http.logs import log_config
from graphldp.collector.http.operators.downloads import EXPORTS
from graphldp.collector.http.tracing import Tracing
from graphldp.collector.settings import Settings, listen_address
from graphldp.collector.storage.store import Store
from graphldp.errors import bad_parameter
from graphldp.files.folders import delete_left

_SEND_BUFFER = 1 << 17
_WAITING = 2048  # as uvicorn has it
_ARENA_MAX, _ARENAS = -8, 2  # what glibc calls the first in mallopt


class _Server(uvicorn.Server):
    """uvicorn, with a store that waits for nothing any more once the server is to end."""

    def __init__(self, config: uvicorn.Config, store: Store) -> None:
        super().__init__(config)
        self._store = store

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Take a signal to end."""
        self._store.hurry()
        super().handle_exit(sig, frame)


def serve(settings: Settings) -> None:
    """Serve until SIGTERM or SIGINT, then finish what is under way.

    The address goes to standard output once it is listened on, for whoever started the process with port 0.
    """
    # the writer lets go of the interpreter around every call of the database, and would wait 5 ms to get it back
    sys.setswitchinterval(0.0005)
    share_memory()
    tracing = Tracing.to(settings.traces) if settings.traces else None
    store = Store.open(settings.database, stays=True)
    delete_left(EXPORTS)
    with ExitStack() as stack:
        listening = [stack.enter_context(_listen("port", settings.host, settings.port))]
        if settings.admin_listen:
            listening.append(stack.enter_context(_listen("admin_listen", *listen_address(settings.admin_listen))))
            settings = replace(settings, admin_listen=_shown(listening[1]))
        config = uvicorn.Config(
            create_app(settings, store, tracing),
            http=limited(Limits.of(settings)),
            ws="none",
            lifespan="on",
            log_level=settings.log_level,
            log_config=log_config(settings.log_format, settings.log_level),
            access_log=False,  # who reported when is not for log files
            server_header=False,
            timeout_graceful_shutdown=max(1, round(settings.shutdown_seconds)),
            forwarded_allow_ips=settings.trusted_proxies,
        )
        gc.collect()
        gc.freeze()  # what is loaded by now stays: to look through it over and over is a third of a busy server's work
        server = _Server(config, store)
        # from before anybody is told that it runs: a signal that comes too early for uvicorn is not lost. It raises the
        # one that ended it once more when it is done: a graceful end is no failure
        for kind in (signal.SIGTERM, signal.SIGINT):
            signal.signal(kind, server.handle_exit)
        for each in listening:
            each.listen(_WAITING)  # who comes before uvicorn is ready waits, and is not refused
        print(f"graphldp: listening on http://{_shown(listening[0])}", flush=True)
        if settings.admin_listen:
            print(f"graphldp: operators at http://{settings.admin_listen}", flush=True)
        try:
            server.run(sockets=listening)
        finally:
            store.close()
            if tracing is not None:
                tracing.close()


def share_memory() -> None:
    """Let threads use again what another one has freed: by default, each of many keeps what its longest body took."""
    with suppress(AttributeError, OSError):  # glibc's alone
        ctypes.CDLL(None).mallopt(_ARENA_MAX, _ARENAS)


def _listen(setting: str, host: str, port: int) -> socket.socket:
    """A socket that is bound to an address."""
    listening = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    # what the kernel takes of an answer before its client reads; connections have it from here
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SEND_BUFFER)
    try:
        listening.bind((host, port))
    except OSError as error:
        listening.close()
        if error.errno in (errno.EADDRINUSE, errno.EACCES):
            why = "a free one" if error.errno == errno.EADDRINUSE else "one that this user may take"
            raise bad_parameter(setting, "the collector", f"{why} on {host}", port) from None
        where = "host" if setting == "port" else setting
        raise bad_parameter(where, "the collector", "an address of this machine", host) from None
    return listening


def _shown(listening: socket.socket) -> str:
    """The address where a socket listens, as it stands in a URL."""
    host, port = listening.getsockname()[:2]
    return f"[{host}]:{port}" if listening.family is socket.AF_INET6 else f"{host}:{port}"
