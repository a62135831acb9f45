"""Lists that lie one after the other in one array, and the pointers that say where each begins.

List i is ``entries[pointers[i]:pointers[i + 1]]``. Users' lists of friends lie so, and graphs' users.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from graphldp.errors import DataError

_ENTRY = {np.bool_: "True or False", np.int64: "a whole number"}


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """A contiguous view that nobody can write to; one value for all users stays one value in memory."""
    view = (array if array.strides == (0,) and len(array) else np.ascontiguousarray(array)).view()
    view.flags.writeable = False
    return view


def column(values: ArrayLike, name: str, kind: type, count: int | None = None, *, table: bool = False) -> NDArray[Any]:
    """One entry for each user, read-only; refused where it is of another kind, such as ``np.bool_``, or shape.

    In a ``table`` each entry is a row of numbers. ``count`` is how many users there are, where that is known.
    """
    array = np.asarray(values)
    if not np.issubdtype(array.dtype, kind) or array.ndim != 1 + table or count not in (None, len(array)):
        entry = "a row of numbers" if table else _ENTRY.get(kind, "a number")
        users = "each user" if count is None else f"each of {count} users"
        raise DataError(f"{name} must hold {entry} for {users}.")
    return read_only(array)


def gather_ranges(
    pointers: NDArray[np.int64], picked: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The members of some ranges of a pointer array, one after the other, and the new pointers."""
    starts = pointers[picked]
    lengths = pointers[picked + 1] - starts
    new = np.concatenate(([0], np.cumsum(lengths)))
    return np.arange(new[-1]) + np.repeat(starts - new[:-1], lengths), new


def lists_from_pairs(
    source: NDArray[np.int64], target: NDArray[np.int64], num_users: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """CSR pointers and sorted, duplicate-free entries from (source, target) pairs of global user numbers."""
    code = np.sort(source * num_users + target)  # np.unique hashes first, which takes sixty times as long
    order = code[np.concatenate(([True], code[1:] != code[:-1]))] if len(code) else code
    indptr = np.concatenate(([0], np.cumsum(np.bincount(order // max(num_users, 1), minlength=num_users))))
    return indptr, order % max(num_users, 1)


def whole_numbers(values: ArrayLike, name: str) -> NDArray[np.int64]:
    """Numbers as int64, refused where that would round them."""
    array = np.asarray(values)
    if array.size and array.dtype.kind not in "iu":
        raise DataError(f"{name} must hold whole numbers.")
    return array.astype(np.int64)


def check_pointers(pointers: NDArray[np.int64], name: str, end: int) -> None:
    """Refuse pointers that do not rise from 0 to the end of what they point into."""
    if len(pointers) == 0 or pointers[0] != 0 or pointers[-1] != end or (pointers[1:] < pointers[:-1]).any():
        raise DataError(f"{name} must rise from 0 to {end}.")


def check_lists(indptr: NDArray[np.int64], indices: NDArray[np.int32], graph_ptr: NDArray[np.int64]) -> None:
    """Refuse lists that are not sorted, name somebody twice, their own user, or somebody outside of her graph."""
    if not len(indices):
        return
    # one pass without a per-entry owner array: compare each list's ends, then neighbouring entries
    filled = np.flatnonzero(np.diff(indptr))
    sizes = np.diff(graph_ptr)
    sizes = np.repeat(sizes, sizes)[filled]
    low, high = indices[indptr[filled]], indices[indptr[filled + 1] - 1]
    rising = indices[1:] > indices[:-1]
    rising[indptr[filled[1:]] - 1] = True
    if not rising.all():
        user = int(np.searchsorted(indptr, int(np.flatnonzero(~rising)[0]), side="right")) - 1
        raise DataError(f"A list must be sorted and free of duplicates; user {user}'s is not.")
    if (low < 0).any() or (high >= sizes).any():
        user = int(filled[np.flatnonzero((low < 0) | (high >= sizes))[0]])
        raise DataError(f"A list must name users of its own graph (0 to n−1) only; user {user}'s does not.")
    if (loop := _self_loop(indptr, indices, graph_ptr)) is not None:
        raise DataError(f"A list must not name its own user; user {loop}'s does.")


def local_users(graph_ptr: NDArray[np.int64]) -> NDArray[np.int64]:
    """Each user's number inside her own graph."""
    users = np.arange(graph_ptr[-1])
    users -= np.repeat(graph_ptr[:-1], np.diff(graph_ptr))
    return users


def _self_loop(indptr: NDArray[np.int64], indices: NDArray[np.int32], graph_ptr: NDArray[np.int64]) -> int | None:
    local = local_users(graph_ptr).astype(np.int32)
    step = 1 << 24  # entries at a time: bounds the memory of the check on very large graphs
    cuts = np.searchsorted(indptr, np.arange(0, len(indices), step), side="right") - 1
    for start, stop in zip(cuts, [*cuts[1:], len(local)], strict=True):
        own = np.repeat(local[start:stop], np.diff(indptr[start : stop + 1]))
        hit = np.flatnonzero(indices[indptr[start] : indptr[stop]] == own)
        if len(hit):
            return int(np.searchsorted(indptr, indptr[start] + hit[0], side="right")) - 1
    return None
