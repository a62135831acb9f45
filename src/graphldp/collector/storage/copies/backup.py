"""Backups: one file, whichever database it was made from, and the way back into either.

A backup is an SQLite file with the same tables, copied in one snapshot while the collector goes on. Restoring puts its
rows in place of a database's own, in one transaction: all of them or none, and no log of another file is ever near.
A report or a community that was deleted since the backup stays deleted, and a question that was asked since stays
asked. Logins and jobs are left out: they do not come back. So are the keys that open sealed reports: those of the
database stay. The log of what operators did is in a backup, and never goes back: a database's own stays, and goes on
where it can.
"""

from __future__ import annotations

import fcntl
import secrets
import shutil
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import date, datetime
from pathlib import Path
from typing import Any, NamedTuple

from sqlalchemy import Connection, Engine, Row, case, delete, func, insert, select, text, update
from sqlalchemy.engine import make_url

from graphldp.collector.roles import Actor, Role
from graphldp.collector.storage import schema
from graphldp.collector.storage.collecting.communities import highest_key
from graphldp.collector.storage.collecting.holdings import WITH_REPORTS
from graphldp.collector.storage.collecting.removals import Removals, remove
from graphldp.collector.storage.copies.copying import copy_rows
from graphldp.collector.storage.copies.verify import Verified, verify
from graphldp.collector.storage.database import migrate, open_engine, revision, transaction
from graphldp.collector.storage.operating.audit_log import append, carry_on, last_entry
from graphldp.collector.storage.scrubbing import scrub
from graphldp.errors import FormatError, StoreError
from graphldp.files.whole import flush, passing_folder

_SHARED_FIRST, _SHARED_BYTES = 0x4000_0002, 510  # where SQLite's shared locks lie in a file
_LEFT_OUT = (schema.sessions, schema.sign_ins, schema.sealing_keys, schema.jobs)
_STAY = (schema.audit_log, schema.clock)  # in a database that has them
_COPIED = [table for table in schema.metadata.sorted_tables if table not in _LEFT_OUT]


_ASKED = ("question", "question_digest", "asked_at", "busy_from")


class _Deleted(NamedTuple):
    """A report that is gone: of which slot, since when."""

    id: str
    epoch: int
    user: int
    received_on: date
    deleted_at: datetime


def back_up(engine: Engine, file: Path) -> None:
    """Write all that a database holds to a file, for its owner's eyes only. It is whole and on disk, or not there."""
    with passing_folder(".graphldp-backup-", file.parent) as folder:
        made = folder / "backup.db"
        made.touch(mode=0o600)
        try:
            _copy(engine, open_engine(f"sqlite:///{made}"))
        except StoreError as error:  # of either database; the new one is on the disk that may be full
            raise StoreError(f"{file}: no backup was written. {error}") from None
        flush(made)
        made.replace(file)
    flush(file.parent)


def _copy(engine: Engine, target: Engine) -> None:
    """Copy all that a database holds into a new file, which then stands alone."""
    migrate(target)
    with transaction(engine, snapshot=True) as source, transaction(target, writes=True) as connection:
        for table in _COPIED:
            copy_rows(source, connection, table)
    _without_log(target)


@contextmanager
def opened(file: Path) -> Iterator[Engine]:
    """A backup's database, brought to this version's schema. It is a copy: the backup itself stays as it is."""
    log = file.with_name(f"{file.name}-wal")
    if log.exists() and log.stat().st_size:
        raise FormatError(f"{file}: not a whole backup: a part of it is in {log.name}. 'collect backup' writes one.")
    with passing_folder("graphldp-backup-") as folder:
        copy = folder / "backup.db"
        shutil.copyfile(file, copy)
        engine = open_engine(f"sqlite:///{copy}")
        try:
            _upgrade(engine, file)
            yield engine
        finally:
            engine.dispose()


@contextmanager
def sound(file: Path) -> Iterator[tuple[Engine, Verified]]:
    """A backup's database that was verified, and what it holds."""
    with opened(file) as engine:
        try:
            found = verify(engine)
        except StoreError as error:
            raise FormatError(f"{file}: damaged. {error}") from None
        if found.problems:
            raise FormatError(f"{file}: damaged. {found.problems[0]}")
        yield engine, found


def _upgrade(engine: Engine, file: Path) -> None:
    try:
        if revision(engine) is None:  # migrating would make an empty collector of any other database
            raise FormatError(f"{file}: not a backup.")
        migrate(engine)
    except StoreError as error:
        raise FormatError(f"{file}: not a backup, or a damaged one. {error}") from None


def restore(backup: Engine, engine: Engine, actor: Actor) -> None:
    """Put a backup's rows in place of a database's own, in one transaction.

    Args:
        backup: what :func:`sound` gives.
        engine: the database, migrated.
        actor: who restores, for the log.
    """
    actor.need(Role.ADMINISTRATOR)
    with transaction(backup) as source, transaction(engine, writes=True) as target:
        if engine.dialect.name == "postgresql":
            target.execute(text("SET LOCAL statement_timeout = 0"))
            target.execute(text("LOCK TABLE communities, slots, reports, answers IN ACCESS EXCLUSIVE MODE"))
        gone, frozen = _deletions(target), _questions(target)
        removed = target.execute(select(schema.gone)).all()
        for table in reversed(schema.metadata.sorted_tables):
            if table not in (schema.sealing_keys, *_STAY):
                target.execute(table.delete())
        for table in _COPIED:
            if table not in _STAY:
                copy_rows(source, target, table)
        if not target.execute(select(schema.clock.c.key)).all():  # what time it is does not go back either
            copy_rows(source, target, schema.clock)
        told = "begun" if carry_on(source, target) else "other log"
        append(target, actor, "restore", f"a backup up to entry {last_entry(source)}", told)
        _delete_again(target, gone)
        _ask_again(target, frozen)
        _remove_again(target, removed)
        if engine.dialect.name == "postgresql":
            last_run = target.execute(select(func.coalesce(func.max(schema.runs.c.key), 0))).scalar_one()
            for table, highest in (("communities", highest_key(target)), ("runs", last_run)):
                target.execute(select(func.setval(func.pg_get_serial_sequence(table, "key"), highest + 1, False)))
    scrub(engine, *WITH_REPORTS)
    Removals(engine).erase()


def unusable(database: str) -> Path | None:
    """The file of an SQLite database that is not there, is empty or cannot be used; None for every other database."""
    url = make_url(database)
    if url.get_backend_name() != "sqlite" or not url.database:
        return None
    file = Path(url.database)
    return None if file.exists() and file.stat().st_size and _sound(file) else file


def put_aside(file: Path) -> list[Path]:
    """Rename what is left of an SQLite database, its log and its journal included, so that a restore begins anew.

    A log without its file is put aside too: SQLite would take it for the next file's of this name. A journal holds what
    a file was before a change that was cut off: without it, the file that is put aside could never be mended.

    Returns:
        The new names.

    Raises:
        StoreError: where a server still uses it.
    """
    if file.exists() and _in_use(file):
        raise StoreError(f"{file} cannot be used, and a server has it open. Stop the server first.")
    mark, moved = secrets.token_hex(3), []
    for end in ("-wal", "-shm", "-journal", ""):  # the file last: none is ever left beside a log that is not its own
        old = file.with_name(file.name + end)
        if old.exists() and (old.stat().st_size or end):
            moved.append(old.rename(file.with_name(f"{file.name}.damaged-{mark}{end}")))
    return moved


def _in_use(file: Path) -> bool:
    """Whether another process has an SQLite file open: it then holds a shared lock on bytes that SQLite sets aside."""
    with file.open("r+b") as opened_file:
        try:
            fcntl.lockf(opened_file, fcntl.LOCK_EX | fcntl.LOCK_NB, _SHARED_BYTES, _SHARED_FIRST)
        except OSError:
            return True
        return False


def _sound(file: Path) -> bool:
    """Whether SQLite can use a file with its log. It only reads: a writer would write the log into what is damaged."""
    try:
        with closing(sqlite3.connect(f"{file.resolve().as_uri()}?mode=ro", uri=True)) as connection:
            return bool(connection.execute("PRAGMA integrity_check(1)").fetchone() == ("ok",))
    except (sqlite3.Error, UnicodeDecodeError):
        return False


def _deletions(connection: Connection) -> Sequence[_Deleted]:
    table, reports = schema.communities, schema.reports
    query = (
        select(table.c.id, table.c.epoch, reports.c.user, reports.c.received_on, reports.c.deleted_at)
        .join(reports, reports.c.community == table.c.key)
        .where(reports.c.deleted_at.is_not(None))
    )
    return [_Deleted(*row) for row in connection.execute(query)]


def _delete_again(connection: Connection, gone: Sequence[_Deleted]) -> None:
    """Delete what was deleted since the backup. A slot that the backup saw empty stays taken as well."""
    table, reports = schema.communities, schema.reports
    keys = {(row.id, row.epoch): row.key for row in connection.execute(select(table.c.id, table.c.epoch, table.c.key))}
    for each in gone:
        key = keys.get((each.id, each.epoch))
        if key is None:
            continue
        values = {"body": None, "noisy_degree": None, "deleted_at": each.deleted_at}
        slot = (reports.c.community == key, reports.c.user == each.user)
        erased = case((reports.c.body.is_(None), reports.c.erased_at))  # else the backup brought its bytes back
        if not connection.execute(update(reports).where(*slot).values(**values, erased_at=erased)).rowcount:
            row = {"community": key, "user": each.user, "received_on": each.received_on}
            connection.execute(insert(reports).values(**row, **values))
        answers = schema.answers
        connection.execute(delete(answers).where(answers.c.community == key, answers.c.user == each.user))


def _remove_again(connection: Connection, removed: Sequence[Row[Any]]) -> None:
    """Delete communities that were deleted since the backup. Bytes that came back with it are erased anew."""
    table, gone = schema.communities, schema.gone
    for each in removed:
        back = connection.execute(select(table.c.key).where(table.c.id == each.id)).scalars().all()
        remove(connection, back)
        connection.execute(delete(gone).where(gone.c.id == each.id))
        connection.execute(insert(gone).values(**dict(each._mapping) | ({"erased_at": None} if back else {})))


def _questions(connection: Connection) -> Sequence[Row[Any]]:
    table = schema.communities
    columns = (table.c.id, table.c.epoch, *(table.c[name] for name in _ASKED))
    return connection.execute(select(*columns).where(table.c.asked_at.is_not(None))).all()


def _ask_again(connection: Connection, frozen: Sequence[Row[Any]]) -> None:
    """Keep what was asked since the backup: hubs have answered it, and answer no other question."""
    table = schema.communities
    for each in frozen:
        values = {name: getattr(each, name) for name in _ASKED}
        row = (table.c.id == each.id, table.c.epoch == each.epoch, table.c.asked_at.is_(None))
        connection.execute(update(table).where(*row).values(**values))


def _without_log(engine: Engine) -> None:
    """Close an SQLite file so that it stands alone: no log beside it, and none expected."""
    connection = engine.raw_connection()
    connection.cursor().execute("PRAGMA journal_mode=DELETE")
    connection.close()
    engine.dispose()
