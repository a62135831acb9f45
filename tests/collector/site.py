"""A running collector with a community, and how to talk to it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

import httpx
import pytest
from benchmarks.services import Collector
from jsonschema_rs import Draft202012Validator
from tests.collector.people import open_cats

from graphldp import wire
from graphldp.collector.http import batch
from graphldp.collector.roles import Role
from graphldp.collector.storage.store import Store
from graphldp.wire.schema import schemas

SETTINGS: dict[str, object] = {"log_level": "debug"}
HASTY = SETTINGS | {"body_seconds": 0.6, "header_seconds": 0.6, "answer_seconds": 0.6}
"""Where clients are slow on purpose; elsewhere a busy machine would make them so."""
MESSAGES = {name: Draft202012Validator(schema) for name, schema in (schemas() | batch.SCHEMAS).items()}
"""What every message must be, by its name."""


class Site:
    """A running collector with a community, and how to talk to it."""

    def __init__(self, folder: Path, settings: dict[str, object], port: int = 0) -> None:
        self.database = f"sqlite:///{folder / 'collector.db'}"
        self.store = Store.open(self.database)
        self.cats, self.tokens = open_cats(self.store)
        self.collector = Collector(self.database, settings, port=port)
        # a connection each: with short limits, one that waits on a busy machine is closed under the next request
        self.http = httpx.Client(timeout=60, limits=httpx.Limits(max_keepalive_connections=0))

    def put(self, user: int, body: bytes, token: str | None = None, **headers: str) -> httpx.Response:
        given = {"Authorization": f"Bearer {token or self.tokens[user]}", "Content-Type": wire.MEDIA_TYPE} | headers
        address = f"{self.collector.url}/v1/communities/cats/reports/{user}"
        return self.http.put(address, content=body, headers=given)


def running(made: Site) -> Iterator[Site]:
    """A site while its collector runs, for a fixture."""
    with made.collector:
        yield made
    made.http.close()
    made.store.close()


class Caller:
    """A running collector with a community, an operator's program and a viewer's.

    Args:
        folder: for the database, and for models.
        under: below which of the operators' addresses it asks.
    """

    def __init__(self, folder: Path, under: str) -> None:
        database = f"sqlite:///{folder / 'collector.db'}"
        self.store, self.under, self.models = Store.open(database), under, folder / "models"
        self.cats, self.tokens = open_cats(self.store)
        self.key = self.store.operators.add("alice", Role.OPERATOR)
        self.viewer = self.store.operators.add("eve", Role.VIEWER)
        self.collector = Collector(database, {"body_seconds": 5, "min_reports": 1})
        self.http = httpx.Client(timeout=60)

    def ask(self, method: str, path: str = "", key: str | None = None, **given: Any) -> httpx.Response:
        headers = {"Authorization": f"Bearer {key or self.key}"} | given.pop("headers", {})
        address = f"{self.collector.url}/v1/operator/{self.under}{path}"
        return self.http.request(method, address, headers=headers, **given)

    @contextmanager
    def running(self) -> Iterator[Self]:
        """While its collector runs."""
        with self.collector, self.http:
            yield self
        self.store.close()


def linux(pid: int) -> Path:
    """What Linux tells of a process."""
    if not (said := Path(f"/proc/{pid}")).exists():
        pytest.skip("needs Linux's /proc")
    return said


def problem(answer: httpx.Response) -> tuple[int, str]:
    """Status and kind of a problem, after checking that it is one."""
    assert answer.headers["content-type"] == "application/problem+json"
    body = answer.json()
    MESSAGES["problem"].validate(body)
    assert body["status"] == answer.status_code
    return answer.status_code, body["type"].rpartition(":")[2]
