"""LocalLap's ε for n ≤ 4: 1, 3 or 6 pairs, or 2, 6 or 12 in a directed graph; with public users, fewer.

A user sends d*, which tells T, and her noisy entries; the server keeps the T largest. Given all d*, the output is S.
"""

from __future__ import annotations

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from mpmath import iv

import graphldp as gl

from .exact import E1, E2, MORE2
from .exact_top import top_law, worst_top_ratio


@pytest.mark.parametrize(("edges", "others"), [(0, 3), (2, 1), (3, 3), (5, 7)])
def test_the_law_adds_up(edges: int, others: int) -> None:
    for wanted in range(edges + others + 1):
        total, logs = Fraction(0), Fraction(0)
        for ins in range(max(0, wanted - others), min(edges, wanted) + 1):
            ways = comb(edges, ins) * comb(others, wanted - ins)
            whole, log = top_law(ins, wanted - ins, edges - ins, others - wanted + ins, 1 / E2)
            total, logs = total + ways * whole, logs + ways * log
        assert (total, logs) == (Fraction(1), Fraction(0))


def test_two_pairs_have_the_textbook_law() -> None:
    """Pr(Lap + ε > Lap') = 1 − (1/2 + ε/4)·e^(−ε)."""
    assert top_law(1, 0, 0, 1, 1 / E2) == (1 - 1 / (2 * E2), -1 / (4 * E2))


@pytest.mark.parametrize("pairs", [1, 2, 3, 6, 12])
def test_the_choice_keeps_epsilon_for_every_t(pairs: int) -> None:
    worst = worst_top_ratio(pairs, 1 / E2)
    assert worst.b <= iv.mpf(E2.numerator).a / E2.denominator


def test_the_bound_is_nearly_attained_and_a_mutant_is_caught() -> None:
    """Twelve pairs, eleven of them edges, T = 1: all that matters happens in the tail, where the ratio is e^ε₂."""
    claimed = iv.mpf(E2.numerator) / E2.denominator
    assert worst_top_ratio(12, 1 / E2).a > 0.999 * claimed
    assert worst_top_ratio(12, 1 / MORE2).a > claimed


def test_degrees_and_entries_add_up() -> None:
    """One list's bit moves d by one (E₁) and one pair (E₂). An undirected edge moves two degrees but only one pair."""
    bound = (iv.mpf(E1.numerator) / E1.denominator) * worst_top_ratio(6, 1 / E2)
    assert bound.b <= (E1 * E2).numerator / iv.mpf((E1 * E2).denominator)
    graphs = gl.GraphSet.from_edges([0, 1], [1, 2], [4])
    guarantee = gl.LocalLap(1.0).randomize(graphs, rng=0).guarantee
    spent = np.asarray(guarantee.budget.degree)[0], np.asarray(guarantee.budget.edges)[0]
    assert guarantee.relationship_dp is not None
    assert 2 * spent[0] + spent[1] <= guarantee.relationship_dp == 2.0
