"""Mixing opinions: the exponents, and what becomes of one that knows nothing."""

from __future__ import annotations

import numpy as np
import pytest

from graphldp.learn.nodes.mixing import exponents, log_shares, mixed


def test_exponents_suit_what_each_opinion_is_worth() -> None:
    """A calibrated opinion keeps about 1, one three times too sure a third of it, noise about 0; seeded."""
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(4000, 3)) * 1.5
    codes = np.array([rng.choice(3, p=row) for row in np.exp(log_shares(scores))])
    noise = log_shares(rng.normal(size=(4000, 3)))
    fair = exponents([log_shares(scores), noise], codes)
    sure = exponents([log_shares(3 * scores), noise], codes)
    assert fair == pytest.approx([1.0, 0.0], abs=0.1)
    assert sure == pytest.approx([1 / 3, 0.0], abs=0.1)
    assert (fair >= 0).all()


def test_a_mixture_is_a_product_of_powers() -> None:
    one, two = (log_shares(np.random.default_rng(seed).normal(size=(5, 4))) for seed in (1, 2))
    wanted = np.exp(one) ** 0.5 * np.exp(two) ** 2
    found = np.exp(mixed([one, two], np.array([0.5, 2.0])))
    assert found == pytest.approx(wanted / wanted.sum(axis=1, keepdims=True))
