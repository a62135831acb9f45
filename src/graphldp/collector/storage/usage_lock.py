"""A lock for servers and jobs, which use a database for long. A restore is refused while there is one.

In PostgreSQL each connection of a server holds a shared advisory lock, so a server that lost its connections is known
again with the next one. Beside an SQLite file lies a file for the lock. The database itself is not locked: to close one
more handle of it would let go of SQLite's own locks.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, event, func, select

from graphldp.errors import StoreError
from graphldp.files.whole import LOCK

_USED = 0x6772_7573  # one of PostgreSQL's advisory locks: "graphldp is used"
_RESTORED = "The database is being restored. Start again when that is done."
_CONNECTED = "A server or a job is connected to the database. Stop it first, and start it again after the restore."
_LINKED = (
    "The database's file has another name too, a hard link: who uses it by that one is not seen. Delete the link first."
)


def enter(engine: Engine) -> Callable[[], None]:
    """Use a database from now on; gives what is to be called in the end.

    Raises:
        StoreError: while the database is restored; in PostgreSQL a connection raises it, now or later.
    """
    if engine.dialect.name == "postgresql":
        event.listen(engine, "connect", _share)
        return lambda: None
    lock = _locked(engine, fcntl.LOCK_SH, _RESTORED)
    return lambda: os.close(lock)


@contextmanager
def alone(connection: Connection) -> Iterator[None]:
    """Keep servers and jobs out for this block, within one transaction."""
    if connection.dialect.name == "postgresql":
        if not connection.execute(select(func.pg_try_advisory_xact_lock(_USED))).scalar_one():
            raise StoreError(_CONNECTED)
        yield
        return
    if Path(str(connection.engine.url.database)).stat().st_nlink > 1:
        raise StoreError(_LINKED)
    lock = _locked(connection.engine, fcntl.LOCK_EX, _CONNECTED)
    try:
        yield
    finally:
        os.close(lock)


def _share(connection: Any, _record: Any) -> None:
    with connection.cursor() as cursor:
        got = cursor.execute(f"SELECT pg_try_advisory_lock_shared({_USED})").fetchone()[0]
    connection.commit()
    if not got:
        connection.close()
        raise StoreError(_RESTORED)


def _locked(engine: Engine, kind: int, otherwise: str) -> int:
    # by whichever link it was opened: SQLite too has its own files beside the one that is meant
    database = Path(str(engine.url.database)).resolve()
    lock = os.open(f"{database}{LOCK}", os.O_RDWR | os.O_CREAT, 0o600)
    owner = database.stat()
    if os.geteuid() == 0 and os.fstat(lock).st_uid != owner.st_uid:  # as SQLite does: the owner runs the server
        os.fchown(lock, owner.st_uid, owner.st_gid)
    try:
        fcntl.flock(lock, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(lock)
        raise StoreError(otherwise) from None
    return lock
