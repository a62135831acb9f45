"""LabelLimits that cost no more than allowed, and are as low as they can be."""

import numpy as np
import pytest

from graphldp.learn.calibration import Calibration
from graphldp.learn.tables.robust.limits import LabelLimits

Held = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def held_out(seed: int, classes: int = 2, graphs: int = 400) -> Held:
    """Votes, chances of the profile, chances that settle, and true classes; the profile knows most."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, classes, graphs)
    own = np.arange(classes) == codes[:, None]
    votes = 1.0 * own + rng.normal(size=own.shape)
    chances = rng.dirichlet(np.ones(classes), graphs) * 0.4 + 0.6 * own
    settled = np.maximum(rng.dirichlet(np.ones(classes), graphs) * 0.7 + 0.3 * own - 0.05, 0.0)
    return votes, chances, settled, codes


def labels(held: Held, limits: LabelLimits) -> np.ndarray:
    """By the definition: votes, what is settled, or the profile."""
    votes, chances, settled, _ = held
    first = np.sort(votes, axis=1)
    spoken = np.where(settled.max(axis=1) > limits.sure, settled.argmax(axis=1), chances.argmax(axis=1))
    return np.asarray(np.where(first[:, -1] - first[:, -2] > limits.voice, votes.argmax(axis=1), spoken))


def cost(held: Held, limits: LabelLimits) -> float:
    """Labels that calibrated chances say are lost, over all graphs."""
    _, chances, _, codes = held
    worth = Calibration.fit(chances, codes).apply(chances)
    row = np.arange(len(codes))
    return float((worth.max(axis=1) - worth[row, labels(held, limits)]).mean())


@pytest.mark.parametrize(("seed", "classes"), [(0, 2), (1, 2), (2, 3)])
@pytest.mark.parametrize("allowance", [0.0, 0.01, 0.05])
def test_they_cost_no_more_than_allowed_and_no_lower_ones_do(seed: int, classes: int, allowance: float) -> None:
    held = held_out(seed, classes)
    limits = LabelLimits.choose(*held, allowance)
    assert cost(held, LabelLimits(limits.voice, 1.0)) <= allowance / 2 + 1e-12
    assert cost(held, limits) <= allowance + 1e-12
    votes, _, settled, _ = held
    first = np.sort(votes, axis=1)
    leads, sure = first[:, -1] - first[:, -2], settled.max(axis=1)
    lower = leads[leads <= limits.voice].max() - 1e-12  # the first graph that is left out comes in
    assert cost(held, LabelLimits(lower, 1.0)) > allowance / 2
    below = sure[(sure <= limits.sure) & (leads <= limits.voice)].max() - 1e-12
    assert limits.sure == 0.5 or cost(held, LabelLimits(limits.voice, below)) > allowance


@pytest.mark.parametrize("seed", range(3))
def test_the_more_is_allowed_the_lower_they_are(seed: int) -> None:
    held = held_out(seed)
    found = np.array([LabelLimits.choose(*held, each) for each in (0.0, 0.01, 0.03, 0.1, 1.0)])
    assert (np.diff(found[:, 0]) <= 0).all()
    assert (found[:, 1] >= 0.5).all()
    assert tuple(found[-1]) == (0.0, 0.5)  # all that may be overruled is
    assert found[0, 0] > 0
    assert found[0, 1] > 0.5


def test_what_agrees_with_the_profile_costs_nothing() -> None:
    _, chances, _, codes = held_out(0)
    assert LabelLimits.choose(chances, chances, chances, codes, 0.0) == (0.0, 0.5)


def test_nothing_is_settled_where_nothing_is_known() -> None:
    votes, chances, settled, codes = held_out(0)
    assert LabelLimits.choose(votes, chances, np.zeros_like(settled), codes, 0.5).sure == 1.0


def test_which_graphs_were_lucky_does_not_matter() -> None:
    """Two graphs of which the profile says the same change their classes: neither limit moves."""
    votes, chances, settled, codes = held_out(0)
    other = held_out(1)
    twice = np.concatenate((votes, other[0])), np.tile(chances, (2, 1)), np.concatenate((settled, other[2]))
    found = [LabelLimits.choose(*twice, np.concatenate(each), 0.02) for each in ((codes, other[3]), (other[3], codes))]
    assert found[0] == found[1]
    assert found[0].voice > 0
