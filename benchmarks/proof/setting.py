"""The setting of a proof: folders, databases and servers of its own, all on loopback, all gone afterwards."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.proof.traffic import Sent
from benchmarks.services import MissingComponentError, Postgres, wait_for_port

from graphldp.collector.storage.store import Store

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Scale:
    """The size of a proof: small under continuous integration, all of it in full."""

    full: bool
    reports: int
    batched: int
    rounds: int
    kills: int

    @classmethod
    def of(cls, full: bool) -> Scale:
        """The scale that was asked for."""
        return cls(True, 100_000, 200_000, 5, 20) if full else cls(False, 6_000, 24_000, 3, 3)


@dataclass
class Finding:
    """The result of a proof: facts that must hold, and numbers worth knowing."""

    name: str
    facts: dict[str, bool] = field(default_factory=dict)
    numbers: dict[str, Any] = field(default_factory=dict)

    @property
    def holds(self) -> bool:
        """Whether all of its facts do."""
        return all(self.facts.values())


@contextmanager
def folder() -> Iterator[Path]:
    """A folder on a real disk: /tmp may be memory, where fsync means nothing."""
    made = Path(tempfile.mkdtemp(prefix="graphldp-proof-", dir="/var/tmp"))
    try:
        yield made
    finally:
        shutil.rmtree(made, ignore_errors=True)


@contextmanager
def databases(kind: str) -> Iterator[tuple[str, Postgres | None]]:
    """A fresh database of a kind, by URL, and its server where it has one."""
    if kind == "sqlite":
        with folder() as path:
            yield f"sqlite:///{path / 'collector.db'}", None
        return
    with Postgres() as server:
        yield server.create("proof"), server


@contextmanager
def baseline() -> Iterator[tuple[int, int]]:
    """The server that the collector is measured against; gives its port and its process."""
    command = [sys.executable, "-m", "benchmarks.proof.baseline"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            port = int(process.stdout.readline().rsplit(":", 1)[1])
            wait_for_port(port)
            yield port, process.pid
        finally:
            process.kill()


def need(program: str) -> str:
    """A program's path; a proof without it fails, it does not skip."""
    found = shutil.which(program)
    if found is None:
        raise MissingComponentError(f"{program} is not installed (Debian: apt-get install {program})")
    return found


def kept(store: Store, prefix: str = "") -> dict[tuple[str, int], bytes]:
    """All reports in a store, by slot."""
    return {
        (community.id, each.user): each.body
        for community in store.communities()
        if community.id.startswith(prefix)
        for each in store.stored(community)
    }


def same(found: dict[tuple[str, int], bytes], sent: Sequence[Sent]) -> bool:
    """Whether the store holds each of these, byte for byte."""
    return all(found.get((each.community, each.user)) == each.body for each in sent)
