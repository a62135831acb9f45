from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import pytest

from graphldp.audit import exact
from graphldp.audit.enumeration import enumerate_law
from graphldp.client.entropy import Entropy
from graphldp.client.laplace import discrete_laplace


def test_finite_draws_are_enumerated_in_full():
    law = enumerate_law(lambda entropy: entropy.below(3) + entropy.coin(1, 4))
    assert law.found == {0: Fraction(1, 4), 1: Fraction(1, 3), 2: Fraction(1, 3), 3: Fraction(1, 12)}
    assert law.rest == 0
    assert law.paths[3] == [2, 1]


def test_words_take_every_value():
    law = enumerate_law(lambda entropy: tuple(entropy.words(2, 3).tolist()))
    assert len(law.found) == 64
    assert set(law.found.values()) == {Fraction(1, 64)}


def test_a_prefix_is_a_condition():
    law = enumerate_law(lambda entropy: (entropy.below(5), entropy.coin(1, 3)), prefix=[4])
    assert law.found == {(4, False): Fraction(2, 3), (4, True): Fraction(1, 3)}


@pytest.mark.parametrize("gamma", [Fraction(1), Fraction(1, 2), Fraction(3, 7)])
def test_the_exponential_coin(gamma):
    law = enumerate_law(lambda entropy: Entropy.exp_coin(entropy, gamma), cutoff=Fraction(1, 10**15))
    assert law.rest < 10**-14
    assert float(law.found[True]) == pytest.approx(math.exp(-gamma), abs=2e-14)


@pytest.mark.parametrize(
    ("epsilon", "cutoff"), [(Fraction(1), 10**-8), (Fraction(1, 2), 10**-5), (Fraction(3, 2), 10**-4)]
)
def test_the_discrete_laplace_law_within_what_was_left_out(epsilon, cutoff):
    law = enumerate_law(lambda entropy: discrete_laplace(epsilon, entropy), cutoff=Fraction(cutoff))
    scale = float(epsilon)
    for z, likely in law.found.items():
        true = math.tanh(scale / 2) * math.exp(-scale * abs(z))
        assert likely <= true + 1e-15
        assert true <= likely + law.rest
        assert likely == law.found[-z]


@pytest.mark.parametrize("x", [Fraction(1, 10**6), Fraction(9, 10), Fraction(17)])
def test_the_bounds_on_e(x):
    low, high = exact.exp_bounds(x)
    with mpmath.workdps(120):
        true = mpmath.exp(mpmath.mpf(x.numerator) / x.denominator)
        assert mpmath.mpf(low.numerator) / low.denominator <= true <= mpmath.mpf(high.numerator) / high.denominator
    assert high / low - 1 < Fraction(1, 10**60)


@pytest.mark.parametrize(("mechanism", "epsilon1"), [("rr", 0.0), ("dprr", 1.0)])
@pytest.mark.parametrize("n", [2, 3, 4])
def test_the_client_holds_at_epsilon_and_is_tight(n, mechanism, epsilon1):
    found = exact.reports(mechanism, n, epsilon1, 0.9)
    assert found.holds
    assert found.shown <= 0.9
    if n == 2:  # words of 8 bits round little: ε is used, not wasted
        assert found.shown > 0.89


def test_the_thresholds_hold_and_are_tight():
    found = exact.thresholds()
    assert found.holds
    assert found.shown == pytest.approx(found.claimed, abs=1e-12)
