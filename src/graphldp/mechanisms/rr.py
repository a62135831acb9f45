"""RR: Warner's randomized response on every bit of the list (Warner 1965; Qin et al. 2017 for graphs).

    Pr(ã_ij = a_ij) = p = e^ε/(e^ε+1)

The output is dense: about (n−1)(1−p) strangers in every list.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

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
