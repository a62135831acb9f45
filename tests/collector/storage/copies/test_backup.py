"""Backups of either database, and the way back, also past what is left of a broken one."""

from __future__ import annotations

import shutil
import sqlite3
import stat
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from benchmarks.services import Collector
from sqlalchemy import select, text
from tests.collector.people import ALICE, BEES, CHOICES, HUB, open_bees, open_cats, report, submission
from tests.experiments.filled_store import no_room_beyond

from graphldp import wire
from graphldp.collector.roles import Actor, Role
from graphldp.collector.storage import schema
from graphldp.collector.storage.collecting.accepting import Ruling
from graphldp.collector.storage.copies.backup import back_up, opened, put_aside, sound, unusable
from graphldp.collector.storage.copies.restoring import restore
from graphldp.collector.storage.copies.verify import verify
from graphldp.collector.storage.database import open_engine, transaction
from graphldp.collector.storage.operating.results import Prediction, Run
from graphldp.collector.storage.scrubbing import scrub
from graphldp.collector.storage.store import Store
from graphldp.errors import ForbiddenError, FormatError, StoreError

_NOT_PUT_BACK = ("sessions", "sign_ins", "sealing_keys", "audit_log", "clock", "jobs", "counters", "tombstones")
KEPT = [table for table in schema.metadata.sorted_tables if table.name not in _NOT_PUT_BACK]


def contents(store: Store) -> dict[str, list[tuple[Any, ...]]]:
    """Everything but logins, private keys, jobs, the log, the time and numbers, which do not go back."""
    with transaction(store.engine) as connection:
        return {table.name: sorted(map(tuple, connection.execute(select(table))), key=repr) for table in KEPT}


def put_back(file: Path, store: Store) -> None:
    with sound(file) as (source, _):
        restore(source, store.engine, ALICE)


@pytest.fixture
def other(tmp_path: Path) -> Iterator[Store]:
    """A second, empty store."""
    opened_store = Store.open(f"sqlite:///{tmp_path / 'other.db'}")
    yield opened_store
    opened_store.close()


def fill(store: Store) -> dict[int, str]:
    """Three communities, one in its second epoch and one in its second round; only the table of deletions is empty."""
    cats, tokens = open_cats(store, label=1)
    store.classes.name(1, "talk")
    store.accept([submission(cats, user, tokens[user], report(user)) for user in (0, 1, 2)])
    store.open_community("dogs", ["rex", "fido"], mechanism="dprr", choices=CHOICES)
    second = store.open_epoch("cats")
    store.accept([submission(second, user, tokens[user], report(user)) for user in (1, 2)])
    store.holdings.delete("cats", 0)
    store.results.set_flags(second.key, {2: "threshold"})
    store.results.add_run(Run("a.npz", 3, 90, 80, 0.75, {"seed": 1}))
    store.classes.name(1, "tabby")
    store.sign_ins.allow("group", "staff", Role.VIEWER)
    store.results.set_predictions([Prediction(cats.key, 1, 0.9, 40, "b.npz")])
    store.operators.log_in(store.operators.add("alice"), 1.0)
    open_bees(store)
    answer = wire.Answer(BEES, HUB, store.second_round.ask("bees").digest, 3).encode()
    assert store.second_round.accept("bees", HUB, 1, answer).ruling is Ruling.STORED
    return tokens


def test_a_restored_database_holds_what_the_backup_saw(store: Store, other: Store, tmp_path: Path) -> None:
    tokens = fill(store)
    store.open_community("fish", ["nemo", "dory"], mechanism="dprr", choices=CHOICES)
    store.removals.delete("fish")
    before, file = contents(store), tmp_path / "a.backup"
    assert all(before.values())
    back_up(store.engine, file)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert not list(tmp_path.glob(".a.backup*"))
    assert not list(tmp_path.glob("a.backup-*"))  # neither log nor journal: the file stands alone
    second = store.community("cats")
    store.accept([submission(second, user, tokens[user], report(user)) for user in (3, 4)])
    store.invite("cats", [1])
    store.open_community("mice", ["a", "b"], mechanism="dprr", choices=CHOICES)
    store.open_epoch("dogs")
    secret = store.operators.log_in(store.operators.add("bob"), 1.0)
    assert secret is not None
    own = {"operators": contents(store)["operators"]}  # stay in a database with a longer log
    for target, staff in ((store, own), (other, {})):  # where it came from, and a database of the other kind
        put_back(file, target)
        assert contents(target) == before | staff
        assert verify(target.engine).problems == []
        assert target.operators.session(secret) is None
        assert target.holdings.epochs("cats", 3) == []
        assert target.holder(target.community("cats"), tokens[1]) == 1
        again = submission(target.community("cats"), 3, tokens[3], report(3))
        assert target.accept([again]) == [Ruling.STORED]
        target.open_community("mice", ["a", "b"], mechanism="dprr", choices=CHOICES)  # new rows find free keys
        target.results.add_run(Run("b.npz", 3, 90, 80, None, {}))


@pytest.mark.attack("storage")
def test_a_deletion_outlives_a_restore(store: Store, tmp_path: Path) -> None:
    """A restore that undoes a deletion."""
    cats, tokens = open_cats(store)
    first, later = (submission(cats, user, tokens[user], report(user)) for user in (0, 1))
    store.accept([first])
    back_up(store.engine, tmp_path / "a.backup")
    store.accept([later])
    store.holdings.delete("cats", 0)
    store.holdings.delete("cats", 1)
    put_back(tmp_path / "a.backup", store)
    assert store.accept([first, later]) == [Ruling.DELETED, Ruling.DELETED]
    assert (store.holdings.of("cats")[0].held, store.holdings.of("cats")[0].deleted) == ([], [0, 1])
    assert verify(store.engine).problems == []
    if store.engine.dialect.name == "sqlite":
        files = [path for path in tmp_path.iterdir() if path.name.startswith("collector.db")]
        assert not any(report(0) in path.read_bytes() for path in files)


def test_a_backup_is_one_moment_of_a_busy_database(store: Store, database: str, tmp_path: Path) -> None:
    open_cats(store)
    busy, stop = Store(open_engine(database)), threading.Event()

    def renew() -> None:
        while not stop.is_set():
            busy.open_epoch("cats")

    thread = threading.Thread(target=renew)
    thread.start()
    try:
        for place in range(4):
            back_up(store.engine, tmp_path / f"{place}.backup")
    finally:
        stop.set()
        thread.join()
        busy.close()
    for place in range(4):
        with sound(tmp_path / f"{place}.backup") as (source, found):
            held = Store(source).holdings.of("cats")
            assert len(held) == found.communities
            assert {len(each.invited) for each in held} == {50}


def test_a_backup_that_fails_leaves_the_last_one(tmp_path: Path) -> None:
    store, file = Store.open(f"sqlite:///{tmp_path / 'collector.db'}"), tmp_path / "a.backup"
    open_cats(store)
    back_up(store.engine, file)
    before = file.read_bytes()
    with transaction(store.engine, writes=True) as connection:
        connection.execute(text("DROP TABLE flags"))
    with pytest.raises(StoreError, match=r"a\.backup: no backup was written\. .* \(SQLITE_ERROR\)"):
        back_up(store.engine, file)
    assert file.read_bytes() == before
    assert {path.name.split("-")[0] for path in tmp_path.iterdir()} == {"a.backup", "collector.db"}
    store.close()


def test_a_backup_for_which_there_is_no_room_leaves_the_last_one(tmp_path: Path) -> None:
    store, file = Store.open(f"sqlite:///{tmp_path / 'collector.db'}"), tmp_path / "a.backup"
    open_cats(store)
    back_up(store.engine, file)
    before = file.read_bytes()
    with no_room_beyond(len(before) // 2), pytest.raises(StoreError, match="no backup was written"):
        back_up(store.engine, file)
    assert file.read_bytes() == before
    assert {path.name.split("-")[0] for path in tmp_path.iterdir()} == {"a.backup", "collector.db"}
    back_up(store.engine, file)
    store.close()


def test_a_restore_that_fails_changes_nothing(store: Store, tmp_path: Path) -> None:
    fill(store)
    file = tmp_path / "a.backup"
    back_up(store.engine, file)
    before = contents(store)
    with opened(file) as source:
        with transaction(source, writes=True) as connection:
            connection.execute(text("DROP TABLE predictions"))
        with pytest.raises(StoreError):
            restore(source, store.engine, ALICE)
    assert contents(store) == before


@pytest.mark.attack("storage")
def test_what_is_no_whole_backup_is_refused(tmp_path: Path) -> None:
    """A file that is not a backup, or half of one."""
    store, file = Store.open(f"sqlite:///{tmp_path / 'collector.db'}"), tmp_path / "a.backup"
    fill(store)
    back_up(store.engine, file)
    good = file.read_bytes()

    def refused(match: str) -> None:
        with pytest.raises(FormatError, match=match), sound(file):
            raise AssertionError

    file.write_bytes(b"")
    refused("not a backup")
    file.write_bytes(b"nonsense" * 1000)
    refused("not a backup")
    file.unlink()
    with sqlite3.connect(file) as strange:
        strange.execute("CREATE TABLE cookies (name TEXT)")
    strange.close()
    refused("not a backup")
    for at in range(2000, len(good) - 64, len(good) // 16):  # a page of tables, or an empty one: nothing half is taken
        file.write_bytes(good[:at] + b"\xa5" * 64 + good[at + 64 :])
        try:
            with sound(file) as (source, _):
                assert contents(Store(source)) == contents(store)
        except FormatError:
            pass
    file.write_bytes(good[: len(good) // 2])
    refused("damaged")
    file.write_bytes(good)
    (tmp_path / "a.backup-wal").write_bytes(b"a part of it")
    refused("a.backup-wal")
    (tmp_path / "a.backup-wal").unlink()
    with sound(file) as (_, found):
        assert (found.communities, found.reports, found.answers) == (4, 11, 1)
    store.close()


def test_a_backup_of_another_version_is_refused_and_stays_as_it_is(store: Store, tmp_path: Path) -> None:
    file = tmp_path / "old.backup"
    open_cats(store)
    back_up(store.engine, file)
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("UPDATE alembic_version SET version_num = '0019'")
    before = file.read_bytes()
    with pytest.raises(FormatError, match=r"schema 0019 of another graphldp.*begin a new database"), sound(file):
        pass
    assert file.read_bytes() == before


@pytest.mark.attack("storage")
@pytest.mark.parametrize("left", ["a damaged file and its log", "a log alone"])
def test_the_log_of_a_lost_file_is_never_taken_for_the_restored_ones(tmp_path: Path, left: str) -> None:
    """An old log beside a restored file."""
    place = tmp_path / "place"
    place.mkdir()
    path, file = place / "collector.db", tmp_path / "a.backup"
    store = Store.open(f"sqlite:///{path}")
    cats, tokens = open_cats(store)
    store.accept([submission(cats, 0, tokens[0], report(0))])
    back_up(store.engine, file)
    before = contents(store)
    scrub(store.engine)  # the log alone cannot mend the file
    store.accept([submission(cats, user, tokens[user], report(user)) for user in range(1, 40)])
    log = Path(shutil.copy(f"{path}-wal", tmp_path))  # as a machine that lost its power leaves it
    store.close()
    shutil.copy(log, f"{path}-wal")
    path.unlink()
    if left == "a damaged file and its log":
        path.write_bytes(b"damaged" * 10_000)
    assert unusable(f"sqlite:///{path}") == path
    aside = put_aside(path)
    assert [each.exists() for each in aside] == [True] * len(aside)
    (kept,) = (each for each in aside if each.name.endswith("-wal"))
    assert kept.read_bytes() == log.read_bytes()
    assert not list(place.glob("collector.db-*"))
    store = Store.open(f"sqlite:///{path}")
    put_back(file, store)
    assert contents(store) == before
    assert verify(store.engine).problems == []
    assert unusable(f"sqlite:///{path}") is None
    store.close()


def test_a_journal_goes_with_its_file(tmp_path: Path) -> None:
    """A file in the middle of a change, as a machine that lost its power leaves it: the journal can undo the change."""
    path, lost = tmp_path / "whole.db", tmp_path / "lost" / "collector.db"
    lost.parent.mkdir()
    store = Store.open(f"sqlite:///{path}")
    cats, tokens = open_cats(store)
    store.accept([submission(cats, user, tokens[user], report(user)) for user in range(40)])
    before = contents(store)
    store.close()
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for line in ("PRAGMA journal_mode=DELETE", "PRAGMA cache_size=1", "BEGIN"):
            connection.execute(line)
        connection.execute("UPDATE reports SET body = randomblob(5000)")  # more than its cache: it is in the file
        for end in ("", "-journal"):
            shutil.copy(f"{path}{end}", f"{lost}{end}")
        connection.execute("ROLLBACK")
    assert unusable(f"sqlite:///{lost}") == lost
    aside = put_aside(lost)
    assert sorted(lost.parent.iterdir()) == sorted(aside)
    again = Store.open(f"sqlite:///{min(aside)}")
    assert contents(again) == before
    assert verify(again.engine).problems == []
    again.close()


def test_a_damaged_file_that_is_in_use_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "collector.db"
    Store.open(f"sqlite:///{path}").close()
    with Collector(f"sqlite:///{path}"):
        with path.open("r+b") as file:
            file.seek(4096)
            file.write(b"\xa5" * 4096)
        with pytest.raises(StoreError, match="Stop the server"):
            put_aside(path)
        assert path.exists()


@pytest.mark.attack("storage")
def test_the_log_of_operators_never_goes_back(store: Store, other: Store, tmp_path: Path) -> None:
    """Restore an older backup, so that the log forgets."""
    store.audit_log.add(ALICE, "community.close", "cats")
    back_up(store.engine, tmp_path / "a.backup")
    store.audit_log.add(ALICE, "community.delete", "cats")
    put_back(tmp_path / "a.backup", store)
    told = [(each.action, each.outcome) for each in store.audit_log.entries()]
    assert told == [("community.close", "begun"), ("community.delete", "begun"), ("restore", "begun")]
    assert store.audit_log.entries()[-1].about == "a backup up to entry 1"
    put_back(tmp_path / "a.backup", other)  # a new database takes the backup's over, and goes on from there
    assert [each.action for each in other.audit_log.entries()] == ["community.close", "restore"]
    back_up(other.engine, tmp_path / "b.backup")
    put_back(tmp_path / "b.backup", store)  # what it tells from entry 2 on is another story
    assert [each.outcome for each in store.audit_log.entries()] == [*(outcome for _, outcome in told), "other log"]
    for each in (store, other):
        assert each.audit_log.problem() is None


def test_only_administrators_restore(store: Store, tmp_path: Path) -> None:
    back_up(store.engine, tmp_path / "a.backup")
    with sound(tmp_path / "a.backup") as (source, _), pytest.raises(ForbiddenError):
        restore(source, store.engine, Actor("bob", Role.OPERATOR, "command line"))
