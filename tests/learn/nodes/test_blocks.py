"""The block model: its law against SciPy's, and what it finds in counts that follow it."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from graphldp.learn.nodes import blocks
from graphldp.learn.nodes.blocks import BlockModel


@pytest.mark.parametrize("epsilon", [0.3, 2.0])
def test_the_law_is_the_convolution(epsilon: float) -> None:
    mean, shape = np.array([0.3, 4.0]), np.array([0.5, 2.0])
    values = np.arange(-60, 120)
    law = np.exp(blocks._log_law(values, mean, shape, epsilon))
    assert law.sum(axis=0) == pytest.approx(1.0, abs=1e-6)
    true = np.arange(400)
    for column in range(2):
        pmf = stats.nbinom.pmf(true, shape[column], shape[column] / (shape[column] + mean[column]))
        wanted = [(stats.dlaplace.pmf(z - true, epsilon) * pmf).sum() for z in values]
        assert law[:, column] == pytest.approx(np.array(wanted), rel=1e-6, abs=1e-12)


def test_a_public_user_s_counts_are_exact() -> None:
    law = np.exp(blocks._log_law(np.arange(30), np.array([3.0]), np.array([2.0]), np.inf))
    assert law[:, 0] == pytest.approx(stats.nbinom.pmf(np.arange(30), 2.0, 0.4))


def test_counts_that_follow_the_model_tell_the_class() -> None:
    """Labels beyond the labelled users are not looked at; a user's ε counts for her alone; seeded."""
    rng = np.random.default_rng(0)
    shares = np.array([[0.8, 0.1, 0.1], [0.1, 0.7, 0.2], [0.2, 0.2, 0.6]])
    codes = rng.integers(0, 3, 900)
    counts = rng.poisson(rng.gamma(2.0, 4.0, 900)[:, None] * shares[codes]).astype(np.float64)
    epsilon = np.where(np.arange(900) % 2, 1.0, np.inf)
    noisy = counts + np.where(np.isinf(epsilon)[:, None], 0, stats.dlaplace.rvs(1.0, size=(900, 3), random_state=1))
    users = np.arange(600)
    hidden = np.where(np.arange(900) < 600, codes, 0)
    model = BlockModel.fit(noisy, epsilon, hidden, users)
    assert np.abs(model.shares - shares).max() < 0.05
    assert model.sociability.sum(axis=1) == pytest.approx(1.0)
    found = model.log_likelihood(noisy, epsilon)[600:].argmax(axis=1) == codes[600:]
    exact = np.isinf(epsilon[600:])
    assert found[exact].mean() > found[~exact].mean() > 0.7


@pytest.mark.attack("learning")
@pytest.mark.parametrize("lie", [1 << 27, -(1 << 27)])
def test_counts_that_no_honest_device_sends_change_nobody_else(lie: int) -> None:
    """One user tells of 2²⁷ friends in a group, or of as many below zero.

    The wire carries such counts: they take no memory, no share, and say nothing of the liar's own class.
    """
    rng = np.random.default_rng(0)
    codes = np.arange(60) % 2
    counts = rng.poisson(np.array([[6.0, 1.0], [1.0, 6.0]])[codes]).astype(np.float64)
    epsilon, users = np.ones(60), np.arange(40)
    forged = counts.copy()
    forged[[0, 50]] = [lie, 0.0]  # a labelled user, and one who is not
    model = BlockModel.fit(forged, epsilon, codes, users)
    honest = BlockModel.fit(counts, epsilon, codes, users[1:])
    assert np.array_equal(model.shares, honest.shares)
    found = model.log_likelihood(forged, epsilon)
    others = np.delete(np.arange(60), [0, 50])
    assert found[others] == pytest.approx(honest.log_likelihood(counts, epsilon)[others])


@pytest.mark.attack("learning")
def test_one_claim_of_ten_thousand_friends_weighs_no_more_than_one_of_a_hundred() -> None:
    """One labelled user tells of 10,000 friends in a group, which a device may send.

    A device may have sent it. 400 users of each of two classes still find theirs; seeded.
    """
    rng = np.random.default_rng(1)
    codes = np.arange(1200) % 2
    counts = rng.poisson(np.array([[6.0, 2.0], [2.0, 6.0]])[codes]).astype(np.float64)
    epsilon, users = np.ones(1200), np.arange(800)
    models = []
    for claimed in (10_000.0, 100.0):
        forged = counts.copy()
        forged[0] = [0.0, claimed]  # the friends that the other class has
        models.append(BlockModel.fit(forged, epsilon, codes, users))
    assert models[0].shares == pytest.approx(models[1].shares)
    honest = BlockModel.fit(counts, epsilon, codes, users)
    found = [model.log_likelihood(counts, epsilon)[800:].argmax(axis=1) for model in (models[0], honest)]
    assert (found[0] == codes[800:]).mean() > (found[1] == codes[800:]).mean() - 0.02


@pytest.mark.attack("learning")
def test_one_in_fifty_who_claim_the_other_class_s_friends_outweigh_nobody() -> None:
    """One labelled user in fifty tells of 1,000 friends in the group where another class has its own."""
    rng = np.random.default_rng(2)
    codes = np.arange(1200) % 2
    counts = rng.poisson(np.array([[6.0, 2.0], [2.0, 6.0]])[codes]).astype(np.float64)
    epsilon, users, liars = np.ones(1200), np.arange(800), np.arange(16)
    counts[liars] = 0.0
    counts[liars, 1 - codes[liars]] = 1000.0
    model = BlockModel.fit(counts, epsilon, codes, users)
    assert (np.diag(model.shares) > 0.6).all()
    assert (model.log_likelihood(counts, epsilon)[800:].argmax(axis=1) == codes[800:]).mean() > 0.85


@pytest.mark.attack("learning")
@pytest.mark.parametrize("claimed", [0.0, 30.0, 1000.0])
def test_a_user_s_counts_rule_no_class_out(claimed: float) -> None:
    """A few validation users tell of friends that their own class cannot have, so that nobody's counts are heard."""
    model = BlockModel(np.array([[0.9, 0.1], [0.1, 0.9]]), np.full((2, 24), 1 / 24))
    told = model.log_likelihood(np.array([[claimed, 0.0], [0.0, claimed]]), np.ones(2))
    assert np.ptp(told, axis=1).max() <= 5.0 + 1e-9
    assert told[0] == pytest.approx(told[1, ::-1])
    assert np.array_equal(told.argmax(axis=1), [0, 1]) == (claimed > 0)
