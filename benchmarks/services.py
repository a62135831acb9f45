"""What tests and proofs start: a private PostgreSQL server, and a collector as a process of its own. Loopback only."""

from __future__ import annotations

import multiprocessing
import os
import pwd
import secrets
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from sqlalchemy import Engine

PATIENCE = 90.0
# what a collector imports takes longer than what most tests ask of it: one process of each run does so, and forks them
_FORKS = multiprocessing.get_context("forkserver")
_FORKS.set_forkserver_preload(["graphldp.cli.serve", "graphldp.collector.server"])


class MissingComponentError(RuntimeError):
    """The error of a program that has to be there and is not."""


def postgres_binaries() -> Path:
    """The folder with ``initdb`` and ``pg_ctl``, newest version first."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda p: float(p.parts[4]), reverse=True)
    if found:
        return found[0].parent
    if on_path := shutil.which("initdb"):
        return Path(on_path).parent
    raise MissingComponentError("PostgreSQL is not installed (Debian: apt-get install postgresql)")


def free_port() -> int:
    """A free port that stays so: below those that the system hands out to whoever asks for any."""
    handed_out = Path("/proc/sys/net/ipv4/ip_local_port_range")
    first = int(handed_out.read_text().split()[0]) if handed_out.exists() else 49_152
    below = range(max(10_240, first - 12_000), first)  # higher than any port that Chromium refuses to ask
    for port in (*(secrets.choice(below) for _ in range(100 if below else 0)), 0):
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return int(probe.getsockname()[1])
    raise RuntimeError("no port is free")


def analyze(engine: Engine) -> None:
    """Let PostgreSQL look at its tables now, as it does by itself at some moment."""
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.exec_driver_sql("ANALYZE")


class Postgres:
    """A PostgreSQL server of our own, on a free port; never one that happens to be running.

    Args:
        folder: where its data stay afterwards, or are from before; a temporary one by default.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self.binaries = postgres_binaries()
        self.kept = folder is not None
        self.folder = Path(tempfile.mkdtemp(prefix="graphldp-pg-")) if folder is None else folder
        self.folder.mkdir(exist_ok=True)
        self.port = free_port()
        self.as_user: dict[str, Any] = {}
        if os.geteuid() == 0:  # PostgreSQL refuses to run as root
            names = {entry.pw_name: entry for entry in pwd.getpwall()}
            account = names.get("postgres") or names["nobody"]
            self.as_user = {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}
            os.chown(self.folder, account.pw_uid, account.pw_gid)
        self.data = self.folder / "data"
        if not self.data.exists():
            self._run("initdb", "-D", self.data, "-U", "graphldp", "--auth=trust", "--encoding=UTF8", "--locale=C")

    @property
    def url(self) -> str:
        """Its first database, by URL."""
        return f"postgresql://graphldp@127.0.0.1:{self.port}/postgres"

    def _run(self, program: str, *arguments: object, check: bool = True) -> None:
        command = [str(self.binaries / program), *map(str, arguments)]
        environment = {"PATH": os.environ["PATH"], "LC_ALL": "C", "HOME": str(self.folder)}
        done = subprocess.run(
            command,
            cwd=self.folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=120,
            **self.as_user,
        )
        if check and done.returncode:
            log = self.folder / "log"
            raise RuntimeError(f"{program} failed: {log.read_text()[-2000:] if log.exists() else done.returncode}")

    def start(self) -> Self:
        """Start the server, and wait until it answers."""
        options = f"-p {self.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c fsync=on"
        self._run("pg_ctl", "-D", self.data, "-l", self.folder / "log", "-w", "-t", "60", "-o", options, "start")
        return self

    def stop(self, mode: str = "fast") -> None:
        """``"fast"`` is an orderly end, ``"immediate"`` the death of all of its processes."""
        self._run("pg_ctl", "-D", self.data, "-w", "-m", mode, "stop", check=False)

    def create(self, name: str) -> str:
        """A fresh, empty database, by URL."""
        self._run("createdb", "-h", "127.0.0.1", "-p", self.port, "-U", "graphldp", name)
        return self.url.replace("/postgres", f"/{name}")

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop("fast" if self.kept else "immediate")
        if not self.kept:
            shutil.rmtree(self.folder, ignore_errors=True)


def _serve(arguments: list[str], environment: dict[str, str], folder: str, out: Connection, log: str) -> None:
    """The command in a forked process, with the environment and the streams that it would be started with."""
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    os.dup2(out.fileno(), 1)
    os.dup2(os.open(log, os.O_WRONLY | os.O_APPEND), 2)
    sys.stdout, sys.stderr = os.fdopen(1, "w"), os.fdopen(2, "w", buffering=1)
    sys.argv = ["graphldp", *arguments]
    from graphldp.cli import main

    main()


class _Forked:
    """A forked process with what tests use of :class:`subprocess.Popen`."""

    def __init__(self, arguments: list[str], log: str) -> None:
        here, there = multiprocessing.Pipe(duplex=False)
        given = (arguments, dict(os.environ), str(Path.cwd()), there, log)
        self._process = _FORKS.Process(target=_serve, args=given)
        self._process.start()
        there.close()
        self.stdout: IO[str] | None = os.fdopen(os.dup(here.fileno()), encoding="utf-8")
        here.close()
        assert self._process.pid is not None
        self.pid = self._process.pid

    def poll(self) -> int | None:
        return self._process.exitcode

    def wait(self, timeout: float | None = None) -> int:
        self._process.join(timeout)
        if self._process.exitcode is None:
            raise subprocess.TimeoutExpired("graphldp serve", timeout or 0)
        return self._process.exitcode

    def terminate(self) -> None:
        self._process.terminate()


class Collector:
    """``graphldp serve`` as a process of its own.

    Args:
        database: where it keeps reports.
        settings: settings by name; limits are off unless given.
        wrap: a command that runs it, such as strace.
        port: 0 takes a free one.
    """

    def __init__(
        self,
        database: str,
        settings: Mapping[str, object] | None = None,
        wrap: tuple[str, ...] = (),
        port: int = 0,
    ) -> None:
        chosen = {"address_per_minute": 0, "token_per_minute": 0, "address_connections": 0} | dict(settings or {})
        pairs = [part for name, value in chosen.items() for part in ("--set", f"{name}={value}")]
        self.wrap = wrap
        self.arguments = ["serve", "--port", str(port), "--database", database, *pairs]
        self.log = tempfile.NamedTemporaryFile("w+")  # noqa: SIM115 - closed when the collector is
        self.process: subprocess.Popen[str] | _Forked | None = None
        self.url = ""

    def start(self) -> Self:
        """Start the process, and wait until it listens."""
        if self.wrap:
            command = [*self.wrap, sys.executable, "-c", "from graphldp.cli import main; main()", *self.arguments]
            self.process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self.log, text=True
            )
        else:
            self.process = _Forked(self.arguments, self.log.name)
        assert self.process.stdout is not None
        ready, _, _ = select.select([self.process.stdout], [], [], PATIENCE)
        line = self.process.stdout.readline() if ready else ""
        if "listening on" not in line:
            self.kill()
            raise RuntimeError(f"the collector did not start: {line}{self.output()}")
        self.url = line.split()[-1]
        wait_for_port(self.port)
        return self

    @property
    def port(self) -> int:
        """The port on which it listens."""
        return int(self.url.rsplit(":", 1)[1])

    @property
    def pid(self) -> int:
        """The collector's own process, also where a wrapper started it; its own children are jobs."""
        assert self.process is not None
        if not self.wrap:
            return self.process.pid
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        return int(children[0]) if children else self.process.pid

    def kill(self) -> None:
        """SIGKILL: what a power cut is to a process."""
        if self.process is not None:
            if self.process.poll() is None:
                os.kill(self.pid, signal.SIGKILL)
            self.process.wait(PATIENCE)
            if self.process.stdout is not None:
                self.process.stdout.close()

    def stop(self) -> int:
        """SIGTERM; gives back the exit code."""
        assert self.process is not None
        if self.process.poll() is None:
            os.kill(self.pid, signal.SIGTERM)
        code = self.process.wait(PATIENCE)
        if self.process.stdout is not None:
            self.process.stdout.close()
        return code

    def output(self) -> str:
        """The lines that it logged."""
        self.log.seek(0)
        return self.log.read()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()
        self.log.close()


def wait_for_port(port: int) -> None:
    """Wait until something listens."""
    end = time.monotonic() + PATIENCE
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.02)
