"""What we recommend for classes of single users, by ε alone. The lab and the live service read it here.

Below ``LINKS_FROM`` friends are counted by public group: one friendship changes one count, so noise of 1/ε hides it.
From there on lists under randomized response tell nearly the whole graph.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

LINKS_FROM = 5.0  # the ε from which on lists tell more of single users than counts by group


def advised_for_nodes(epsilons: Iterable[float]) -> str:
    """Which mechanism we recommend for classes of single users, by name.

    Args:
        epsilons: what users spend; ``inf`` is a public user, who has no say in it.
    """
    finite = [each for each in epsilons if math.isfinite(each)]
    return "rr" if finite and all(each >= LINKS_FROM for each in finite) else "friend-counts"
