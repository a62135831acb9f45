"""The cache keeps as many communities as a large collector has."""

from __future__ import annotations

import asyncio
import time
from datetime import UTC, datetime

import pytest
from sqlalchemy import insert
from tests.collector.people import CHOICES, open_cats

from graphldp.collector.community import Community
from graphldp.collector.storage import schema
from graphldp.collector.storage.community_cache import CommunityCache
from graphldp.collector.storage.database import transaction
from graphldp.collector.storage.store import Store

MANY = 20_000


def test_twenty_thousand_communities_are_read_once(store: Store) -> None:
    row = {"n": 2, "mechanism": "dprr", "choices": [each.to_json() for each in CHOICES], "epoch": 1}
    row |= {"roster": b"", "roster_digest": "", "opened_at": datetime.now(UTC), "name": "c"}
    ids = [f"c-{place}" for place in range(MANY)]
    with transaction(store.engine, writes=True) as connection:
        connection.execute(insert(schema.communities), [row | {"id": id} for id in ids])
    cache = CommunityCache(store)
    cache.read(*ids)
    assert all(cache.known(id) is not None for id in ids)


@pytest.mark.attack("collector")
def test_a_roster_is_read_once_however_many_ask_at_a_time(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Thirty members of one large community who ask at the same moment: each took the memory of its roster."""
    cats, _ = open_cats(store)
    cache, read, reads = CommunityCache(store), store.roster, list[int]()

    def slow(community: Community) -> list[str]:
        reads.append(community.key)
        time.sleep(0.2)
        return read(community)

    async def all_at_once() -> set[bytes]:
        parts = await asyncio.gather(*(cache.published(cats, user) for user in range(30)))
        return {people for _, people in parts}

    monkeypatch.setattr(store, "roster", slow)
    assert len(asyncio.run(all_at_once())) == 1
    assert reads == [cats.key]
