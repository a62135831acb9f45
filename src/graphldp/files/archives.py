"""Arrays in ``.npz`` files, and how much memory a file from elsewhere may ask for.

A packed file of some kilobytes can unpack to gigabytes, and the header of an array can claim any shape. So what a file
claims is compared with its size before anything is allocated.
"""

from __future__ import annotations

import math
import os
import struct
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from graphldp.errors import FormatError
from graphldp.files.whole import written_whole

_GROWTH, _FREE = 30, 1 << 20  # real edge lists unpack to 5 times their size, and a small file may be an exception
_HEADERS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}
_KIND, _FORMAT = "kind", "format"  # of a saved set
# what zipfile and NumPy raise on a file with flipped bits: one may say "encrypted", another "64 TB"
_DAMAGE = (
    *(AttributeError, LookupError, MemoryError, OSError, EOFError, RuntimeError, SyntaxError, TypeError, ValueError),
    *(OverflowError, struct.error, zipfile.BadZipFile, zlib.error),
)


def grows_too_much(unpacked: int, packed: int) -> bool:
    """Whether so many bytes from so small a file are more than any real dataset needs."""
    return unpacked > _FREE + _GROWTH * packed


def read_arrays(path: str | os.PathLike[str], what: str, *names: str, packed: bool = False) -> dict[str, NDArray[Any]]:
    """The arrays of an ``.npz`` file, by name. Runs no code from the file.

    Those that graphldp wrote take no more memory than the file has bytes: they are stored unpacked.

    Args:
        path: the file.
        what: what it should be, for the message: "a saved GraphSet".
        names: read these only; all by default.
        packed: whether they may be packed, as a real dataset can be.

    Raises:
        FormatError: for a file that is not there, not such a file, or damaged.
    """
    try:
        with Path(path).open("rb") as raw, zipfile.ZipFile(raw) as archive:
            members = archive.infolist()
            unpacked, size = sum(each.file_size for each in members), os.fstat(raw.fileno()).st_size
            stored = all(each.compress_type == zipfile.ZIP_STORED for each in members) and unpacked <= size
            if grows_too_much(unpacked, size) if packed else not stored:
                raise ValueError("packed, or its parts overlap")
            found = {each.filename.removesuffix(".npy"): each for each in members}
            return {name: _array(archive, found[name]) for name in names or found}
    except FileNotFoundError:
        raise FormatError(f"{path}: there is no such file.") from None
    except _DAMAGE:
        raise FormatError(f"{path}: not {what}, or damaged.") from None


def _array(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> NDArray[Any]:
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


def write_set(path: str | os.PathLike[str], kind: str, version: int, values: Mapping[str, Any]) -> None:
    """Write arrays, numbers and texts, and nothing for what is None; the old file stays until the new one is whole."""
    arrays = {_KIND: np.array(kind), _FORMAT: np.array(version)}
    arrays |= {name: np.asarray(value) for name, value in values.items() if value is not None}
    with written_whole(path) as file:
        np.savez(file, allow_pickle=False, **arrays)


def read_set(path: str | os.PathLike[str], kind: str, version: int) -> dict[str, Any]:
    """The values of a file that :func:`write_set` wrote. Runs no code from the file.

    Raises:
        FormatError: for a file of another kind, in another format, or damaged.
    """
    arrays: dict[str, Any] = read_arrays(path, f"a saved {kind}")
    found, stored = str(arrays.pop(_KIND, "")), _version(arrays.pop(_FORMAT, None))
    if found != kind:
        raise FormatError(f"{path}: holds {f'a {found}' if found else 'something else'}, not a {kind}.")
    if not stored:
        raise FormatError(f"{path}: not a saved {kind}, or damaged.")
    if stored > version:
        raise FormatError(f"{path}: format {stored} is newer than this graphldp reads ({version}); upgrade it.")
    if stored < version:
        raise FormatError(f"{path}: format {stored} is from before the first release; make and save it again.")
    return {name: value.item() if value.ndim == 0 else value for name, value in arrays.items()}


def kind_of(path: str | os.PathLike[str]) -> str:
    """The kind of values that a file says it holds, such as "Reports"; they are not read."""
    return str(read_arrays(path, "a file of graphs or reports", _KIND)[_KIND])


def _version(stored: Any) -> int:
    """The format of a saved file, 0 where it states none."""
    return int(stored) if isinstance(stored, np.ndarray) and stored.shape == () and stored.dtype.kind in "iu" else 0
