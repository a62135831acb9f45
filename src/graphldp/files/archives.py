"""Files from elsewhere: how much memory they may ask for.

A packed file of some kilobytes can unpack to gigabytes, and the header of an array can claim any shape. So what a file
claims is compared with its size before anything is allocated.
"""

from __future__ import annotations

import math
import os
import struct
import zipfile
import zlib
from pathlib import Path
from typing import IO, Any

from numpy.lib import format as npy
from numpy.typing import NDArray

from graphldp.errors import FormatError

_GROWTH, _FREE = 30, 1 << 20  # real edge lists unpack to 5 times their size, and a small file may be an exception
_HEADERS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}
# what zipfile and NumPy raise on a file with flipped bits: one may say "encrypted", another "64 TB"
_DAMAGE = (
    *(AttributeError, LookupError, MemoryError, OSError, EOFError, RuntimeError, SyntaxError, TypeError, ValueError),
    *(OverflowError, struct.error, zipfile.BadZipFile, zlib.error),
)


def grows_too_much(unpacked: int, packed: int) -> bool:
    """Whether so many bytes from so small a file are more than any real dataset needs."""
    return unpacked > _FREE + _GROWTH * packed


def read_arrays(path: str | os.PathLike[str], what: str, *names: str) -> dict[str, NDArray[Any]]:
    """The arrays of an ``.npz`` file that graphldp wrote, by name. Runs no code from the file.

    They take no more memory than the file has bytes: graphldp stores arrays unpacked, and a packed one is refused.

    Args:
        path: the file.
        what: what it should be, for the message: "a saved GraphSet".
        names: read these only; all by default.

    Raises:
        FormatError: for a file that is not there, not such a file, or damaged.
    """
    try:
        with Path(path).open("rb") as raw, zipfile.ZipFile(raw) as archive:
            members = archive.infolist()
            if sum(each.file_size for each in members) > os.fstat(raw.fileno()).st_size:
                raise ValueError("packed, or its parts overlap")
            found = {each.filename.removesuffix(".npy"): each for each in members}
            return {name: _array(archive, found[name]) for name in names or found}
    except FileNotFoundError:
        raise FormatError(f"{path}: there is no such file.") from None
    except _DAMAGE:
        raise FormatError(f"{path}: not {what}, or damaged.") from None


def _array(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> NDArray[Any]:
    if member.compress_type != zipfile.ZIP_STORED:
        raise ValueError("packed")
    with archive.open(member) as file:
        _check_header(file, member.file_size)
    with archive.open(member) as file:
        array: NDArray[Any] = npy.read_array(file, allow_pickle=False)
        return array


def _check_header(file: IO[bytes], size: int) -> None:
    """The shape must account for the bytes that follow: NumPy makes room for all of it before it reads."""
    shape, _, dtype = _HEADERS[npy.read_magic(file)](file)
    fits = min(shape, default=0) >= 0 and file.tell() + math.prod(shape) * dtype.itemsize == size
    if not (fits and dtype.kind in "biufU" and dtype.itemsize):  # no bytes each would allow any number of them
        raise ValueError("a header that does not fit")
