from __future__ import annotations

import zlib
from pathlib import Path

import pytest
from sqlalchemy import text
from tests.collector.people import N, open_cats, report, submission

from graphldp.collector.storage.copies.verify import verify
from graphldp.collector.storage.database import transaction
from graphldp.collector.storage.store import Store
from graphldp.errors import DamagedError

ROSTER = [f"cat {u}" for u in range(N)]


def test_a_sound_database_has_no_problems(store: Store) -> None:
    cats, tokens = open_cats(store)
    store.accept([submission(cats, user, tokens[user], report(user)) for user in (0, 1, 2)])
    store.holdings.delete("cats", 1)
    store.open_epoch("cats")
    found = verify(store.engine)
    assert (found.communities, found.reports, found.problems) == (2, 2, [])


@pytest.mark.parametrize(
    ("change", "values", "said"),
    [
        ("UPDATE reports SET body = :x", {"x": b"nonsense"}, "slot 3: bytes that are no report of this slot's"),
        ("UPDATE reports SET body = :x", {"x": report(4)}, "slot 3: bytes that are no report of this slot's"),
        ("UPDATE reports SET body = :x", {"x": report(3, n=N + 1)}, "slot 3: bytes that are no report of this slot's"),
        ("UPDATE reports SET body = NULL", {}, "slot 3: a report without its bytes"),
        ("UPDATE reports SET noisy_degree = 4", {}, "slot 3: another noisy degree"),
        ("UPDATE reports SET deleted_on = received_on", {}, "slot 3: a deleted report that is still"),
        ('UPDATE reports SET "user" = 4', {}, "slot 4: bytes that are no report of this slot's"),
        ("UPDATE reports SET community = 0", {}, "1 reports belong to no community"),
        ("DELETE FROM slots", {}, "slot 3: a report in a slot without a token"),
        ('UPDATE slots SET "user" = 60 WHERE "user" = 5', {}, "1 tokens for slots that the roster does not have"),
        ("UPDATE communities SET roster = :x", {"x": b"nonsense"}, "cannot be read"),
        ("UPDATE communities SET roster = :x", {"x": zlib.compress(b"ann\nbob")}, "2 names in the roster"),
        (
            "UPDATE communities SET roster = :x",
            {"x": zlib.compress("\n".join(ROSTER[::-1]).encode())},
            "not the one of its digest",
        ),
        ("UPDATE communities SET choices = :x", {"x": '[{"name": 1}]'}, "cannot be read"),
    ],
)
def test_every_kind_of_damage_is_found(store: Store, change: str, values: dict[str, object], said: str) -> None:
    cats, tokens = open_cats(store)
    store.accept([submission(cats, 3, tokens[3], report(3))])
    assert verify(store.engine).problems == []
    with transaction(store.engine, writes=True) as connection:
        connection.execute(text(change), values)
    assert said in "\n".join(verify(store.engine).problems)


@pytest.mark.attack("storage")
@pytest.mark.parametrize("change", ["opened_at = 'last week'", "opened_at = x'00ff'", "choices = '[{'"])
def test_a_row_that_cannot_be_read_is_a_problem_too(tmp_path: Path, change: str) -> None:
    """Write a time that is none, or bytes for a name, into an entry (SQLite takes any value)."""
    store = Store.open(f"sqlite:///{tmp_path / 'collector.db'}")
    open_cats(store)
    with transaction(store.engine, writes=True) as connection:
        connection.execute(text(f"UPDATE communities SET {change}"))  # SQLite takes anything
    with pytest.raises(DamagedError, match="a row holds what its column cannot"):
        store.communities()
    assert verify(store.engine).problems == ["A row holds what its column cannot."]
    store.close()
