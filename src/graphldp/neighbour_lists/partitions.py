"""Whether public groups were made from a private column.

Groups tell a column where each group holds one value of it: they *are* the column, or divide it further. They tell
something of it where each value is in one group: they put values together. Either may happen by accident, above all
among few users, so what is likely by accident is let pass. A group that was made from a column and then changed for
some users is not noticed: nobody can tell it from one that goes along with the column.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
_ACCIDENT = np.log(1e-9)  # small enough for thousands of columns


def made_from(groups: Ints, columns: Any, picked: Ints) -> bool:
    """Whether groups were made from any of the picked columns of an array or a sparse matrix in CSR."""
    if isinstance(columns, np.ndarray):
        return any(made_from_one(groups, columns[:, each]) for each in picked)
    likely, by_column = np.intersect1d(_whole(groups, columns), picked), columns.tocsc()
    return any(made_from_one(groups, by_column[:, [each]].toarray()[:, 0]) for each in likely)


def made_from_one(groups: Ints, column: Any) -> bool:
    """Whether groups were made from a column."""
    (one, ones), (two, twos) = (_coded(each) for each in (groups, column))
    together = len(np.unique(one * twos + two))
    if min(ones, twos) < 2 or together > max(ones, twos):
        return False
    if ones == twos:
        return True
    fine, coarse = (one, two) if ones > twos else (two, one)
    later = np.ones(len(fine), np.bool_)
    later[np.unique(fine, return_index=True)[1]] = False  # all but the first user of each kind
    share = np.bincount(coarse) / len(coarse)
    return bool(np.log(share[coarse[later]]).sum() < _ACCIDENT)


def _coded(values: Any) -> tuple[Ints, int]:
    kinds, codes = np.unique(values, return_inverse=True)
    return codes, len(kinds)


def _whole(groups: Ints, columns: Any) -> Ints:
    """The columns of a sparse matrix that can have to do with the groups: all others are 0 for a part of two groups."""
    codes, count = _coded(groups)
    row = np.repeat(np.arange(len(codes)), np.diff(columns.indptr))
    kept = columns.data != 0
    width = columns.shape[1]
    pair, users = np.unique(codes[row[kept]] * width + columns.indices[kept].astype(np.int64), return_counts=True)
    full = users == np.bincount(codes, minlength=count)[pair // width]
    partly, wholly = (np.bincount(pair[each] % width, minlength=width) for each in (~full, full))
    return np.flatnonzero(((partly == 0) & (wholly > 0)) | ((partly == 1) & (wholly == count - 1)))
