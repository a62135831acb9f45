"""Files that are whole or not there, and folders that go: nothing is left by an error, Ctrl-C or a full disk.

A process that is killed cannot delete its folder. The next one of the same kind does: a folder whose process is there
is locked, and the system unlocks it when the process ends, in whatever way.
"""

from __future__ import annotations

import errno
import fcntl
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import gettempdir, mkdtemp
from typing import BinaryIO

_LOCK = ".in-use"


@contextmanager
def written_whole(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file for writing under a temporary name beside ``path``; it takes the name when the block ends well."""
    target = Path(path)
    if not target.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, "there is no such folder", str(target.parent))
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, "is a folder, not a file", str(target))
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(6)}.part")
    try:
        with temporary.open("wb") as file:
            yield file
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


def flush(path: Path) -> None:
    """Wait until what a file or a folder holds is on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def passing_folder(kind: str, parent: Path | None = None) -> Iterator[Path]:
    """A folder for this block alone, for its owner's eyes only. What killed processes left of its kind goes first.

    Args:
        kind: how its name begins. All such folders are deleted whose process is gone: take a name that nobody has.
        parent: where it is made; the system's temporary folder by default.
    """
    delete_left(kind, parent)
    folder, lock = _locked(kind, parent)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)


def delete_left(kind: str, parent: Path | None = None) -> None:
    """Delete folders of :func:`passing_folder` whose processes were killed. One that cannot be deleted stays."""
    for folder in Path(parent or gettempdir()).glob(f"{kind}*/"):
        try:
            lock = os.open(folder / _LOCK, os.O_RDWR | os.O_NOFOLLOW)
        except OSError:  # somebody else's, or no such folder
            continue
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.fstat(lock).st_uid == os.geteuid():
                shutil.rmtree(folder, ignore_errors=True)
        except OSError:  # its process is there
            continue
        finally:
            os.close(lock)


def _locked(kind: str, parent: Path | None) -> tuple[Path, int]:
    """A new folder, and its lock."""
    while True:
        folder = Path(mkdtemp(prefix=kind, dir=parent))
        try:
            lock = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError:  # a full disk
            folder.rmdir()
            raise
        fcntl.flock(lock, fcntl.LOCK_EX)
        if (folder / _LOCK).exists():  # nobody took it for one that was left, before it was locked
            return folder, lock
        os.close(lock)
