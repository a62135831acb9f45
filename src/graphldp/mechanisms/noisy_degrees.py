"""NoisyDegrees: all of ε on the degree, empty lists. The control that a mechanism has to beat.

    d* = d + Lap(1/ε)

Whatever spends ε on edges must earn it against this (see the notes on accuracy in
``docs/mechanisms/noisy-degrees.md``).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from graphldp.mechanisms.base import Rates, RowMechanism
from graphldp.mechanisms.degrees.noise import Noise
from graphldp.privacy import Budget, degree_alone


@dataclass(frozen=True, eq=False, repr=False)
class NoisyDegrees(RowMechanism):
    """The noisy degree alone.

    Args:
        epsilon: ε of every user, or one per user; ``inf`` is a public user, who also publishes her list.
        noise: ``"laplace"`` or ``"discrete"``.
    """

    noise: Noise = field(default="laplace", kw_only=True)

    def budget(self, n_max: int | None = None) -> Budget:
        """All of ε on the degree."""
        return degree_alone(self.epsilon)

    def rates(self, noisy_degree: Any, n: Any, flip: Any) -> Rates:
        """Nothing: a private user's list is empty."""
        return 0, 0
