"""Running the collector: uvicorn, told how to stop."""

from __future__ import annotations

import errno
import gc
import signal
import socket
import sys
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import uvicorn

from graphldp.collector.http.app import create_app
from graphldp.collector.http.connection import Limits, limited
from graphldp.collector.http.logs import log_config
from graphldp.collector.http.operators.downloads import EXPORTS
from graphldp.collector.http.tracing import Tracing
from graphldp.collector.settings import Settings, door
from graphldp.collector.storage.store import Store
from graphldp.errors import bad_parameter
from graphldp.files.whole import delete_left

_SEND_BUFFER = 1 << 17
_WAITING = 2048  # as uvicorn has it


def open_store(database: str) -> Store:
    """Open the store; an SQLite file that is not there yet is made, for its owner's eyes only."""
    if database.startswith("sqlite:///") and (file := Path(database.removeprefix("sqlite:///"))).name:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch(mode=0o600, exist_ok=True)
    return Store.open(database)


def serve(settings: Settings) -> None:
    """Serve until SIGTERM or SIGINT, then finish what is under way.

    The address goes to standard output once it is listened on, for whoever started the process with port 0.
    """
    # the writer lets go of the interpreter around every call of the database, and would wait 5 ms to get it back
    sys.setswitchinterval(0.0005)
    tracing = Tracing.to(settings.traces) if settings.traces else None
    store = open_store(settings.database)
    delete_left(EXPORTS)
    with ExitStack() as stack:
        listening = [stack.enter_context(_listen("port", settings.host, settings.port))]
        if settings.admin_listen:
            listening.append(stack.enter_context(_listen("admin_listen", *door(settings.admin_listen))))
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
        for each in listening:
            each.listen(_WAITING)  # who comes before uvicorn is ready waits, and is not refused
        print(f"graphldp: listening on http://{_shown(listening[0])}", flush=True)
        if settings.admin_listen:
            print(f"graphldp: operators at http://{settings.admin_listen}", flush=True)
        # uvicorn raises the signal that ended it once more when it is done: a graceful end is no failure
        for kind in (signal.SIGTERM, signal.SIGINT):
            signal.signal(kind, signal.SIG_IGN)
        try:
            uvicorn.Server(config).run(sockets=listening)
        finally:
            store.close()
            if tracing is not None:
                tracing.close()


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
    """Where a socket listens, as it stands in a URL."""
    host, port = listening.getsockname()[:2]
    return f"[{host}]:{port}" if listening.family is socket.AF_INET6 else f"{host}:{port}"
