"""More noise on a noisy degree, which gives it the law of a smaller ε: gradual release, backwards.

Noise of ε₁ < ε is noise of ε plus an independent step, which is 0 with probability s and else noise of ε₁
(Koufogiannis, Han & Pappas, *Gradual Release of Sensitive Data under Differential Privacy*, 2017, for Laplace):

    Laplace    s = (ε₁/ε)²
    discrete   s = (r/r₁)·((1 − r₁)/(1 − r))²,   r = e^(−ε), r₁ = e^(−ε₁)

Both follow from the quotient of the two laws' generating functions (``docs/mechanisms/hub-lists.md``). Whoever knows
the finer number learns nothing more from the coarser one, so the two together cost ε, not ε + ε₁.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphldp.mechanisms.degrees.noise import Noise, noise_of
from graphldp.mechanisms.drawing import backend
from graphldp.mechanisms.drawing.rows import UserRows
from graphldp.mechanisms.drawing.streams import Key, Stream, to_uniform

Floats = NDArray[np.float64]


def staying(fine: Any, coarse: Any, noise: Noise) -> Any:
    """s, the probability that the step from ε = ``fine`` to ε₁ = ``coarse`` is 0."""
    if noise == "laplace":
        return (coarse / fine) ** 2
    return np.exp(coarse - fine) * (np.expm1(-coarse) / np.expm1(-fine)) ** 2


def coarser(rows: UserRows, degree: Floats, fine: Floats, coarse: Floats, noise: Noise, key: Key) -> Floats:
    """Noisy degrees of ε = ``fine``, made as noisy as those of ε₁ = ``coarse`` ≤ ε; public ones stay as they are."""
    chance = to_uniform(backend.first_words(rows, Stream.STEP, key)[:, 0])
    step = noise_of(rows, coarse, noise, Stream.STEP_SIZE, key)
    with np.errstate(invalid="ignore"):  # ∞ − ∞ of a public user
        stays = np.isinf(fine) | (chance < staying(fine, coarse, noise))
    return np.where(stays, degree, degree + step)
