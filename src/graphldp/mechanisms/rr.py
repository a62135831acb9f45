"""RR: Warner's randomized response on every bit of the list (Warner 1965; Qin et al. 2017 for graphs).

    Pr(ã_ij = a_ij) = p = e^ε/(e^ε+1)

The output is dense: about (n−1)(1−p) strangers in every list. ARR, asymmetric randomized response (Imola et al. 2022),
has one sampling probability s for all besides:

    Pr(ã_ij = 1) = p·s if a_ij = 1, else (1−p)·s

With p₁ = p·s and p₀ = 1 − (1−p)·s this is the noise-graph mechanism of Salas et al. (2023) for p₁ ≤ p₀. Its other half,
p₁ > p₀, keeps each reported 0 with probability s and makes a 1 of it otherwise: ``sampled="zeros"``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from graphldp.errors import bad_parameter, check_number
from graphldp.mechanisms.base import Rates, RowMechanism


@dataclass(frozen=True, eq=False, repr=False)
class RR(RowMechanism):
    """Randomized response: every bit is flipped with probability 1/(e^ε+1).

    Args:
        epsilon: ε of every user, or one per user; ``inf`` is a public user.
    """

    def rates(self, noisy_degree: Any, n: Any, flip: Any) -> Rates:
        """(p, 1−p)."""
        return 1 - flip, flip


@dataclass(frozen=True, eq=False, repr=False)
class ARR(RowMechanism):
    """Randomized response followed by sampling with one probability for all users.

    Args:
        epsilon: ε of every user, or one per user; ``inf`` is a public user, whose row is not sampled either.
        sampling: the probability s with which each reported entry is kept.
        sampled: which entries: ``"ones"``, which makes lists shorter, or ``"zeros"``, which makes them longer.
    """

    sampling: float = field(kw_only=True)
    sampled: Literal["ones", "zeros"] = field(default="ones", kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        must_be = "a number above 0 and at most 1"
        check_number(self.sampling, "sampling", "ARR", must_be, lambda share: 0.0 < share <= 1.0)
        if self.sampled not in ("ones", "zeros"):
            raise bad_parameter("sampled", "ARR", "'ones' or 'zeros'", self.sampled)

    def rates(self, noisy_degree: Any, n: Any, flip: Any) -> Rates:
        """(p·s, (1−p)·s); where zeros are sampled, (1 − (1−p)·s, 1 − p·s)."""
        if self.sampled == "zeros":
            return 1 - flip * self.sampling, 1 - (1 - flip) * self.sampling
        return (1 - flip) * self.sampling, flip * self.sampling
