"""The calibration of probabilities: one temperature, and a limit set by the number of held-out graphs.

A classifier is often too sure of itself, or not sure enough. One number T, the temperature, is fitted on m graphs that
it has not learned from (Guo et al. 2017):

    q = softmax(log p / T),   T of the smallest loss  −Σ log r(true class) + 8·(log T)²

The last term is a prior, log T with a standard deviation of 1/4: a few graphs move T little away from 1. It is needed
where a network was stopped by the same graphs, which then look better than others. What is handed out is

    r = (m·q + 1) / (m + C)

for C classes: Laplace's rule of succession, as if one more graph of each class had been seen. No r is above
(m + 1)/(m + C), whatever the scores: twenty held-out graphs that were all right support 95 %, and never 100 %. Neither
step changes which class is the likeliest.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from graphldp.errors import bad_parameter, check_whole

Floats = NDArray[np.float64]

BINS = 10
"""Of a reliability table: confidences from 0 to 0.1, to 0.2 and so on."""

_TEMPERATURES = np.geomspace(1 / 16, 16.0, 161)
_PRIOR = 8.0  # on (log T)²: chosen on embedded threads, where 30 graphs stop a network
_LEAST = 1e-300  # a probability of 0 has no logarithm


@dataclass(frozen=True)
class Calibration:
    """A calibration: how probabilities are to be read.

    Args:
        temperature: T; above 1 where the classifier is too sure of itself.
        graphs: m, how many held-out graphs support it. Where none could be held out, it counts as one.
    """

    temperature: float = 1.0
    graphs: int = 1

    def __post_init__(self) -> None:
        if not 0.0 < self.temperature < float("inf"):
            raise bad_parameter("temperature", "Calibration", "a positive number", self.temperature)
        check_whole(self.graphs, "graphs", "Calibration", 1)

    @classmethod
    def fit(cls, chances: Floats, codes: NDArray[np.int64]) -> Self:
        """Choose T on graphs that the classifier has not learned from, by its own ``chances`` [graphs, classes]."""
        if not len(codes):
            return cls()
        own = np.arange(len(codes)), codes
        tried = [cls(float(each), len(codes)) for each in _TEMPERATURES]
        losses = [_PRIOR * np.log(each.temperature) ** 2 - np.log(each.apply(chances)[own]).sum() for each in tried]
        return tried[int(np.argmin(losses))]

    def apply(self, chances: Floats) -> Floats:
        """The calibrated probabilities, from the classifier's own; [graphs, classes]."""
        scores = np.log(np.maximum(chances, _LEAST)) / self.temperature
        weights = np.exp(scores - scores.max(axis=1, keepdims=True))
        sharp = weights / weights.sum(axis=1, keepdims=True)
        return np.asarray((self.graphs * sharp + 1.0) / (self.graphs + chances.shape[1]))


@dataclass(frozen=True, eq=False)
class Reliability:
    """The reliability of labels: how often they were right, by how sure the classifier was.

    Of each bin of confidence: its graphs, the sum of their confidences, and how many of their labels were right.
    """

    count: NDArray[np.int64]
    sure: Floats
    right: NDArray[np.int64]

    @property
    def error(self) -> float:
        """The expected calibration error: |right − sure| over all bins, over the graphs."""
        return float(np.abs(self.right - self.sure).sum() / max(self.count.sum(), 1))


def reliability(chances: Floats, codes: NDArray[np.int64]) -> Reliability:
    """Compare confidences, the largest of each row of ``chances`` [graphs, classes], with what came true."""
    sure, right = chances.max(axis=1), chances.argmax(axis=1) == codes
    place = np.minimum((sure * BINS).astype(np.int64), BINS - 1)
    return Reliability(
        np.bincount(place, minlength=BINS),
        np.bincount(place, sure, BINS).astype(np.float64, copy=False),  # whole for no graph at all
        np.bincount(place[right], minlength=BINS),
    )
