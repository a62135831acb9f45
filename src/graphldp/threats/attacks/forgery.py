"""A forged d* that fits a fake list.

An honest list is about as long as its d* says: E[|ã|] = d* up to d* = (n−1)/2, and beyond, where DPRR's q is 1,
(2p−1)d* + (1−p)(n−1) for a true degree of d*. A forger turns this around and adds the spread that an honest list of
length L shows around its mean, √(L(1−L/(n−1))), as a factor: a list that is not empty comes from a d* above zero. For
an empty one she draws what honest empty lists come from, a d* below zero: −Exp(1/ε₁).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from graphldp.mechanisms.drawing.backend import backend
from graphldp.mechanisms.drawing.rows import UserRows
from graphldp.mechanisms.drawing.streams import Key, Stream, to_uniform
from graphldp.reports import Reports


def forged_degrees(reports: Reports, lengths: NDArray[np.int64], key: Key) -> NDArray[np.float64]:
    """A d* for every user that fits a list of the given length.

    Args:
        reports: whose laws to fit.
        lengths: of the fake lists.
        key: the seed.
    """
    uniform = to_uniform(backend().first_words(UserRows.of(reports), Stream.DEGREE, key)[:, 0])
    others = np.maximum(np.repeat(reports.sizes, reports.sizes) - 1, 1)
    with np.errstate(over="ignore"):
        flip = 1 / (np.exp(reports.epsilon2) + 1)
    steep = np.maximum(1 - 2 * flip, 1e-9)
    fitting = np.where(lengths <= others / 2, lengths, (lengths - flip * others) / steep)
    spread = np.sqrt(lengths * np.maximum(1 - lengths / others, 0.0))
    below = np.log(uniform) / np.maximum(reports.epsilon1, 1e-9)
    factor = np.exp(spread / np.maximum(fitting, 1) * ndtri(uniform))
    forged = np.where(lengths > 0, fitting * factor, below)
    if reports.noise == "discrete":
        forged = np.where(lengths > 0, np.maximum(np.round(forged), 1), np.round(forged))
    return np.asarray(forged, np.float64)
