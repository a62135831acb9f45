"""How communities leave and what they are called, the same over SQLite and PostgreSQL."""

from __future__ import annotations

import asyncio
import threading
from contextlib import suppress
from pathlib import Path

import pytest
from sqlalchemy import func, select
from tests.collector.people import ALICE, CHOICES, HUB, N, hub_report, open_bees, open_cats, report, submission

from graphldp.collector.storage import schema
from graphldp.collector.storage.collecting.accepting import Ruling
from graphldp.collector.storage.collecting.removals import Belongings
from graphldp.collector.storage.community_cache import CommunityCache
from graphldp.collector.storage.copies.backup import back_up, sound
from graphldp.collector.storage.copies.restoring import restore
from graphldp.collector.storage.copies.verify import verify
from graphldp.collector.storage.database import transaction
from graphldp.collector.storage.operating.results import Prediction
from graphldp.collector.storage.store import Store
from graphldp.errors import ParameterError, StoreError

OF_COMMUNITIES = [schema.communities, schema.slots, schema.reports, schema.answers, schema.predictions, schema.flags]


def rows(store: Store) -> dict[str, int]:
    with transaction(store.engine) as connection:
        return {
            table.name: connection.execute(select(func.count()).select_from(table)).scalar_one()
            for table in OF_COMMUNITIES
        }


def test_a_community_goes_with_all_that_belongs_to_it_and_with_nothing_else(store: Store) -> None:
    dogs, others = open_cats(store, "dogs")
    store.accept([submission(dogs, 5, others[5], report(5))])
    before = rows(store)
    cats, tokens = open_cats(store)
    store.accept([submission(cats, user, tokens[user], b"one") for user in (2, 4)])
    store.results.set_predictions([Prediction(cats.key, 1, 0.9, 2, "model.npz")])
    second = store.open_epoch("cats")
    store.accept([submission(second, 2, tokens[2], b"two")])
    store.results.set_flags(second.key, {2: "threshold"})
    found = Belongings(users=N, epochs=2, invitations=N, reports=3, labels=1, flags=1)
    assert store.removals.belongings("cats") == found
    assert store.removals.delete("cats") == found
    assert rows(store) == before
    assert store.communities() == [dogs]
    assert store.accept([submission(second, 3, tokens[3], b"late")]) == [Ruling.UNKNOWN]
    assert store.holder(second, tokens[2]) is None
    assert rows(store) == before
    assert store.removals.delete("cats") == Belongings()  # looks after its bytes once more
    with pytest.raises(ParameterError, match="id of a community"):
        store.removals.delete("birds")
    assert verify(store.engine).problems == []


def test_answers_go_too(store: Store) -> None:
    open_bees(store)
    store.second_round.ask("bees")
    with transaction(store.engine, writes=True) as connection:
        row = {"community": store.community("bees").key, "user": HUB, "body": hub_report(HUB, 85)}
        connection.execute(schema.answers.insert().values(**row, received_on=func.current_date()))
    assert store.removals.delete("bees").answers == 1
    assert set(rows(store).values()) == {0}


@pytest.mark.attack("storage")
def test_neither_an_id_nor_a_key_is_given_twice(store: Store) -> None:
    """Delete a community, and open one that gets its number again.

    A server that knows the deleted community by its key would show its roster to the members of the next one.
    """
    cats, _ = open_cats(store)
    cache = CommunityCache(store)
    cache.read("cats")
    assert b'"cat 0"' in asyncio.run(cache.published(cats, 0))[1]
    store.removals.delete("cats")
    with pytest.raises(ParameterError, match="was deleted"):
        open_cats(store)
    dogs = store.open_community("dogs", ["rex", "fido"], mechanism="dprr", choices=CHOICES)
    assert dogs.key > cats.key
    assert b'["rex", "fido"]' in asyncio.run(cache.published(dogs, 0))[1]


@pytest.mark.attack("storage")
def test_deletion_and_reports_that_come_in_at_the_same_moment(store: Store) -> None:
    """Reports that arrive while their community is deleted."""
    cats, tokens = open_cats(store)
    rulings: list[Ruling] = []

    def accept() -> None:
        for user in range(N):
            rulings.extend(store.accept([submission(cats, user, tokens[user], b"x")]))

    thread = threading.Thread(target=accept)
    thread.start()
    with suppress(StoreError):  # a reader may keep bytes in the log: what counts here is that the rows are gone
        store.removals.delete("cats")
    thread.join()
    assert set(rulings) <= {Ruling.STORED, Ruling.UNKNOWN}
    assert set(rows(store).values()) == {0}


def test_labels_and_flags_of_a_community_that_was_deleted_meanwhile_are_dropped(store: Store) -> None:
    cats, _ = open_cats(store)
    dogs, _ = open_cats(store, "dogs")
    store.removals.delete("cats")
    store.results.set_predictions([Prediction(each.key, 1, 0.9, 2, "model.npz") for each in (cats, dogs)])
    store.results.set_flags(cats.key, {2: "threshold"})
    assert list(store.results.predictions()) == [dogs.key]
    assert store.results.flags(cats.key) == {}


@pytest.mark.attack("storage")
def test_a_deleted_community_does_not_come_back_with_a_backup(store: Store, tmp_path: Path) -> None:
    """An older backup, restored after a community was deleted."""
    cats, tokens = open_cats(store)
    store.accept([submission(cats, 2, tokens[2], report(2))])
    dogs, _ = open_cats(store, "dogs")
    back_up(store.engine, tmp_path / "old.backup")
    third, _ = open_cats(store, "birds")
    store.removals.delete("birds")  # the backup has never heard of it
    store.removals.delete("cats")
    with sound(tmp_path / "old.backup") as (backup, _):
        restore(backup, store.engine, ALICE)
    assert store.communities() == [dogs]
    assert rows(store)["reports"] == 0
    assert store.removals.erase() is False
    with pytest.raises(ParameterError, match="was deleted"):
        open_cats(store, "birds")
    assert open_cats(store, "fish")[0].key > third.key


@pytest.mark.attack("storage")
def test_a_new_name_is_the_members_only_in_the_next_epoch(store: Store) -> None:
    """A new name for a community that members have joined."""
    cats, _ = open_cats(store)
    renamed = store.rename("cats", "The cat lovers")
    assert (renamed.id, renamed.name, renamed.called) == ("cats", "cats", "The cat lovers")
    assert b'"name": "cats"' in asyncio.run(CommunityCache(store).published(renamed, 0))[0]
    assert store.rename("cats", "cats").title is None  # unsaid
    store.rename("cats", "The cat lovers")
    second = store.open_epoch("cats")
    assert (second.id, second.name, second.title) == ("cats", "The cat lovers", None)
    assert second.roster_digest == cats.roster_digest
    for wrong in ("", "cats\u202e", "c" * 201):
        with pytest.raises(ParameterError, match="'name' parameter"):
            store.rename("cats", wrong)
    with pytest.raises(ParameterError, match="id of a community"):
        store.rename("dogs", "Dogs")
