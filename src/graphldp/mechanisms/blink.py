"""Blink: noisy degrees and randomized response side by side (Zhu, Tan & Xiao, CCS 2023).

A user splits ε by a share δ and sends both her noisy degree and her randomized list:

    d* = d + Lap(1/(δε)),   Pr(ã_ij = a_ij) = p = e^((1−δ)ε)/(e^((1−δ)ε)+1)

Unlike in DPRR the list is not sampled, so it is dense; the server makes a graph of both by
:func:`graphldp.learn.inference.blink.denoise`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from graphldp.errors import BETWEEN, check_number
from graphldp.mechanisms.base import Rates, RowMechanism
from graphldp.mechanisms.degrees.noise import Noise
from graphldp.privacy import Budget, allocate


@dataclass(frozen=True, eq=False, repr=False)
class Blink(RowMechanism):
    """Noisy degree and randomized response.

    Args:
        epsilon: ε of every user, or one per user; ``inf`` is a public user.
        delta: δ, the share of the degree. (No failure probability: the guarantee is pure.)
        noise: ``"laplace"``, the authors', or ``"discrete"``.

    Example::

        reports = gl.Blink(epsilon=4.0).randomize(graphs, rng=7)
        found = graphldp.learn.inference.blink.denoise(reports, "hybrid")
    """

    delta: float = field(default=0.1, kw_only=True)
    noise: Noise = field(default="laplace", kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_number(self.delta, "delta", "Blink", BETWEEN, lambda share: 0.0 < share < 1.0)

    def budget(self, n_max: int | None = None) -> Budget:
        """δε and the rest of ε."""
        return allocate(self.epsilon, "fixed", alpha=1.0 - self.delta, n_max=2, owner="Blink")

    def rates(self, noisy_degree: Any, n: Any, flip: Any) -> Rates:
        """(p, 1−p)."""
        return 1 - flip, flip
