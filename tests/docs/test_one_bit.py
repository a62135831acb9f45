"""OUE, OLH and HR on two values, exactly: randomized response half of the time, nothing in the other half.

The paper sets them equal to RR on one bit. The laws are written down here from their papers (Wang et al. 2017; Acharya
et al. 2019), in rational arithmetic, with e^ε as a rational number.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from tests.mechanisms.exact import E2, rates

import graphldp as gl

Law = dict[Hashable, Fraction]
HALF = Fraction(1, 2)
KEEP, FAKE = E2 / (E2 + 1), 1 / (E2 + 1)


def oue(value: int) -> Law:
    """Optimized unary encoding: each value has a bit; a 1 stays with probability 1/2, a 0 becomes 1 with 1/(e^ε+1)."""
    ones = [HALF if place == value else FAKE for place in (0, 1)]
    return {
        bits: (ones[0] if bits[0] else 1 - ones[0]) * (ones[1] if bits[1] else 1 - ones[1])
        for bits in product((0, 1), repeat=2)
    }


def olh(value: int) -> Law:
    """Local hashing to two values: one of the four functions from values to hashes, then randomized response."""
    law: Law = {}
    for function in product((0, 1), repeat=2):
        for hashed in (0, 1):
            law[function, hashed] = Fraction(1, 4) * (KEEP if hashed == function[value] else FAKE)
    return law


def hr(value: int) -> Law:
    """Hadamard response: value x has the two columns where row x + 1 of the 4 × 4 Hadamard matrix is 1."""
    rows = ((1, 1, 1, 1), (1, -1, 1, -1), (1, 1, -1, -1), (1, -1, -1, 1))
    return {column: HALF * (KEEP if rows[value + 1][column] == 1 else FAKE) for column in range(4)}


PROTOCOLS: dict[str, Callable[[int], Law]] = {"OUE": oue, "OLH": olh, "HR": hr}


@pytest.mark.parametrize("name", PROTOCOLS)
def test_it_is_rr_half_of_the_time_and_says_nothing_otherwise(name: str) -> None:
    none, one = PROTOCOLS[name](0), PROTOCOLS[name](1)
    assert sum(none.values()) == sum(one.values()) == 1
    ratios = {output: one[output] / none[output] for output in none}
    assert set(ratios.values()) == {E2, 1, 1 / E2}  # ε is attained, and never passed
    speaks = {output: int(ratio > 1) for output, ratio in ratios.items() if ratio != 1}
    for value, law in enumerate((none, one)):
        assert sum(law[output] for output in speaks) == HALF
        told = sum(law[output] for output, bit in speaks.items() if bit == value) / HALF
        assert told == rates(gl.RR(1.0), None, 2, E2)[0] == KEEP


@pytest.mark.parametrize("name", PROTOCOLS)
def test_cut_down_to_a_bit_it_is_a_worse_rr(name: str) -> None:
    """A fair coin where nothing is said: a symmetric bit, so an RR, at a smaller ε."""
    none, one = PROTOCOLS[name](0), PROTOCOLS[name](1)
    bit = {output: HALF * (1 + (one[output] > none[output]) - (one[output] < none[output])) for output in none}
    right = sum(one[output] * bit[output] for output in one)
    assert right == sum(none[output] * (1 - bit[output]) for output in none) == KEEP / 2 + Fraction(1, 4)
    assert HALF < right < KEEP


def test_oue_on_each_bit_of_a_list_keeps_fewer_friends_and_no_fewer_strangers() -> None:
    kept, made_up = rates(gl.RR(1.0), None, 2, E2)
    assert made_up == FAKE
    assert kept > HALF
    assert max(HALF / FAKE, (1 - FAKE) / HALF) < E2  # it does not even use up its ε


@pytest.mark.parametrize("sampling", [Fraction(1, 4), Fraction(3, 4)])
def test_the_two_halves_of_the_noise_graph_mechanism_are_mirror_images(sampling: Any) -> None:
    """Salas et al.: p₁ and p₀ are the chances that an edge and a non-edge stay; exchanging 0 and 1 exchanges them."""
    ones = rates(gl.ARR(1.0, sampling=sampling), None, 2, E2)
    zeros = rates(gl.ARR(1.0, sampling=sampling, sampled="zeros"), None, 2, E2)
    p1, p0 = ones[0], 1 - ones[1]
    assert p1 < p0
    assert (zeros[0], 1 - zeros[1]) == (p0, p1)
    assert p1 / (1 - p0) == E2
