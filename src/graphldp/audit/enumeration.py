"""Every way a draw can go, through the code that draws: the law of a sampler as exact fractions.

A sampler asks its :class:`~graphldp.client.sampling.entropy.Entropy` for coins, numbers and words. Here the answers are
chosen instead of drawn: all of them, one path after the other, each with its exact probability. Three answers are
shorter than what they stand for, and are enumerated in full on their own:

- the coin of probability e^(−γ), whose many small coins lead to two sides;
- attempts that are repeated until one succeeds: the first success has the law of one attempt, given that it succeeds;
- a word of 64 bits, which can only be compared with a threshold: below it, or not.

Where paths have no end (a loop that may always go on), those less likely than ``cutoff`` are left, and their whole
probability is returned: every outcome's true probability lies between what was found and that much more.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from typing import Any, Generic, TypeVar, cast

from graphldp.client.sampling.entropy import Drawn, Entropy

Outcome = TypeVar("Outcome", bound=Hashable)
Weighted = tuple[tuple[Any, ...], tuple[Fraction, ...]]
Repeated = dict[Hashable, Weighted]
_FINE = 1 << 96  # probabilities are rounded down to multiples of 1/_FINE where they would grow without bound


class _NegligibleError(Exception):
    """The path has become too unlikely to follow."""


class Chosen(Entropy):
    """Answers by a script; what is asked beyond its end is answered by the first choice, and noted.

    Args:
        script: the choices so far, each as [choice, number of choices].
        cutoff: the probability below which a path is left.
        given: how many choices at the beginning are a condition, which has no probability of its own.
        repeated: the laws of repeated attempts that were met before, by their code and the values that it closes over.
    """

    def __init__(self, script: list[list[int]], cutoff: Fraction, given: int, repeated: Repeated) -> None:
        super().__init__()
        self.script, self.cutoff, self.given, self.repeated = script, cutoff, given, repeated
        self.at, self.weight = 0, Fraction(1)

    def below(self, bound: int) -> int:
        """All of 0, …, bound − 1, equally likely."""
        return self._choice(bound)

    def coin(self, numerator: int, denominator: int) -> bool:
        """Both sides of a coin, where both can be."""
        heads = Fraction(numerator, denominator)
        if heads in (0, 1):
            return bool(heads)
        return self._choice(2, (1 - heads, heads)) == 1

    def exp_coin(self, gamma: Fraction) -> bool:
        """Both sides, with the law of the real coin, which was enumerated on its own."""
        law = _exp_coin_law(gamma)
        sides = [side for side in (False, True) if side in law]
        return sides[self._choice(len(sides), [law[side] for side in sides])]

    def until(self, attempt: Callable[[Entropy], Drawn | None]) -> Drawn:
        """Every result of one attempt, with its probability given that the attempt succeeds."""
        same = attempt.__code__, tuple(cell.cell_contents for cell in attempt.__closure__ or ())
        if same not in self.repeated:
            self.repeated[same] = _success_law(cast("Callable[[Entropy], Hashable]", attempt))
        results, likely = self.repeated[same]
        return cast("Drawn", results[self._choice(len(results), likely)])

    def words(self, count: int, bits: int) -> Sequence[int]:
        """Words that are not drawn before they are compared."""
        return cast("Sequence[int]", [_Word(self, bits) for _ in range(count)])

    def _choice(self, count: int, weights: Sequence[Fraction] | None = None) -> int:
        if self.at == len(self.script):
            self.script.append([0, count])
        chosen = self.script[self.at][0]
        self.at += 1
        if self.at > self.given:
            self.weight *= Fraction(1, count) if weights is None else weights[chosen]
        if self.weight < self.cutoff:
            raise _NegligibleError
        return chosen


class _Word:
    """A uniform word, of which nothing can be learnt but whether it is below its threshold, and that once."""

    def __init__(self, entropy: Chosen, bits: int) -> None:
        self.entropy, self.bits, self.compared = entropy, bits, False

    def __lt__(self, limit: int) -> bool:
        if self.compared:
            raise AssertionError("Each word is compared once, with one threshold.")
        self.compared = True
        return self.entropy.coin(limit, 1 << self.bits)


@dataclass(frozen=True)
class Law(Generic[Outcome]):
    """The law of what can come out.

    Args:
        chances: the probability of each outcome on the paths that were followed.
        rest: the probability of all paths that were left.
        paths: for each outcome, the choices of one path that leads to it.
    """

    chances: dict[Outcome, Fraction]
    rest: Fraction
    paths: dict[Outcome, list[int]] = field(repr=False)


@cache
def _exp_coin_law(gamma: Fraction) -> dict[bool, Fraction]:
    law = enumerate_law(lambda entropy: Entropy.exp_coin(entropy, gamma), cutoff=Fraction(1, 10**24))
    return {side: _rounded_down(likely) for side, likely in law.chances.items()}


def _success_law(attempt: Callable[[Entropy], Hashable]) -> Weighted:
    """Each result's probability is found/(1 − found failures) at least, by which it is no more than the true one."""
    law = enumerate_law(attempt, cutoff=Fraction(1, 10**10))
    succeeds = 1 - law.chances.get(None, Fraction(0))
    results = tuple(each for each in law.chances if each is not None)
    return results, tuple(_rounded_down(law.chances[each] / succeeds) for each in results)


def _rounded_down(likely: Fraction) -> Fraction:
    return likely if likely.denominator <= _FINE else Fraction(int(likely * _FINE), _FINE)


def enumerate_law(
    run: Callable[[Entropy], Outcome],
    *,
    cutoff: Fraction = Fraction(0),
    prefix: list[int] | None = None,
    repeated: Repeated | None = None,
) -> Law[Outcome]:
    """Follow every path of a draw.

    Args:
        run: draws one outcome from the entropy it is given.
        cutoff: paths less likely than this are left.
        prefix: the first choices, held fixed; the law is then the one given them.
        repeated: the laws of repeated attempts so far, for draws of the same code one after the other: new ones are
            added, and none is enumerated twice.
    """
    found: dict[Outcome, Fraction] = defaultdict(Fraction)
    paths: dict[Outcome, list[int]] = {}
    repeated = {} if repeated is None else repeated
    fixed = [[choice, choice + 1] for choice in prefix or []]
    script = list(fixed)
    while True:
        chosen = Chosen(script, cutoff, len(fixed), repeated)
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
