"""Keys for sealed reports: published, kept for a while, deleted from the files, in no backup."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import select, update
from tests.collector.people import ALICE, open_cats, report

from graphldp.client.sending.sealing import seal
from graphldp.collector.storage import schema
from graphldp.collector.storage.copies.backup import back_up, sound
from graphldp.collector.storage.copies.restoring import restore
from graphldp.collector.storage.database import transaction
from graphldp.collector.storage.operating.sealing_keys import UnknownKeyError
from graphldp.collector.storage.store import Store
from graphldp.wire import Inner

INNER = Inner("report", 1, 2, "2.token", report(2))
MONTH, NOW = timedelta(days=30), timedelta(0)


def sealed(public: bytes) -> bytes:
    return seal(INNER, community="cats", n=50, public=public)


def private_keys(store: Store) -> list[bytes]:
    with transaction(store.engine) as connection:
        return [bytes(each) for each in connection.execute(select(schema.sealing_keys.c.private)).scalars()]


def test_the_newest_key_is_published_and_the_one_before_opens_for_a_while(store: Store) -> None:
    assert store.sealing_keys.published() is None
    assert store.sealing_keys.listed() == []
    first = store.sealing_keys.rotate(MONTH)
    second = store.sealing_keys.rotate(MONTH)
    assert store.sealing_keys.published() == second.public
    assert [each.id for each in store.sealing_keys.listed()] == [second.id, first.id]
    for key in (first, second):
        assert store.sealing_keys.opener().open("cats", sealed(key.public)) == INNER
    third = store.sealing_keys.rotate(NOW)  # the second goes at once, the first keeps its month
    assert [each.id for each in store.sealing_keys.listed()] == [third.id, first.id]
    with pytest.raises(UnknownKeyError):
        store.sealing_keys.opener().open("cats", sealed(second.public))
    assert store.sealing_keys.opener().open("cats", sealed(first.public)) == INNER


def test_a_key_whose_time_is_over_opens_nothing_and_is_deleted(store: Store) -> None:
    first = store.sealing_keys.rotate(MONTH)
    store.sealing_keys.rotate(MONTH)
    table = schema.sealing_keys
    with transaction(store.engine, writes=True) as connection:
        past = datetime.now(UTC) - timedelta(seconds=1)
        connection.execute(update(table).where(table.c.id == first.id).values(retires_at=past))
    with pytest.raises(UnknownKeyError):
        store.sealing_keys.opener().open("cats", sealed(first.public))
    assert len(private_keys(store)) == 2
    store.sealing_keys.drop_retired(store.clock.tick())
    assert len(private_keys(store)) == 1


@pytest.mark.attack("storage")
def test_a_retired_key_leaves_the_files(tmp_path: Path) -> None:
    """A private key from a backup, or from the files after its rotation."""
    store = Store.open(f"sqlite:///{tmp_path / 'collector.db'}")
    store.sealing_keys.rotate(MONTH)
    (secret,) = private_keys(store)
    assert any(secret in path.read_bytes() for path in tmp_path.iterdir())
    store.sealing_keys.rotate(NOW)
    assert not any(secret in path.read_bytes() for path in tmp_path.iterdir())
    store.close()


@pytest.mark.attack("storage")
def test_keys_are_in_no_backup_and_outlive_a_restore(store: Store, tmp_path: Path) -> None:
    """A private key from a backup, or from the files after its rotation."""
    open_cats(store)
    store.sealing_keys.rotate(MONTH)
    file = tmp_path / "a.backup"
    back_up(store.engine, file)
    assert not any(secret in file.read_bytes() for secret in private_keys(store))
    later = store.sealing_keys.rotate(MONTH)
    with sound(file) as (source, _):
        assert private_keys(Store(source)) == []
        restore(source, store.engine, ALICE)
    assert store.sealing_keys.published() == later.public
    assert len(private_keys(store)) == 2
