"""Files that are whole or not there: nothing is left by an error, Ctrl-C or a full disk."""

from __future__ import annotations

import csv
import errno
import io
import os
import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

MAGIC = b"SQLite format 3\0"
"""How an SQLite database begins."""

BESIDE = ("-wal", "-shm", "-journal")
"""How the names of the files end that SQLite keeps beside a database."""

LOCK = ".lock"
"""How the name of the file ends by whose lock a collector says that it uses a database."""


@contextmanager
def written_whole(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file for writing under a temporary name beside ``path``; it takes the name when the block ends well."""
    target = Path(path)
    if not target.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, "there is no such folder", str(target.parent))
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, "is a folder, not a file", str(target))
    if target.exists() and not target.is_file():
        raise FileExistsError(errno.EEXIST, "is a device or a pipe, and is not replaced", str(target))
    if is_database(target):
        raise FileExistsError(errno.EEXIST, "is a database, or a part of one, and is not replaced", str(target))
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(6)}.part")
    try:
        with temporary.open("wb") as file:
            yield file
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


def is_database(path: Path) -> bool:
    """Whether a file is an SQLite database, or one that is kept beside one: neither is ever written over."""
    return _begins(path, MAGIC) or is_beside_database(path)


def is_beside_database(path: Path) -> bool:
    """Whether a file is, or would be, one that is kept beside an SQLite database."""
    ends = [end for end in (*BESIDE, LOCK) if path.name.endswith(end)]
    return any(_begins(path.with_name(path.name.removesuffix(end)), MAGIC) for end in ends)


def _begins(path: Path, head: bytes) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(len(head)) == head
    except OSError:
        return False


def flush(path: Path) -> None:
    """Wait until the content of a file or a folder is on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_new(folder: Path, files: Mapping[str, str]) -> list[Path]:
    """Write new files for their owner's eyes only: all of them, or none.

    Raises:
        FileExistsError: where one of them is there already.
    """
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    written: list[Path] = []
    try:
        for name, text in files.items():
            descriptor = os.open(folder / name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            written.append(folder / name)
            with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as file:
                file.write(text)
                file.flush()
                os.fsync(descriptor)
    except BaseException:
        for path in written:
            path.unlink(missing_ok=True)
        raise
    return written


def write_csv(path: Path, columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> None:
    """Write rows under a header; the file is whole or not there."""
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    with written_whole(path) as file:
        file.write(text.getvalue().encode())
