"""How far one friend moves an answer by closed-pairs, in whole numbers, against a server that publishes what it likes.

All lists of four others, all that can be published of them, and every cap that a user can have, through the mechanism's
own count. The noise is made for a change of C; the largest change over C is the share of ε₂ that is needed.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import combinations, permutations, product

import numpy as np
from numpy.typing import NDArray

from graphldp.audit import Finding
from graphldp.mechanisms import ClosedPairs
from graphldp.privacy.pairs import answer, pair_cap, slack_of

OTHERS = 4
Bits = NDArray[np.int32]
Tell = Callable[[Bits, int, float], float]  # by the bits among her friends, C and F
_LISTS = [friends for size in range(OTHERS + 1) for friends in combinations(range(OTHERS), size)]
_ONE_MORE = [(one, two) for one in _LISTS for two in _LISTS if len(two) == len(one) + 1 and {*one} < {*two}]


@cache
def every_publication() -> list[Bits]:
    """All that a server can publish of four others, each once up to their names: 0, 1 or 2 bits for each pair."""
    ends, found = list(combinations(range(OTHERS), 2)), dict[bytes, Bits]()
    for bits in product((0, 1, 2), repeat=len(ends)):
        made = np.zeros((OTHERS, OTHERS), np.int32)
        for (one, two), each in zip(ends, bits, strict=True):
            made[one, two] = made[two, one] = each
        same = max(made[np.ix_(order, order)].tobytes() for order in permutations(range(OTHERS)))
        found.setdefault(same, made)
    return list(found.values())


def honest(among: Bits, cap: int, flip: float) -> float:
    """The mechanism's own answer."""
    return answer(among.tolist(), cap)


def largest_change(flip: float, slack: int, tell: Tell = honest) -> float:
    """By one friend, over what the noise is made for.

    Args:
        flip: F.
        slack: how far d* is followed.
        tell: the answer without its noise.
    """
    worst = 0.0
    caps = {pair_cap(told, OTHERS + 1, flip, slack) for told in range(-1, OTHERS + 3)}
    for cap, published in product(caps, every_publication()):
        told = {friends: tell(published[np.ix_(friends, friends)], cap, flip) for friends in _LISTS}
        worst = max(worst, *(abs(told[one] - told[two]) / cap for one, two in _ONE_MORE))
    return worst


def pairs(mechanism: ClosedPairs) -> Finding:
    """The second round of a mechanism with one ε for all."""
    spent = mechanism.budget()
    epsilon2, flip = float(spent.answer), 1 / (1 + float(np.exp(spent.edges)))
    found = largest_change(flip, slack_of(float(spent.degree), mechanism.slack, OTHERS + 1))
    effort = f"{len(every_publication())} publications of {OTHERS} others and {len(_ONE_MORE)} pairs of lists, each cap"
    return Finding("pairs", epsilon2, epsilon2 * found, found <= 1.0, f"{mechanism!r}: {effort}")
