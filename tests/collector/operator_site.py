"""A collector with a key of each role, for tests of what is for some of them alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx
from benchmarks.services import Collector
from tests.collector.people import open_cats

from graphldp.collector.roles import Role
from graphldp.collector.storage.store import Store


class OperatorSite:
    """A collector, and a program of each role."""

    def __init__(self, folder: Path) -> None:
        database = f"sqlite:///{folder / 'collector.db'}"
        self.store = Store.open(database)
        open_cats(self.store)
        self.keys = {role: self.store.operators.add(role.title, role) for role in Role}
        self.collector = Collector(database)
        self.http = httpx.Client(timeout=60)

    def ask(self, method: str, path: str, role: Role = Role.ADMINISTRATOR, **given: Any) -> httpx.Response:
        headers = {"Authorization": f"Bearer {self.keys[role]}"}
        return self.http.request(method, f"{self.collector.url}/v1/operator{path}", headers=headers, **given)
