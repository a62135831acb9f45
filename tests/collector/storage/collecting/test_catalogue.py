"""The catalogue keeps as many communities as a large collector has."""

from __future__ import annotations

from datetime import UTC, datetime

from sqlalchemy import insert
from tests.collector.people import CHOICES

from graphldp.collector.storage import schema
from graphldp.collector.storage.collecting.catalogue import Catalogue
from graphldp.collector.storage.database import transaction
from graphldp.collector.storage.store import Store

MANY = 20_000


def test_twenty_thousand_communities_are_read_once(store: Store) -> None:
    row = {"n": 2, "mechanism": "dprr", "choices": [each.to_json() for each in CHOICES], "epoch": 1}
    row |= {"roster": b"", "roster_digest": "", "opened_at": datetime.now(UTC), "name": "c"}
    ids = [f"c-{place}" for place in range(MANY)]
    with transaction(store.engine, writes=True) as connection:
        connection.execute(insert(schema.communities), [row | {"id": id} for id in ids])
    catalogue = Catalogue(store)
    catalogue.read(*ids)
    assert all(catalogue.known(id) is not None for id in ids)
