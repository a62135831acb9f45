"""A client of the first release, of which bytes were kept, meets the collector of today, and the other way round."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from benchmarks.services import Collector

from graphldp import wire
from graphldp.collector.storage.store import Store
from graphldp.wire import Choice, Inquiry

KEPT = json.loads(Path(__file__).with_name("release_0_1.json").read_text("utf-8"))["rows"]
OF_THIS_COLLECTOR = {"held", "answered", "sealing_key"}


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Store, httpx.Client]]:
    database = f"sqlite:///{tmp_path_factory.mktemp('releases') / 'collector.db'}"
    store = Store.open(database)
    with Collector(database) as collector, httpx.Client(base_url=collector.url, timeout=60) as http:
        yield store, http
    store.close()


@pytest.mark.parametrize("row", KEPT, ids=lambda row: row["opened"]["id"])
def test_a_report_of_the_first_release_is_taken(row: dict[str, Any], running: tuple[Store, httpx.Client]) -> None:
    """And its client finds everything where it was: a field more does not matter to it, a field less would."""
    store, http = running
    opened, shown = dict(row["opened"]), row["published"]
    choices = [Choice(*choice) for choice in opened.pop("choices")]
    inquiry = Inquiry(shown["purpose"], shown["operator"], shown["contact"])
    community = store.open_community(**opened, choices=choices, inquiry=inquiry, retention_days=90)
    token = store.invite(opened["id"], [row["user"]])[row["user"]]
    header = {"Authorization": f"Bearer {token}"}
    today = http.get(f"/v1/communities/{opened['id']}", headers=header).json()
    assert shown.keys() <= today.keys()
    assert {name: today[name] for name in shown.keys() - OF_THIS_COLLECTOR} == {
        name: value for name, value in shown.items() if name not in OF_THIS_COLLECTOR
    }
    body = bytes.fromhex(row["body"])
    put = http.put(row["path"], content=body, headers=header | {"Content-Type": row["content_type"]})
    assert put.status_code == 201
    assert [each.body for each in store.stored(community)] == [body]


@pytest.mark.parametrize("row", KEPT, ids=lambda row: row["opened"]["id"])
def test_todays_client_reads_what_the_first_release_published(row: dict[str, Any]) -> None:
    published = wire.Publication.from_json(row["published"])
    assert published.published.user == row["user"]
    assert wire.decode(bytes.fromhex(row["body"])).mechanism == row["opened"]["mechanism"]
