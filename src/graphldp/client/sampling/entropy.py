"""Uniform numbers from the operating system's entropy, and from nowhere else.

There is no seed. The byte source is a private argument that only tests reach.
"""

from __future__ import annotations

import os
import sys
from array import array
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TypeVar

Drawn = TypeVar("Drawn")


class Entropy:
    """Exactly uniform draws."""

    def __init__(self, *, _source: Callable[[int], bytes] = os.urandom) -> None:
        self._source = _source

    def below(self, bound: int) -> int:
        """A whole number, uniform over 0, …, bound − 1: draws of just enough bits until one is below."""
        bits = (bound - 1).bit_length()
        size = -(-bits // 8)
        while True:
            drawn = int.from_bytes(self._source(size), "little") >> (8 * size - bits)
            if drawn < bound:
                return drawn

    def coin(self, numerator: int, denominator: int) -> bool:
        """True with probability numerator/denominator exactly."""
        return self.below(denominator) < numerator

    def exp_coin(self, gamma: Fraction) -> bool:
        """True with probability e^(−γ) exactly, for γ ≥ 0 (Canonne, Kamath & Steinke 2020, Algorithm 1).

        The first k at which a coin of γ/k falls on its false side is odd with probability 1 − γ + γ²/2! − … = e^(−γ)
        for γ ≤ 1. Above, e^(−γ) is e^(−1) as often as 1 goes into γ, times the rest.
        """
        while gamma > 1:
            if not self.exp_coin(Fraction(1)):
                return False
            gamma -= 1
        k = 1
        while self.coin(gamma.numerator, gamma.denominator * k):
            k += 1
        return k % 2 == 1

    def until(self, attempt: Callable[[Entropy], Drawn | None]) -> Drawn:
        """What the first attempt that succeeds returns; None is a failure.

        Attempts must know nothing of each other: the result then has the law of one attempt, given that it succeeds.
        """
        while True:
            drawn = attempt(self)
            if drawn is not None:
                return drawn

    def words(self, count: int, bits: int) -> Sequence[int]:
        """Uniform numbers of so many bits, 1 to 64."""
        size = next(size for size in (1, 2, 4, 8) if bits <= 8 * size)
        drawn = array({1: "B", 2: "H", 4: "I", 8: "Q"}[size], self._source(count * size))
        if sys.byteorder == "big":
            drawn.byteswap()
        return [word >> 8 * size - bits for word in drawn] if bits < 8 * size else drawn
