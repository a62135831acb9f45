"""Labels of graphs: whole numbers, one for each graph, some of which may be missing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from graphldp.errors import DataError

NO_LABEL = int(np.iinfo(np.int64).min)  # stands among labels for a graph that has none


def check_labels(labels: ArrayLike | Sequence[int] | None, count: int) -> NDArray[np.int64] | None:
    """Labels as whole numbers, one per graph, or None."""
    if labels is None:
        return None
    array = np.asarray(labels)
    if array.shape != (count,) or (count and array.dtype.kind not in "iub"):
        raise DataError(f"labels must be {count} whole numbers, one per graph.")
    return array.astype(np.int64)


def promise(certified: int) -> str:
    """The promise, in words, that so many users cannot change a label."""
    if not certified:
        return "one user could change it"
    return f"stands whatever up to {certified:,} {'users send' if certified > 1 else 'user sends'}"


def check_labelled(labels: NDArray[Any]) -> None:
    """Refuse labels among which one is missing, before it is taken for a class."""
    without = int(np.count_nonzero(labels == NO_LABEL)) if labels.dtype.kind in "iu" else 0
    if without:
        raise DataError(
            f"{without} of {len(labels)} graphs have no label. Take the others: graphs[graphs.labelled], "
            "or 'graphldp collect export --labelled'."
        )
