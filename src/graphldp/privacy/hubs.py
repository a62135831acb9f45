"""Who counts as a hub, and who as busy, by public numbers alone. The lab and the live service read them here."""

from __future__ import annotations

import math

from graphldp.privacy.utility import public_mean_degree

HUB_TIMES = 10.0
BUSY_FROM = 6


def hub_from(n: int, times: float = HUB_TIMES) -> int | None:
    """The noisy degree from which on a user of a community of n looks like a hub; None where nobody can.

    It is ``times`` the mean degree that a community of n is publicly guessed to have, rounded up: for whole numbers,
    being at least that and being at least the guess itself are the same.
    """
    least = math.ceil(times * public_mean_degree(n))
    return least if n > 1 and least <= n - 1 else None
