"""Which slots are held, and how reports leave, the same over SQLite and PostgreSQL."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from benchmarks.services import Postgres, analyze
from sqlalchemy import event, select
from tests.collector.people import CHOICES, N, open_cats, submission

from graphldp.collector.storage import schema, scrubbing
from graphldp.collector.storage.collecting.accepting import Ruling
from graphldp.collector.storage.collecting.holdings import Holding
from graphldp.collector.storage.database import open_engine, transaction
from graphldp.collector.storage.postgresql import wait_without_end
from graphldp.collector.storage.store import Store
from graphldp.collector.tokens import hashed
from graphldp.errors import ParameterError, StoreError


def test_what_is_held_by_slot_and_epoch(store: Store) -> None:
    cats, tokens = open_cats(store)
    dogs, others = open_cats(store, "dogs")
    store.accept([submission(cats, user, tokens[user], b"one") for user in (4, 2, 7)])
    store.accept([submission(dogs, 5, others[5], b"other")])
    second = store.open_epoch("cats")
    store.accept([submission(second, user, tokens[user], b"two") for user in (2, 3)])
    store.holdings.delete("cats", 4)
    everyone = list(range(N))
    assert store.holdings.of("cats") == [Holding(1, everyone, [2, 7], [4]), Holding(2, everyone, [2, 3], [])]
    assert store.holdings.of("nobody") == []
    assert [store.holdings.epochs("cats", user) for user in (2, 3, 4, 5)] == [[1, 2], [2], [1], []]


def test_deletion_never_reopens_a_slot(store: Store) -> None:
    cats, tokens = open_cats(store)
    mine = submission(cats, 2, tokens[2], b"mine")
    store.accept([mine])
    store.holdings.delete("cats", 2)
    assert store.accept([mine, submission(cats, 2, tokens[2], b"new")]) == [Ruling.DELETED, Ruling.DELETED]
    assert list(store.stored(cats)) == []
    assert store.tally.degrees(cats) == {}
    assert store.tally.of() == {cats.key: (N, 0, 1)}
    assert store.holdings.delete("cats", 2) == []  # nothing is left to delete
    with pytest.raises(ParameterError, match="holds a report"):
        store.holdings.delete("cats", 3)
    with pytest.raises(ParameterError, match="id of a community"):
        store.holdings.delete("dogs", 2)


@pytest.mark.attack("storage")
def test_deletion_reaches_every_epoch_or_the_one_that_is_asked_for(store: Store) -> None:
    """Deletion after a new epoch."""
    cats, tokens = open_cats(store)
    for epoch in (1, 2, 3):
        current = cats if epoch == 1 else store.open_epoch("cats")
        for user in (2, 3):
            assert store.accept([submission(current, user, tokens[user], b"x%d" % epoch)]) == [Ruling.STORED]
        store.results.set_flags(current.key, {2: "threshold", 3: "threshold"})
    assert store.holdings.delete("cats", 2, epoch=2) == [2]
    assert store.holdings.delete("cats", 2) == [1, 3]
    with pytest.raises(ParameterError, match="holds a report"):
        store.holdings.delete("cats", 3, epoch=4)
    assert [(each.held, each.deleted) for each in store.holdings.of("cats")] == [([3], [2])] * 3
    assert store.results.flags(cats.key) == {3: "threshold"}  # what a defense said of a report goes with it


def test_withdrawal_takes_all_that_was_sent_up_to_an_epoch(store: Store) -> None:
    cats, tokens = open_cats(store)
    epochs = [cats]
    for epoch in (1, 2, 3):
        current = cats if epoch == 1 else store.open_epoch("cats")
        epochs += [current] if epoch > 1 else []
        for user in (2, 3):
            assert store.accept([submission(current, user, tokens[user], b"x%d" % epoch)]) == [Ruling.STORED]
    store.results.set_flags(cats.key, {2: "threshold", 3: "threshold"})
    for _ in range(2):  # a request that is sent again changes nothing
        store.holdings.withdraw("cats", 2, 2)
        assert [(each.held, each.deleted) for each in store.holdings.of("cats")] == [
            ([3], [2]),
            ([3], [2]),
            ([2, 3], []),
        ]
    store.holdings.withdraw("cats", 2)
    assert [each.held for each in store.holdings.of("cats")] == [[3]] * 3
    assert [[each.user for each in store.stored(epoch)] for epoch in epochs] == [[3]] * 3
    assert store.results.flags(cats.key) == {3: "threshold"}
    assert store.tally.degrees(epochs[2]) == {3: 1}
    assert store.tally.of()[epochs[2].key] == (N, 1, 1)
    fourth = store.open_epoch("cats")  # who withdrew may still take part in what comes later
    assert store.accept([submission(fourth, 2, tokens[2], b"x4")]) == [Ruling.STORED]
    store.holdings.withdraw("cats", 2, 3)  # as a client does that was not heard before
    assert [each.user for each in store.stored(fourth)] == [2]


@pytest.mark.attack("storage")
def test_a_withdrawn_report_does_not_come_in_later(store: Store) -> None:
    """A relay, or an old copy of a vault, that brings a report after its user withdrew it.

    Whoever carries reports can hold one back, and bring it after its user withdrew it.
    """
    cats, tokens = open_cats(store)
    late = submission(cats, 2, tokens[2], b"late")
    store.holdings.withdraw("cats", 2, 1)
    assert store.accept([late]) == [Ruling.DELETED]
    store.close_community("cats")
    store.holdings.withdraw("cats", 3, 1)
    assert store.holdings.of("cats")[0].deleted == [2, 3]
    assert store.holdings.epochs("cats", 2) == [1]  # to its own client the slot is taken: nothing to send again


@pytest.mark.attack("storage")
def test_withdrawal_and_reports_that_come_in_at_the_same_moment(store: Store) -> None:
    """A report that another server stores at the moment of its withdrawal.

    Two servers on one database: whichever is first, no report stays.
    """
    cats, tokens = open_cats(store)
    rulings: list[Ruling] = []

    def accept() -> None:
        for user in range(N):
            rulings.extend(store.accept([submission(cats, user, tokens[user], b"x")]))

    thread = threading.Thread(target=accept)
    thread.start()
    for user in range(N):
        store.holdings.withdraw("cats", user)
    thread.join()
    assert set(rulings) <= {Ruling.STORED, Ruling.DELETED}
    assert list(store.stored(cats)) == []
    assert store.holdings.of("cats")[0].deleted == list(range(N))


@pytest.fixture(params=["sqlite", "postgresql"])
def files(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Store, list[Path]]]:
    """A store, and where its bytes lie: but for PostgreSQL's own log, which is used again segment by segment."""
    if request.param == "sqlite":
        path = tmp_path / "collector.db"
        store, places = Store.open(f"sqlite:///{path}"), [tmp_path]
    else:
        server: Postgres = request.getfixturevalue("postgres")
        store, places = Store.open(server.create(f"deletions_{secrets.token_hex(3)}")), [server.data / "base"]
    yield store, places
    store.close()


def looked_at(store: Store) -> None:
    """PostgreSQL keeps samples of what it looked at, and looks by itself at any moment."""
    if store.engine.dialect.name == "postgresql":
        analyze(store.engine)


def holds(store: Store, places: list[Path], *needles: bytes) -> bool:
    """Whether the files hold any of some bytes. They are read once for all: PostgreSQL has thousands."""
    if store.engine.dialect.name == "postgresql":
        with store.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            wait_without_end(connection)
            connection.exec_driver_sql("CHECKPOINT")  # what is in its memory goes to its files
    for path in (path for place in places for path in place.rglob("*") if path.is_file()):
        with suppress(FileNotFoundError):  # PostgreSQL makes files for a moment
            content = path.read_bytes()
            if any(needle in content for needle in needles):
                return True
    return False


@pytest.mark.attack("storage")
def test_deleted_bytes_leave_the_files(files: tuple[Store, list[Path]]) -> None:
    """A search for a deleted report in the database's files. A search for it in PostgreSQL's catalogue."""
    store, places = files
    cats, tokens = open_cats(store)
    bodies = {user: secrets.token_bytes(40) for user in range(N - 1)}
    large = secrets.token_bytes(30_000)  # of many pages
    store.accept([submission(cats, user, tokens[user], body) for user, body in bodies.items()])
    store.accept([submission(cats, N - 1, tokens[N - 1], large)])
    store.results.set_flags(cats.key, {9: "what a defense said of slot nine"})
    looked_at(store)
    assert holds(store, places, bodies[9])
    for user in (*range(5, 15), N - 1):
        store.holdings.delete("cats", user)
    pieces = [large[at : at + 40] for at in range(0, len(large), 1000)]
    assert not holds(store, places, *(bodies[user] for user in range(5, 15)), *pieces, b"what a defense said")
    assert holds(store, places, bodies[30])


@pytest.mark.attack("storage")
def test_a_deleted_community_leaves_the_files(files: tuple[Store, list[Path]]) -> None:
    """A search for a deleted community in the database's files."""
    store, places = files
    dogs, others = open_cats(store, "dogs")
    cats = store.open_community("cats", [secrets.token_hex(8), "bob"], mechanism="dprr", choices=CHOICES)
    tokens, gone, kept = store.invite("cats"), secrets.token_bytes(40), secrets.token_bytes(40)
    store.accept([submission(cats, 1, tokens[1], gone), submission(dogs, 1, others[1], kept)])
    with transaction(store.engine) as connection:
        roster = bytes(connection.execute(select(schema.communities.c.roster).filter_by(id="cats")).scalar_one())
    looked_at(store)
    needles = [gone, hashed(tokens[1]), roster]
    assert all(holds(store, places, needle) for needle in needles)
    store.removals.delete("cats")
    assert not holds(store, places, *needles)
    assert holds(store, places, kept)
    assert store.removals.erase() is False


def test_withdrawn_bytes_leave_the_files_with_the_next_erasure(files: tuple[Store, list[Path]]) -> None:
    store, places = files
    cats, tokens = open_cats(store)
    bodies = {user: secrets.token_bytes(40) for user in range(N)}
    store.accept([submission(cats, user, tokens[user], body) for user, body in bodies.items()])
    looked_at(store)
    assert not store.holdings.erase()  # nothing to do: the tables are left alone
    for user in (3, 4):
        store.holdings.withdraw("cats", user)
    assert store.holdings.erase()
    assert not holds(store, places, bodies[3], bodies[4])
    assert holds(store, places, bodies[5])
    assert not store.holdings.erase()
    store.holdings.withdraw("cats", 5)
    assert store.holdings.erase()
    assert not holds(store, places, bodies[5])


@pytest.mark.attack("storage")
@pytest.mark.parametrize("seen", [True, False], ids=["seen", "hidden"])
def test_a_transaction_that_still_sees_a_report_is_told_of(
    postgres: Postgres, monkeypatch: pytest.MonkeyPatch, seen: bool
) -> None:
    """A transaction that is left open while a report is deleted.

    PostgreSQL keeps what anybody can see, though she never read that table; it says so also of whom it hides.
    """
    monkeypatch.setattr(scrubbing, "_PATIENCE", 0.3)
    if not seen:
        monkeypatch.setattr(scrubbing, "_wait_for_others", lambda connection, now: True)
    store = Store.open(postgres.create(f"readers_{secrets.token_hex(3)}"))
    places, body = [postgres.data / "base"], secrets.token_bytes(40)
    cats, tokens = open_cats(store)
    store.accept([submission(cats, 0, tokens[0], body)])
    with store.engine.connect().execution_options(isolation_level="REPEATABLE READ") as reader:
        reader.exec_driver_sql("SELECT count(*) FROM runs").all()
        with pytest.raises(StoreError, match="who began before still reads"):
            store.holdings.delete("cats", 0)
        assert holds(store, places, body)
    assert store.holdings.erase()  # it was not taken for erased
    assert not holds(store, places, body)
    store.close()


def test_a_transaction_that_ends_soon_is_waited_for(postgres: Postgres) -> None:
    store = Store.open(postgres.create(f"soon_{secrets.token_hex(3)}"))
    cats, tokens = open_cats(store)
    store.accept([submission(cats, 0, tokens[0], b"body")])
    reader = store.engine.connect().execution_options(isolation_level="REPEATABLE READ")
    reader.exec_driver_sql("SELECT count(*) FROM runs").all()
    ending = threading.Timer(0.5, reader.close)
    ending.start()
    assert store.holdings.delete("cats", 0) == [1]
    ending.join()
    store.close()


def test_a_reader_that_keeps_the_log_is_told_of(tmp_path: Path) -> None:
    path = tmp_path / "collector.db"
    store = Store.open(f"sqlite:///{path}")
    cats, tokens = open_cats(store)
    store.accept([submission(cats, 0, tokens[0], b"a body to be deleted")])
    reader = open_engine(f"sqlite:///{path}")
    store.engine.dispose()
    impatient = Store(open_engine(f"sqlite:///{path}"))
    event.listen(impatient.engine, "connect", lambda opened, _: opened.execute("PRAGMA busy_timeout = 100"))
    with reader.connect() as connection:
        connection.exec_driver_sql("SELECT body FROM reports").all()
        with pytest.raises(StoreError, match="try again"):
            impatient.holdings.delete("cats", 0)
    assert impatient.holdings.delete("cats", 0) == []
    assert b"a body to be deleted" not in b"".join(each.read_bytes() for each in tmp_path.iterdir())
    impatient.close()
    reader.dispose()
