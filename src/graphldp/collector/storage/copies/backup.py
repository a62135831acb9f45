"""Backups: one file, whichever database it was made from.

A backup is an SQLite file with the same tables, copied in one snapshot while the collector goes on, and rows in the
order of their keys. Logins, jobs and the keys that open sealed reports are left out: they do not come back. The log of
what operators did is in a backup. :mod:`.restoring` puts a backup's rows in place of a database's own; no log of
another file is ever near.
"""

from __future__ import annotations

import fcntl
import secrets
import shutil
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, Table, select
from sqlalchemy.engine import make_url

from graphldp.collector.storage import schema
from graphldp.collector.storage.copies.verify import Verified, verify
from graphldp.collector.storage.database import migrate, open_engine, revision, transaction
from graphldp.errors import FormatError, StoreError, bad_parameter
from graphldp.files.folders import passing_folder
from graphldp.files.whole import BESIDE, LOCK, MAGIC, flush, is_beside_database

_SHARED_FIRST, _SHARED_BYTES = 0x4000_0002, 510  # where SQLite's shared locks lie in a file
_IN_USE = b"\x02\x02"  # in the head of an SQLite file that has a log
_LEFT_OUT = (schema.sessions, schema.sign_ins, schema.sealing_keys, schema.jobs)
COPIED = [table for table in schema.metadata.sorted_tables if table not in _LEFT_OUT]
"""The tables that are in a backup."""


def back_up(engine: Engine, file: Path) -> None:
    """Write all that a database holds to a file, for its owner's eyes only. It is whole and on disk, or not there."""
    refuse_databases(engine, file)
    with passing_folder(".graphldp-backup-", file.parent) as folder:
        made = folder / "backup.db"
        made.touch(mode=0o600)
        target = open_engine(f"sqlite:///{made}")
        try:
            _copy(engine, target)
        except StoreError as error:  # of either database; the new one is on the disk that may be full
            raise StoreError(f"{file}: no backup was written. {error}") from None
        finally:
            target.dispose()
        flush(made)
        made.replace(file)
    flush(file.parent)


def refuse_own(engine: Engine, file: Path) -> None:
    """Refuse a file that is a database itself, or lies beside it for SQLite or a server, under whichever name."""
    if engine.dialect.name != "sqlite":
        return
    database = Path(str(engine.url.database)).resolve()  # its log lies beside the file that a link names
    for own in (database.with_name(f"{database.name}{end}") for end in ("", *BESIDE, LOCK)):
        same = file.exists() and own.exists() and file.samefile(own)
        if same or file.resolve() == own.resolve():
            raise bad_parameter("FILE", "the collector", "a file apart from the database's own", str(file))


def refuse_databases(engine: Engine, file: Path) -> None:
    """Refuse a file that a backup must not replace: a database's own, or another one that is used, or its log."""
    refuse_own(engine, file)
    if is_beside_database(file):
        raise bad_parameter("FILE", "a backup", "a file apart from those beside a database", str(file))
    if file.exists() and not file.is_file():
        raise bad_parameter("FILE", "a backup", "a file, no folder, device or pipe", str(file))
    if file.exists():
        with file.open("rb") as opened_file:
            head = opened_file.read(20)
        if head[18:20] == _IN_USE and head.startswith(MAGIC):  # a backup has no log, and is not written like this
            raise bad_parameter("FILE", "a backup", "no database that is used by a collector", str(file))


def _copy(engine: Engine, target: Engine) -> None:
    """Copy all that a database holds into a new file, which then stands alone."""
    migrate(target)
    with transaction(engine, snapshot=True) as source, transaction(target, writes=True) as connection:
        for table in COPIED:
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


def unusable(database: str) -> Path | None:
    """The file of an SQLite database that is not there, is empty or cannot be used; None for every other database."""
    url = make_url(database)
    if url.get_backend_name() != "sqlite" or not url.database:
        return None
    file = Path(url.database).resolve()  # a link stays where it is
    return None if file.exists() and file.stat().st_size and _sound(file) else file


def put_aside(file: Path) -> list[Path]:
    """Rename what is left of an SQLite database, its log and its journal included, so that a restore begins anew.

    A log without its file is put aside too: SQLite would take it for the next file's of this name. A journal holds what
    a file was before a change that was cut off: without it, the file that is put aside could never be mended.
    """
    if file.exists() and _in_use(file):
        raise StoreError(f"{file} cannot be used, and a server has it open. Stop the server first.")
    mark, moved = secrets.token_hex(3), []
    for end in (*BESIDE, ""):  # the file last: none is ever left beside a log that is not its own
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


def _without_log(engine: Engine) -> None:
    """Close an SQLite file so that it stands alone: no log beside it, and none expected."""
    connection = engine.raw_connection()
    connection.cursor().execute("PRAGMA journal_mode=DELETE")
    connection.close()
    engine.dispose()


_ROWS = 100  # at a time: rosters and reports may be large
Rows = Sequence[tuple[Any, ...]]


def copy_rows(source: Connection, target: Connection, table: Table) -> None:
    """Add all of a table's rows in one database to those in another. Both have the schema of this version.

    They go in the order of their keys: the one in which they came would tell who reported after whom.
    """
    names = ", ".join(f'"{column.name}"' for column in table.c)
    into = f'"{table.name}" ({names})'
    order = ", ".join(f'"{column.name}"' for column in table.primary_key)
    if source.dialect.name == target.dialect.name == "sqlite":
        found = source.exec_driver_sql(f'SELECT {names} FROM "{table.name}" ORDER BY {order}')  # noqa: S608 - names of our schema
        rows: Iterator[Rows] = ([tuple(row) for row in some] for some in found.partitions(_ROWS))
    else:
        rows = _translated(source, target, table)
    if target.dialect.name == "sqlite":
        places = ", ".join("?" * len(table.c))
        for some in rows:
            target.exec_driver_sql(f"INSERT INTO {into} VALUES ({places})", list(some))  # noqa: S608 - likewise
        return
    driver: Any = target.connection.cursor()
    with driver.copy(f"COPY {into} FROM STDIN") as copy:
        for some in rows:
            for row in some:
                copy.write_row(row)


def _translated(source: Connection, target: Connection, table: Table) -> Iterator[Rows]:
    """Rows with each value as the target's driver takes it."""
    dialect = target.dialect
    writers = [column.type.dialect_impl(dialect).bind_processor(dialect) for column in table.c]
    changed: list[tuple[int, Callable[[Any], Any]]] = [
        (place, write) for place, write in enumerate(writers) if write is not None
    ]
    found = source.execute(select(table).order_by(*table.primary_key), execution_options={"yield_per": _ROWS})
    for some in found.partitions():
        rows = [list(row) for row in some]
        for row in rows:
            for place, write in changed:
                row[place] = write(row[place])
        yield [tuple(row) for row in rows]
