"""A collector whose PostgreSQL falls silent answers, says that it is not ready, and ends when it is told to."""

from __future__ import annotations

import httpx
import pytest
from benchmarks.services import Collector, Postgres
from tests.collector.people import open_cats, report
from tests.collector.proxy import Proxy
from tests.collector.site import problem

from graphldp import wire
from graphldp.collector.storage.store import Store


@pytest.mark.long
@pytest.mark.attack("storage")
def test_a_database_that_falls_silent_hangs_nobody(postgres: Postgres) -> None:
    """Let all connections to PostgreSQL fall silent under a server, ask it, send to it and tell it to end."""
    store = Store.open(postgres.create("silent"))
    _, tokens = open_cats(store)
    store.close()
    with Proxy(postgres.port) as proxy:
        database = f"postgresql://graphldp@127.0.0.1:{proxy.port}/silent"
        with Collector(database, {"database_seconds": 0.5}) as collector, httpx.Client(timeout=60) as http:

            def put(user: int) -> httpx.Response:
                headers = {"Authorization": f"Bearer {tokens[user]}", "Content-Type": wire.MEDIA_TYPE}
                address = f"{collector.url}/v1/communities/cats/reports/{user}"
                return http.put(address, content=report(user), headers=headers)

            assert (put(0).status_code, http.get(f"{collector.url}/readyz").status_code) == (201, 200)
            proxy.fall_silent()
            for user in range(1, 6):
                assert problem(put(user)) == (503, "store-unavailable")
            assert problem(http.get(f"{collector.url}/readyz")) == (503, "store-unavailable")
            assert http.get(f"{collector.url}/healthz").status_code == 200
            assert collector.process is not None
            collector.process.terminate()
            collector.process.wait(30)  # without a limit it would be more than a minute
            assert collector.stop() == 0
