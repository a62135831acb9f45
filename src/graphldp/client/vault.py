"""Files that only their owner reads, and that are on the disk before anything is done with them.

A file is written under another name, synced, renamed over the old one, and its folder synced: after a crash or a power
cut it is the old one or the new one, never half. One lock per vault keeps two clients of one user from drawing at once.

::

    ledger.json                       what was spent, everywhere; never deleted
    memberships/KEY/invitation.json   server, community, token
                    community.json    what the community publishes, and what the user accepts
                    report-EPOCH.json the list and the one report drawn from it
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from graphldp.errors import FormatError


@contextmanager
def locked(home: Path) -> Iterator[None]:
    """Wait until no other client uses this vault."""
    _make(home)
    descriptor = os.open(home / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def keep(path: Path, value: Any) -> None:
    """Write JSON so that it is whole and on the disk when this returns."""
    _make(path.parent)
    part = path.with_name(f".{path.name}.part")  # a fixed name: a crash leaves one at most, and the next write takes it
    descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with open(descriptor, "wb") as file:
        file.write(json.dumps(value).encode())
        file.flush()
        os.fsync(file.fileno())
    os.replace(part, path)
    _sync(path.parent)


def kept(path: Path) -> Any:
    """What was kept, or None."""
    try:
        return json.loads(path.read_bytes())
    except FileNotFoundError:
        return None
    except ValueError:
        raise FormatError(f"{path}: damaged; restore it from a backup. Nothing is drawn or sent.") from None


def drop(folder: Path) -> None:
    """Delete a folder and all that is in it."""
    shutil.rmtree(folder)
    _sync(folder.parent)


def _make(folder: Path) -> None:
    if folder.is_dir():
        return
    if not folder.parent.is_dir():
        _make(folder.parent)
    folder.mkdir(mode=0o700, exist_ok=True)
    _sync(folder.parent)


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
