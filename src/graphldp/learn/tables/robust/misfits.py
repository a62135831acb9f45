"""Whether claims in training graphs fit together, and what may be trusted where they do not.

Honest claims fail to in at most one graph of a thousand (:mod:`graphldp.mechanisms.degrees.support`). Where more fail,
somebody lied. How many users have to be set aside until the others fit says about how many.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom

from graphldp.learn.tables.robust.agreement import Trust
from graphldp.learn.tables.robust.levels import Floats
from graphldp.mechanisms.degrees.support import MISFITS, unsupported
from graphldp.neighbour_lists import NeighbourLists
from graphldp.reports import Reports

_ALARM = 1e-3  # the probability that honest training graphs raise an alarm
_FEW = 0.02  # the share of liars up to which the many are heard


def set_aside(X: NeighbourLists) -> NDArray[np.int64]:
    """How many users of each graph make claims that do not fit; 0 where there is no d* to compare."""
    if isinstance(X, Reports) and X.noisy_degree is not None:
        return unsupported(X, theta=MISFITS)
    return np.zeros(len(X), np.int64)


def trusted(aside: NDArray[np.int64], n: Floats) -> Trust:
    """What may be used, given how many users of each training graph must be set aside."""
    misfits = aside > 0
    if np.count_nonzero(misfits) <= binom.isf(_ALARM, len(aside), MISFITS):
        return "profile"
    return "many" if aside[misfits].sum() <= _FEW * n[misfits].sum() else "size"
