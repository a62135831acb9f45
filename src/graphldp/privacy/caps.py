"""The caps on answers of ``ClosedPairs``, of many users at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from graphldp.privacy.pairs import pair_cap


def pair_caps(noisy_degrees: ArrayLike, n: int, flip: float, slack: int) -> NDArray[np.int64]:
    """:func:`~graphldp.privacy.pairs.pair_cap` of each noisy degree."""
    distinct, place = np.unique(np.asarray(noisy_degrees, np.int64), return_inverse=True)
    return np.array([pair_cap(each, n, flip, slack) for each in distinct.tolist()], np.int64)[place]
