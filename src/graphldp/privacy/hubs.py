"""The mechanism that we recommend, and who counts as a hub, by public numbers alone: the lab's and the service's rules.

A hub has many times the mean degree that a community of n is publicly guessed to have: ``HUB_TIMES`` where hubs are
asked for two counts, ``LIST_TIMES`` where they send a list.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from graphldp.privacy.utility import public_mean_degree

HUB_TIMES = 10.0
LIST_TIMES = 15.0
LIST_SHARE = 0.2  # of ε, what a hub who sends a list spends on her degree
LISTS_ABOVE = 1.0  # the ε up to which no list is worth its share of it
COUNTS_FROM = 0.5  # the ε below which a second question adds nothing
BUSY_FROM = 6
LINKS_FROM = 5.0  # the ε from which on lists tell more of single users than counts by group


def hub_from(n: int, times: float) -> int | None:
    """The noisy degree from which on a user of a community of n looks like a hub; None where nobody can.

    It is ``times`` the mean degree that a community of n is publicly guessed to have, rounded up: for whole numbers,
    being at least that and being at least the guess itself are the same.
    """
    least = math.ceil(times * public_mean_degree(n))
    return least if n > 1 and least <= n - 1 else None


def advised(epsilons: Iterable[float], rounds: int = 1) -> str:
    """The mechanism that we recommend, by name: the one rule of ``gl.recommended`` and of the collector.

    It goes by what users spend; ``inf`` is a public user, who has no say in it. With two rounds, hubs can be asked a
    second question.
    """
    finite = [each for each in epsilons if math.isfinite(each)]
    if rounds == 2 and any(each >= COUNTS_FROM for each in finite):
        return "hub-counts"
    return "hub-lists" if any(each > LISTS_ABOVE for each in finite) else "noisy-degrees"


def advised_for_nodes(epsilons: Iterable[float]) -> str:
    """The mechanism that we recommend for classes of single users, by name; see :func:`advised`."""
    finite = [each for each in epsilons if math.isfinite(each)]
    return "rr" if finite and all(each >= LINKS_FROM for each in finite) else "friend-counts"
