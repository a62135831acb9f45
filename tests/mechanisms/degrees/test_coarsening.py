"""A noisy degree made coarser has exactly the law of the smaller ε."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

import graphldp as gl
from graphldp.mechanisms.degrees.coarsening import coarser, staying
from graphldp.mechanisms.degrees.noise import Noise, noisy_degrees
from graphldp.mechanisms.drawing.rows import UserRows
from graphldp.mechanisms.drawing.streams import key_from

from ..counting import assert_counts, copies

ALARM = 1e-6
FINE, COARSE = 1.3, 0.4
GRAPHS = copies(gl.GraphSet.from_edges([0, 0, 0], [1, 2, 3], [5]), 20_000)


def stays(fine: Fraction, coarse: Fraction) -> Fraction:
    """S of the discrete law, by e^(−ε) of both."""
    return fine / coarse * ((1 - coarse) / (1 - fine)) ** 2


@pytest.mark.parametrize(("fine", "coarse"), [(Fraction(1, 3), Fraction(2, 3)), (Fraction(1, 100), Fraction(99, 100))])
def test_the_discrete_step_takes_one_law_to_the_other(fine: Fraction, coarse: Fraction) -> None:
    """Generating functions multiply when noise is added.

    Both sides times the denominators are polynomials of degree 4 in z: equal at eleven places, they are equal.
    """

    def law(r: Fraction, z: Fraction) -> Fraction:
        return (1 - r) ** 2 / ((1 - r * z) * (1 - r / z))

    chance = stays(fine, coarse)
    assert 0 < chance < 1
    for z in (1 + (1 - coarse) * Fraction(k, 10) for k in range(-5, 6)):
        assert law(fine, z) * (chance + (1 - chance) * law(coarse, z)) == law(coarse, z)


def test_the_code_uses_that_chance() -> None:
    fine, coarse = (Fraction(float(np.exp(-epsilon))) for epsilon in (FINE, COARSE))
    assert staying(FINE, COARSE, "discrete") == pytest.approx(float(stays(fine, coarse)), rel=1e-12)
    assert staying(FINE, COARSE, "laplace") == pytest.approx((COARSE / FINE) ** 2)
    for noise in ("laplace", "discrete"):
        assert staying(FINE, FINE, noise) == 1  # no step
        assert 0 <= staying(900.0, 800.0, noise) < 1  # e^(−ε) is too small for a float


def drawn(noise: Noise) -> np.ndarray:
    """What is left of d after both noises, for every user."""
    rows, key = UserRows.of(GRAPHS), key_from(3, "a test")
    fine, coarse = (np.full(len(rows), epsilon) for epsilon in (FINE, COARSE))
    return coarser(rows, noisy_degrees(rows, fine, noise, key), fine, coarse, noise, key) - rows.degrees


def test_discrete_noise_of_the_smaller_epsilon() -> None:
    values = np.arange(-90, 91)
    chance = np.tanh(COARSE / 2) * np.exp(-COARSE * np.abs(values))
    noise = drawn("discrete").astype(np.int64)
    assert np.abs(noise).max() <= 90
    assert_counts(np.bincount(noise + 90, minlength=181), chance, ALARM)


def test_continuous_noise_of_the_smaller_epsilon() -> None:
    assert stats.kstest(drawn("laplace"), stats.laplace(scale=1 / COARSE).cdf).pvalue > ALARM


def test_public_users_stay_exact() -> None:
    rows, key = UserRows.of(GRAPHS), key_from(3, "a test")
    public = np.full(len(rows), np.inf)
    degree = rows.degrees.astype(np.float64)
    for noise in ("laplace", "discrete"):
        np.testing.assert_array_equal(coarser(rows, degree, public, public, noise, key), degree)
