"""Files that are whole or not there: nothing half-written is left by an error, Ctrl-C or a full disk."""

from __future__ import annotations

import errno
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


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
