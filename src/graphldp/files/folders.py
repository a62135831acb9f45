"""Folders that go when they were used, by an error and Ctrl-C too.

A process that is killed cannot delete its folder. The next one of the same kind does: a folder whose process is there
is locked, and the system unlocks it when the process ends, in whatever way. The locks are POSIX's.
"""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import gettempdir, mkdtemp

_LOCK = ".in-use"


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
