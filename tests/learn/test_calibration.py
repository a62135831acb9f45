import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from tests.values import wrong

from graphldp.errors import ParameterError
from graphldp.learn.calibration import Calibration, reliability

CHANCES = st.integers(2, 5).flatmap(
    lambda classes: arrays(np.float64, st.tuples(st.integers(0, 6), st.just(classes)), elements=st.floats(0.0, 1.0))
)


@given(CHANCES, st.floats(1 / 16, 16.0), st.integers(1, 10_000))
def test_probabilities_that_the_held_out_graphs_support(raw: np.ndarray, temperature: float, graphs: int) -> None:
    total = raw.sum(axis=1, keepdims=True)
    chances = np.where(total > 0, raw / np.where(total > 0, total, 1.0), 1 / raw.shape[1])
    made = Calibration(temperature, graphs)
    found = made.apply(chances)
    assert found.shape == chances.shape
    np.testing.assert_allclose(found.sum(axis=1), 1.0)
    assert (found > 0).all()
    assert (found <= (made.graphs + 1) / (made.graphs + raw.shape[1]) + 1e-12).all()
    # the likeliest class stays the likeliest: none has more than the one that had most
    own = np.arange(len(chances)), chances.argmax(axis=1)
    assert (found <= found[own][:, None] + 1e-12).all()


def sharpened(graphs: int, sharpness: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Probabilities that a classifier gives, and classes drawn by the true ones: it is too sure by ``sharpness``."""
    rng = np.random.default_rng(seed)
    odds = rng.normal(scale=1.5, size=graphs)
    codes = (rng.random(graphs) < 1 / (1 + np.exp(-odds))).astype(np.int64)
    said = 1 / (1 + np.exp(-sharpness * odds))
    return np.stack((1 - said, said), axis=1), codes


@pytest.mark.parametrize("sharpness", [0.4, 1.0, 4.0])
def test_the_temperature_of_a_classifier_that_is_off_by_a_known_one(sharpness: float) -> None:
    """By 2,000 graphs; one seed, so there is no false alarm. The error then is checked on others."""
    found = Calibration.fit(*sharpened(2000, sharpness, seed=1))
    assert found.graphs == 2000
    assert found.temperature == pytest.approx(sharpness, rel=0.2)  # the prior holds it back
    chances, codes = sharpened(4000, sharpness, seed=2)
    before, after = reliability(chances, codes).error, reliability(found.apply(chances), codes).error
    assert after < 0.025
    assert sharpness == 1.0 or before > 2 * after


def test_few_graphs_never_give_certainty() -> None:
    """Twenty graphs that were all right support 21/22, and one graph 2/3; none at all count as one."""
    sure = np.tile([1.0, 0.0], (20, 1))
    found = Calibration.fit(sure, np.zeros(20, np.int64))
    assert found.apply(sure).max() == pytest.approx(21 / 22)
    assert Calibration.fit(sure[:0], np.zeros(0, np.int64)) == Calibration(1.0, 1)
    assert Calibration().apply(sure).max() == pytest.approx(2 / 3)


def test_a_prior_holds_the_temperature_where_graphs_are_few() -> None:
    """Four right ones at 60 % are no reason to say 99 %."""
    chances = np.tile([0.6, 0.4], (4, 1))
    assert 0.25 < Calibration.fit(chances, np.zeros(4, np.int64)).temperature < 1.0


@pytest.mark.parametrize("given", [{"temperature": 0.0}, {"temperature": float("nan")}, {"graphs": 0}, {"graphs": 2.5}])
def test_bad_parameters(given: dict[str, float]) -> None:
    with pytest.raises(ParameterError, match=f"The '{next(iter(given))}' parameter of Calibration must be"):
        Calibration(**wrong(given))


def test_reliability_by_hand() -> None:
    """Two graphs at 60 % of which one is right, two at 95 % of which both are: |1.2 − 1| + |1.9 − 2| over 4."""
    chances = np.array([[0.6, 0.4], [0.4, 0.6], [0.95, 0.05], [0.05, 0.95]])
    found = reliability(chances, np.array([0, 0, 0, 1]))
    assert found.count.tolist() == [0, 0, 0, 0, 0, 0, 2, 0, 0, 2]
    assert found.right.tolist() == [0, 0, 0, 0, 0, 0, 1, 0, 0, 2]
    assert found.error == pytest.approx((0.2 + 0.1) / 4)


def test_sure_and_right_has_no_error() -> None:
    assert reliability(np.eye(3), np.arange(3)).error == 0.0
    assert reliability(np.eye(3), np.array([1, 2, 0])).error == 1.0
