"""Files that only their owner reads, and that are on the disk before anything is done with them.

A file is written under another name, synced, renamed over the old one, and its folder synced: after a crash or a power
cut it is the old one or the new one, never half. One lock per vault keeps two clients of one user from drawing at once.
A folder that somebody else could write to, or that is a link, is refused: its files could be anybody's.

::

    ledger.json                        what was spent, everywhere; never deleted
    memberships/KEY/invitation.json    server, community, token
                    community.json     what the community publishes, and what the user accepts
                    roster-DIGEST.json the names it published with it
                    report-EPOCH.json  the one report, and its list until a second question is answered
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from graphldp.errors import ClientError, FormatError
from graphldp.files.whole import flush

_SHARED = stat.S_IWGRP | stat.S_IWOTH


@contextmanager
def locked(home: Path) -> Iterator[None]:
    """Wait until no other client uses this vault."""
    _make(home)
    _refuse_shared(home)
    descriptor = _open(home / "lock", os.O_RDWR | os.O_CREAT)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def keep(path: Path, value: Any) -> None:
    """Write JSON so that it is whole and on the disk when this returns."""
    data = json.dumps(value).encode()
    _make(path.parent)
    _refuse_shared(path.parent)
    part = path.with_name(f".{path.name}.part")  # a fixed name: a crash leaves one at most, and the next write takes it
    try:
        with open(_open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    except OSError as error:
        part.unlink(missing_ok=True)  # a full disk needs the room
        raise OSError(error.errno, error.strerror, str(path)) from None
    flush(path.parent)


def kept(path: Path) -> Any:
    """The JSON that was kept, or None."""
    try:
        _refuse_shared(path.parent)
        with open(_open(path, os.O_RDONLY), "rb") as file:
            return json.load(file)
    except FileNotFoundError:
        return None
    except (ValueError, RecursionError):
        raise damaged(path) from None


def damaged(path: Path) -> FormatError:
    """The error of a file that is not as it was kept."""
    return FormatError(f"{path}: damaged; restore it from a backup. Nothing is drawn or sent.")


def drop(folder: Path) -> None:
    """Delete a folder and all that is in it."""
    shutil.rmtree(folder)
    flush(folder.parent)


def _open(path: Path, flags: int) -> int:
    try:
        return os.open(path, flags | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise ClientError(f"{path}: a symbolic link, which the client does not follow.") from None
        raise


def _refuse_shared(folder: Path) -> None:
    found = os.lstat(folder)
    if not stat.S_ISDIR(found.st_mode):
        raise ClientError(f"{folder}: must be a folder, not a link to one. Nothing is drawn or sent.")
    if found.st_uid != os.geteuid() or found.st_mode & _SHARED:
        raise ClientError(
            f"{folder}: others own this folder or can write to it, so its files could be theirs. Nothing is drawn or "
            "sent. Make it your own: chown it to yourself, then 'chmod go-w'."
        )


def _make(folder: Path) -> None:
    if folder.is_symlink() or folder.is_dir():
        return
    if not folder.parent.is_dir():
        _make(folder.parent)
    folder.mkdir(mode=0o700, exist_ok=True)
    flush(folder.parent)
