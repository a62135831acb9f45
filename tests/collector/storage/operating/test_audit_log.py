"""The log of what operators do: it grows and changes in no other way, and says so where it was."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy import Connection, text
from tests.collector.people import ALICE

from graphldp.collector.roles import Actor, Role
from graphldp.collector.storage.copies.verify import verify
from graphldp.collector.storage.database import transaction
from graphldp.collector.storage.operating import audit_log as log_pages
from graphldp.collector.storage.operating.audit_log import LogSearch, broken
from graphldp.collector.storage.store import Store
from graphldp.errors import ParameterError, StoreError

FORGERIES = {
    "edit": ("UPDATE audit_log SET actor = 'bob' WHERE number = 3", "Entry 3 is broken"),
    "time": ("UPDATE audit_log SET at = '2020-01-01 00:00:00' WHERE number = 1", "Entry 1 is broken"),
    "delete": ("DELETE FROM audit_log WHERE number = 2", "Entry 2 is missing"),
    "behead": ("DELETE FROM audit_log WHERE number = 1", "Entry 1 is missing"),
    "delete and close the gap": (
        # by way of numbers that are free: PostgreSQL looks for doubles row after row, in whichever order rows lie
        "DELETE FROM audit_log WHERE number = 2; UPDATE audit_log SET number = -number WHERE number > 2; "
        "UPDATE audit_log SET number = -number - 1 WHERE number < 0",
        "Entry 2 is broken",
    ),
    "reorder": (
        "UPDATE audit_log SET number = -1 WHERE number = 2; UPDATE audit_log SET number = 2 WHERE number = 4; "
        "UPDATE audit_log SET number = 4 WHERE number = -1",
        "Entry 2 is broken",
    ),
    "insert": (
        "INSERT INTO audit_log SELECT 6, at, actor, role, way, action, about, outcome, digest FROM audit_log "
        "WHERE number = 5",
        "Entry 6 is broken",
    ),
}


@contextmanager
def all_rights(store: Store) -> Iterator[Connection]:
    """What somebody may do who owns the database, and takes the triggers away."""
    names = ("update", "delete") + (("truncate",) if store.engine.dialect.name == "postgresql" else ())
    of = " ON audit_log" if store.engine.dialect.name == "postgresql" else ""
    with transaction(store.engine, writes=True) as connection:
        connection.execute(text("SAVEPOINT whole"))
        for name in names:
            connection.execute(text(f"DROP TRIGGER audit_log_no_{name}{of}"))
        yield connection
        connection.execute(text("ROLLBACK TO whole"))


def fill(store: Store) -> None:
    for place in range(5):
        store.audit_log.add(ALICE, "community.close", f"cats-{place}")


def test_entries_say_who_did_what(store: Store) -> None:
    assert (store.audit_log.entries(), store.audit_log.problem()) == ([], None)
    assert store.audit_log.head() == f"0:{'0' * 64}"
    fill(store)
    entries = store.audit_log.entries()
    assert [(each.number, each.actor, each.role, each.about) for each in entries] == [
        (place + 1, "alice", "administrator", f"cats-{place}") for place in range(5)
    ]
    assert store.audit_log.entries(2) == entries[-2:]
    assert store.audit_log.head() == entries[-1].head
    assert store.audit_log.problem() is None


def test_the_database_refuses_to_change_an_entry(store: Store) -> None:
    fill(store)
    statements = ["UPDATE audit_log SET actor = 'bob'", "DELETE FROM audit_log"]
    statements += ["TRUNCATE audit_log"] if store.engine.dialect.name == "postgresql" else []
    for statement in statements:
        with pytest.raises(StoreError), transaction(store.engine, writes=True) as connection:
            connection.execute(text(statement))
    assert len(store.audit_log.entries()) == 5
    assert store.audit_log.problem() is None


@pytest.mark.attack("storage")
@pytest.mark.parametrize("name", FORGERIES)
def test_a_forgery_by_the_databases_owner_is_found(store: Store, name: str) -> None:
    """Change, delete, insert or reorder entries of the log, with all rights on the database."""
    fill(store)
    statements, found = FORGERIES[name]
    with all_rights(store) as connection:
        for statement in statements.split(";"):
            connection.execute(text(statement))
        problem = broken(connection)
    assert problem is not None
    assert problem.startswith(found)


@pytest.mark.attack("storage")
@pytest.mark.parametrize("change", ["at = 'last week'", "at = 5", "actor = x'00ff'"])
def test_an_entry_that_cannot_be_read_is_broken(tmp_path: Path, change: str) -> None:
    """Write a time that is none, or bytes for a name, into an entry (SQLite takes any value).

    SQLite takes any value for a column, and a forger may write one that is no time or no name.
    """
    store = Store.open(f"sqlite:///{tmp_path / 'collector.db'}")
    fill(store)
    with all_rights(store) as connection:
        connection.execute(text(f"UPDATE audit_log SET {change} WHERE number = 3"))
        problem = broken(connection)
    assert problem is not None
    assert problem.startswith("Entry 3 is broken")


@pytest.mark.attack("storage")
def test_what_was_cut_off_shows_against_a_head_that_was_kept(store: Store) -> None:
    """Cut off the end of the log, or write it anew."""
    fill(store)
    heads = [each.head for each in store.audit_log.entries()]
    assert [store.audit_log.problem(head) for head in (f"0:{'0' * 64}", *heads)] == [None] * 6
    with all_rights(store) as connection:
        connection.execute(text("DELETE FROM audit_log WHERE number > 3"))
        assert broken(connection) is None  # the chain alone does not tell
        assert broken(connection, heads[2]) is None
        problem = broken(connection, heads[4])
    assert problem is not None
    assert "ends with entry 3" in problem
    other = store.audit_log.problem(f"5:{'1' * 64}")
    assert other is not None
    assert "written anew" in other
    with pytest.raises(ParameterError, match="'head' parameter"):
        store.audit_log.problem("5")


def test_a_broken_log_is_found_by_verify(store: Store) -> None:
    fill(store)
    assert verify(store.engine).problems == []
    with transaction(store.engine, writes=True) as connection:  # adding is all that the database lets anybody do
        connection.execute(text(FORGERIES["insert"][0]))
    assert verify(store.engine).problems == [
        "The audit log: Entry 6 is broken: it, or its place, was changed after it was written."
    ]


BOB = Actor("bob_100%", Role.OPERATOR, "api")


@pytest.fixture
def filled(store: Store, monkeypatch: pytest.MonkeyPatch) -> Store:
    """Ten entries, read three at a time."""
    monkeypatch.setattr(log_pages, "_ROWS", 3)
    for place in range(10):
        actor, action = (ALICE, "community.close") if place % 2 else (BOB, "community.rename")
        store.audit_log.add(actor, action, f"cats-{place}" if place else None)
    return store


def numbers(store: Store, **wanted: object) -> list[int]:
    """On all pages, one after the other."""
    found: list[int] = []
    before: int | None = None
    while True:
        page = store.audit_log.page(LogSearch(**wanted, before=before), most=4)  # type: ignore[arg-type]
        found += [entry.number for entry in page.entries]
        if page.older is None:
            return found
        assert len(page.entries) == 4
        before = page.older


def test_pages_hold_every_entry_once_the_newest_first(filled: Store) -> None:
    assert numbers(filled) == list(range(10, 0, -1))
    second = filled.audit_log.page(LogSearch(before=7), most=4)
    filled.audit_log.add(ALICE, "community.close", "dogs")
    assert filled.audit_log.page(LogSearch(before=7), most=4) == second
    assert filled.audit_log.page(LogSearch()).entries[0].about == "dogs"


def test_a_search_takes_every_sign_as_it_is(filled: Store) -> None:
    assert numbers(filled, actor="alice") == [10, 8, 6, 4, 2]
    assert numbers(filled, actor="_100%") == [9, 7, 5, 3, 1]
    assert numbers(filled, actor="%") == [9, 7, 5, 3, 1]
    assert numbers(filled, actor="b__") == []
    assert numbers(filled, action="rename", about=" cats-8 ") == [9]
    assert numbers(filled, about="cats-8", actor="alice") == []
    for wrong in ("a\0b", "x" * 201, "two\nlines"):
        with pytest.raises(ParameterError, match="'about' parameter of the audit log"):
            LogSearch(about=wrong)


def test_the_whole_log_is_read_in_parts_and_ends_where_it_ended(filled: Store) -> None:
    reading = filled.audit_log.whole()
    first = next(reading)
    filled.audit_log.add(ALICE, "community.close", "dogs")
    assert [first, *reading] == filled.audit_log.entries()[:10]
    assert list(filled.audit_log.whole()) == filled.audit_log.entries()


def test_the_last_action_of_everybody_is_in_the_newest_entries(filled: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    times = {entry.actor: entry.at for entry in filled.audit_log.entries()}
    assert filled.audit_log.last_actions() == times
    monkeypatch.setattr(log_pages, "_RECENT", 1)
    assert filled.audit_log.last_actions() == {"alice": times["alice"]}
