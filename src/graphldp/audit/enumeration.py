"""Every way a draw can go, through the code that draws: the law of a sampler as exact fractions.

A sampler asks its :class:`~graphldp.client.entropy.Entropy` for coins, numbers and words. Here the answers are chosen
instead of drawn: all of them, one path after the other, each with its exact probability. Where paths have no end (a
loop that may always go on), those less likely than ``cutoff`` are left, and their whole probability is returned: every
outcome's true probability lies between what was found and that much more.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from graphldp.client.entropy import Entropy

Outcome = TypeVar("Outcome", bound=Hashable)


class _NegligibleError(Exception):
    """The path has become too unlikely to follow."""


class Chosen(Entropy):
    """Answers by a script; what is asked beyond its end is answered by the first choice, and noted.

    Args:
        script: the choices so far, each as [choice, number of choices].
        cutoff: the probability below which a path is left.
        given: how many choices at the beginning are a condition, which has no probability of its own.
    """

    def __init__(self, script: list[list[int]], cutoff: Fraction, given: int) -> None:
        super().__init__()
        self.script, self.cutoff, self.given = script, cutoff, given
        self.at, self.weight = 0, Fraction(1)

    def below(self, bound: int) -> int:
        """All of 0, …, bound − 1, equally likely."""
        return self._choice(bound)

    def coin(self, numerator: int, denominator: int) -> bool:
        """Both sides, where both can be."""
        heads = Fraction(numerator, denominator)
        if heads in (0, 1):
            return bool(heads)
        return self._choice(2, (1 - heads, heads)) == 1

    def exp_coin(self, gamma: Fraction) -> bool:
        """Both sides, with the law of the real coin, which was enumerated on its own."""
        if not gamma:
            return True
        law = _exp_coin_law(gamma)
        return self._choice(2, (law.found[False], law.found[True])) == 1

    def words(self, count: int, bits: int) -> NDArray[np.uint64]:
        """All values of all words together."""
        chosen = self._choice(1 << count * bits)
        return np.array([chosen >> bits * place & (1 << bits) - 1 for place in range(count)], np.uint64)

    def _choice(self, count: int, weights: tuple[Fraction, ...] | None = None) -> int:
        if self.at == len(self.script):
            self.script.append([0, count])
        chosen = self.script[self.at][0]
        self.at += 1
        if self.at > self.given:
            self.weight *= Fraction(1, count) if weights is None else weights[chosen]
        if self.weight < self.cutoff:
            raise _NegligibleError
        return chosen


@dataclass(frozen=True)
class Law(Generic[Outcome]):
    """What can come out, and how likely.

    Args:
        found: the probability of each outcome on the paths that were followed.
        rest: the probability of all paths that were left.
        paths: for each outcome, the choices of one path that leads to it.
    """

    found: dict[Outcome, Fraction]
    rest: Fraction
    paths: dict[Outcome, list[int]] = field(repr=False)


@cache
def _exp_coin_law(gamma: Fraction) -> Law[bool]:
    return enumerate_law(lambda entropy: Entropy.exp_coin(entropy, gamma), cutoff=Fraction(1, 10**24))


def enumerate_law(
    run: Callable[[Entropy], Outcome], *, cutoff: Fraction = Fraction(0), prefix: list[int] | None = None
) -> Law[Outcome]:
    """Follow every path of a draw.

    Args:
        run: draws one outcome from the entropy it is given.
        cutoff: paths less likely than this are left.
        prefix: the first choices, held fixed; the law is then the one given them.
    """
    found: dict[Outcome, Fraction] = defaultdict(Fraction)
    paths: dict[Outcome, list[int]] = {}
    fixed = [[choice, choice + 1] for choice in prefix or []]
    script = list(fixed)
    while True:
        chosen = Chosen(script, cutoff, len(fixed))
        try:
            outcome = run(chosen)
        except _NegligibleError:
            pass
        else:
            found[outcome] += chosen.weight
            paths.setdefault(outcome, [choice for choice, _ in script])
        while len(script) > len(fixed) and script[-1][0] + 1 == script[-1][1]:
            script.pop()
        if len(script) == len(fixed):
            return Law(dict(found), 1 - sum(found.values(), Fraction(0)), paths)
        script[-1][0] += 1
