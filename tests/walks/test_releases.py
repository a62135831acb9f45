"""A client of the first release, of which bytes were kept, meets the collector of today, and the other way round."""

from __future__ import annotations

import json
from collections.abc import Iterator
from math import inf
from pathlib import Path
from typing import Any

import httpx
import pytest
from benchmarks.services import Collector

from graphldp import wire
from graphldp.collector.storage.store import Store
from graphldp.wire import Choice, Inquiry
from graphldp.wire.layout import LAYOUTS

KEPT = json.loads(Path(__file__).with_name("release_0_1.json").read_text("utf-8"))["rows"]
OF_THIS_COLLECTOR = {"held", "answered", "answer_until", "sealing_key"}


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
    choices = [
        Choice(name, *(inf if each is None else each for each in parts)) for name, *parts in opened.pop("choices")
    ]
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
    assert wire.decode(bytes.fromhex(row["body"])).mechanism in (row["opened"]["mechanism"], "public")


def test_each_kind_of_report_was_kept() -> None:
    assert {wire.decode(bytes.fromhex(row["body"])).mechanism for row in KEPT} == LAYOUTS.keys()


def test_an_answer_of_the_first_release_is_taken(running: tuple[Store, httpx.Client]) -> None:
    """To the question that its client saw: today's collector asks it byte for byte when the same reports are there."""
    store, http = running
    (row,) = [row for row in KEPT if "answer" in row]
    community = row["opened"]["id"] + "-again"
    choices = [Choice(*choice) for choice in row["opened"]["choices"]]
    store.open_community(community, row["opened"]["roster"], mechanism=row["opened"]["mechanism"], choices=choices)
    tokens, bodies = store.invite(community), row["others"] | {row["user"]: row["body"]}
    for user, body in bodies.items():
        header = {"Authorization": f"Bearer {tokens[int(user)]}", "Content-Type": row["content_type"]}
        put = http.put(
            f"/v1/communities/{community}/reports/{user}?epoch=1", content=bytes.fromhex(body), headers=header
        )
        assert put.status_code == 201
    store.second_round.ask(community)
    header = {"Authorization": f"Bearer {tokens[row['user']]}"}
    assert http.get(f"/v1/communities/{community}/question?epoch=1", headers=header).content.hex() == row["question"]
    header["Content-Type"] = "application/vnd.graphldp.answer"
    path = f"/v1/communities/{community}/answers/{row['user']}?epoch=1"
    assert http.put(path, content=bytes.fromhex(row["answer"]), headers=header).status_code == 201
