"""Pages of the log: newest first, searched, and the same while entries are added."""

from __future__ import annotations

import pytest
from tests.collector.people import ALICE

from graphldp.collector.roles import Actor, Role
from graphldp.collector.storage.operating import log_pages
from graphldp.collector.storage.operating.log_pages import LogWanted, last_actions, page_of_log, whole_log
from graphldp.collector.storage.store import Store
from graphldp.errors import ParameterError

BOB = Actor("bob_100%", Role.OPERATOR, "api")


@pytest.fixture
def filled(store: Store, monkeypatch: pytest.MonkeyPatch) -> Store:
    """Ten entries, read three at a time."""
    monkeypatch.setattr(log_pages, "_AT_A_TIME", 3)
    for place in range(10):
        actor, action = (ALICE, "community.close") if place % 2 else (BOB, "community.rename")
        store.audit_log.add(actor, action, f"cats-{place}" if place else None)
    return store


def numbers(store: Store, **wanted: object) -> list[int]:
    """On all pages, one after the other."""
    found: list[int] = []
    before: int | None = None
    while True:
        page = page_of_log(store, LogWanted(**wanted, before=before), most=4)  # type: ignore[arg-type]
        found += [entry.number for entry in page.entries]
        if page.older is None:
            return found
        assert len(page.entries) == 4
        before = page.older


def test_pages_hold_every_entry_once_the_newest_first(filled: Store) -> None:
    assert numbers(filled) == list(range(10, 0, -1))
    second = page_of_log(filled, LogWanted(before=7), most=4)
    filled.audit_log.add(ALICE, "community.close", "dogs")
    assert page_of_log(filled, LogWanted(before=7), most=4) == second
    assert page_of_log(filled, LogWanted()).entries[0].about == "dogs"


def test_a_search_takes_every_sign_as_it_is(filled: Store) -> None:
    assert numbers(filled, actor="alice") == [10, 8, 6, 4, 2]
    assert numbers(filled, actor="_100%") == [9, 7, 5, 3, 1]
    assert numbers(filled, actor="%") == [9, 7, 5, 3, 1]
    assert numbers(filled, actor="b__") == []
    assert numbers(filled, action="rename", about=" cats-8 ") == [9]
    assert numbers(filled, about="cats-8", actor="alice") == []
    for wrong in ("a\0b", "x" * 201, "two\nlines"):
        with pytest.raises(ParameterError, match="'about' parameter of the audit log"):
            LogWanted(about=wrong)


def test_the_whole_log_is_read_in_parts_and_ends_where_it_ended(filled: Store) -> None:
    reading = whole_log(filled)
    first = next(reading)
    filled.audit_log.add(ALICE, "community.close", "dogs")
    assert [first, *reading] == filled.audit_log.entries()[:10]
    assert list(whole_log(filled)) == filled.audit_log.entries()


def test_the_last_action_of_everybody_is_in_the_newest_entries(filled: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    times = {entry.actor: entry.at for entry in filled.audit_log.entries()}
    assert last_actions(filled) == times
    monkeypatch.setattr(log_pages, "_RECENT", 1)
    assert last_actions(filled) == {"alice": times["alice"]}
