"""A set of graphs or reports as one ``.npz`` file: what it is, in which format, and its values by name."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from graphldp.errors import FormatError
from graphldp.files.archives import read_arrays
from graphldp.files.whole import written_whole

_KIND, _FORMAT = "kind", "format"


def write_set(path: str | os.PathLike[str], kind: str, version: int, values: Mapping[str, Any]) -> None:
    """Write arrays, numbers and texts, and nothing for what is None; the old file stays until the new one is whole."""
    arrays = {_KIND: np.array(kind), _FORMAT: np.array(version)}
    arrays |= {name: np.asarray(value) for name, value in values.items() if value is not None}
    with written_whole(path) as file:
        np.savez(file, allow_pickle=False, **arrays)


def read_set(path: str | os.PathLike[str], kind: str, newest: int) -> dict[str, Any]:
    """The values of a file that :func:`write_set` wrote. Runs no code from the file.

    Raises:
        FormatError: for a file of another kind, in a newer format than ``newest``, or damaged.
    """
    arrays: dict[str, Any] = read_arrays(path, f"a saved {kind}")
    found, version = str(arrays.pop(_KIND, "")), _version(arrays.pop(_FORMAT, None))
    if found != kind:
        raise FormatError(f"{path}: holds {f'a {found}' if found else 'something else'}, not a {kind}.")
    if not version:
        raise FormatError(f"{path}: not a saved {kind}, or damaged.")
    if version > newest:
        raise FormatError(f"{path}: format {version} is newer than this graphldp reads ({newest}); upgrade it.")
    return {name: value.item() if value.ndim == 0 else value for name, value in arrays.items()}


def kind_of(path: str | os.PathLike[str]) -> str:
    """What a file says it holds, such as "Reports"; its values are not read."""
    return str(read_arrays(path, "a file of graphs or reports", _KIND)[_KIND])


def _version(stored: Any) -> int:
    """The format of a saved file, 0 where it states none."""
    return int(stored) if isinstance(stored, np.ndarray) and stored.shape == () and stored.dtype.kind in "iu" else 0
