from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from operator import lt
from typing import Any

import mpmath
import pytest

from graphldp.audit import exact
from graphldp.audit.enumeration import enumerate_law
from graphldp.client.sampling import sampler
from graphldp.client.sampling.entropy import Entropy
from graphldp.client.sampling.laplace import discrete_laplace


def test_finite_draws_are_enumerated_in_full() -> None:
    law = enumerate_law(lambda entropy: entropy.below(3) + entropy.coin(1, 4))
    assert law.chances == {0: Fraction(1, 4), 1: Fraction(1, 3), 2: Fraction(1, 3), 3: Fraction(1, 12)}
    assert law.rest == 0
    assert law.paths[3] == [2, 1]


def test_words_are_compared_bit_by_bit() -> None:
    law = enumerate_law(lambda entropy: tuple(map(lt, entropy.words(2, 3), (0, 3))))
    assert law.chances == {(False, False): Fraction(5, 8), (False, True): Fraction(3, 8)}
    law = enumerate_law(lambda entropy: tuple(map(lt, entropy.words(1, 64), (1,))))
    assert law.chances[(True,)] == Fraction(1, 2**64)


def used(use: Callable[[Any], object], entropy: Entropy) -> bool:
    return bool(use(entropy.words(1, 8)[0]))


def test_a_word_can_be_used_in_no_other_way() -> None:
    uses: tuple[Callable[[Any], object], ...] = (
        lambda word: word + 1,
        lambda word: word > 0,
        lambda word: word[0],
        lambda word: f"{word:b}",
        lambda word: [word < 1 for _ in range(2)],
    )
    for use in uses:
        with pytest.raises((TypeError, AssertionError)):
            enumerate_law(partial(used, use))


def test_repeated_attempts_have_the_law_of_a_success() -> None:
    def attempt(entropy: Entropy) -> int | None:
        drawn = entropy.below(6)
        return None if drawn > 3 else drawn // 3

    law = enumerate_law(lambda entropy: (entropy.coin(1, 2), entropy.until(attempt)))
    assert law.chances == {(side, r): Fraction(w, 8) for side in (False, True) for r, w in ((0, 3), (1, 1))}
    assert law.rest == 0
    # The loop itself, followed round by round: what was found never passes that law, and all of it but the rest is.
    real = enumerate_law(lambda entropy: Entropy.until(entropy, attempt), cutoff=Fraction(1, 10**5))
    for result, likely in ((0, Fraction(3, 4)), (1, Fraction(1, 4))):
        assert real.chances[result] <= likely <= real.chances[result] + real.rest
    assert real.rest < Fraction(1, 50)


def test_a_prefix_is_a_condition() -> None:
    law = enumerate_law(lambda entropy: (entropy.below(5), entropy.coin(1, 3)), prefix=[4])
    assert law.chances == {(4, False): Fraction(2, 3), (4, True): Fraction(1, 3)}


@pytest.mark.parametrize("gamma", [Fraction(1), Fraction(1, 2), Fraction(3, 7), Fraction(2), Fraction(13, 4)])
def test_the_exponential_coin(gamma: Fraction) -> None:
    law = enumerate_law(lambda entropy: Entropy.exp_coin(entropy, gamma), cutoff=Fraction(1, 10**15))
    assert law.rest < 10**-14
    assert float(law.chances[True]) == pytest.approx(math.exp(-gamma), abs=2e-14)


@pytest.mark.parametrize("epsilon", [Fraction(1, 10), Fraction(1), Fraction(3, 2), Fraction(9, 4)])
def test_the_discrete_laplace_law_within_what_was_left_out(epsilon: Fraction) -> None:
    law = enumerate_law(lambda entropy: discrete_laplace(epsilon, entropy))
    assert 0 < law.rest < Fraction(1, 10**8)
    scale = float(epsilon)
    for z, likely in law.chances.items():
        true = math.tanh(scale / 2) * math.exp(-scale * abs(z))
        assert likely <= true + 1e-15
        assert true <= likely + law.rest + 1e-15
        assert likely == law.chances[-z]


@pytest.mark.parametrize("x", [Fraction(1, 10**6), Fraction(9, 10), Fraction(17)])
def test_the_bounds_on_e(x: Fraction) -> None:
    low, high = exact.exp_bounds(x)
    with mpmath.workdps(120):
        true = mpmath.exp(mpmath.mpf(x.numerator) / x.denominator)
        assert mpmath.mpf(low.numerator) / low.denominator <= true <= mpmath.mpf(high.numerator) / high.denominator
    assert high / low - 1 < Fraction(1, 10**60)


@pytest.mark.parametrize("case", exact.cases(), ids=str)
def test_the_client_spends_the_epsilon_it_says(case: tuple[str, float, float]) -> None:
    mechanism, *spent = case
    found = exact.reports(mechanism, 3, *spent)
    assert found.claimed == pytest.approx(sum(spent))
    assert found.holds
    assert found.claimed - exact.WASTE < found.shown < found.claimed + 1e-12


@pytest.mark.attack("device")
@pytest.mark.parametrize("hub_from", [-9, 0, 1, 9, None])
def test_no_gate_of_hub_lists_costs_more(monkeypatch: pytest.MonkeyPatch, hub_from: int | None) -> None:
    """Publish a `hub_from` at will, so that everybody or nobody sends a list with `hub-lists`.

    A collector may make everybody a hub, or nobody: ε is the same.
    """
    monkeypatch.setattr(exact, "HUB_FROM", hub_from)
    found = exact.reports("hub-lists", 2, 2.25, 0.9)
    assert found.holds
    assert found.claimed == pytest.approx(3.15)


def test_every_rate_occurs_among_four_users() -> None:
    """n = 4 is where q is 0, between 0 and 1, and 1."""
    assert exact.reports("dprr", 4, 2.25, 0.9).holds
    shares = [sampler.thresholds(sampler.exact(0.9), 4, d, 64)[0] * (1 + math.exp(0.9)) / 2**64 for d in (0, 1, 2)]
    assert shares[0] == 0 < shares[1] < 0.9 < shares[2] == pytest.approx(1)


@pytest.mark.parametrize(("mechanism", "epsilon1"), [("rr", 0.0), ("dprr", 1.0), ("hub-lists", 1.0)])
@pytest.mark.parametrize(("n", "bits"), exact.WORDS)
def test_lists_hold_at_epsilon_and_are_tight(n: int, bits: int, mechanism: str, epsilon1: float) -> None:
    found = exact.lists(mechanism, n, epsilon1, 0.9, bits)
    assert found.holds
    assert found.shown <= 0.9 + 1e-12
    assert found.shown > {3: 0.5, 5: 0.7, 8: 0.89, 64: 0.9 - 1e-12}[bits]


def test_the_thresholds_hold_and_are_tight() -> None:
    found = exact.thresholds()
    assert found.holds
    assert found.shown == pytest.approx(found.claimed, abs=1e-12)
