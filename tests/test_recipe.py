import numpy as np
import pytest

import graphldp as gl
from graphldp.errors import ParameterError


@pytest.mark.parametrize("epsilon", [0.01, 0.2, 1.0])
def test_up_to_one_everything_goes_to_the_degrees(epsilon: float) -> None:
    recipe = gl.recommended(epsilon)
    assert isinstance(recipe.mechanism, gl.NoisyDegrees)
    budget = recipe.mechanism.budget()
    assert (budget.degree, budget.edges) == (epsilon, 0.0)
    assert "degrees" in recipe.why
    assert recipe.mechanism.noise == "discrete"


@pytest.mark.parametrize("epsilon", [1.1, 2.0, 3.3, 10.0 / 3, 1e3, 1e16])
def test_what_exceeds_one_goes_to_the_edges(epsilon: float) -> None:
    mechanism = gl.recommended(epsilon).mechanism
    assert isinstance(mechanism, gl.DPRR)
    assert mechanism.noise == "discrete"
    budget = mechanism.budget(n_max=100)
    assert budget.degree == 1.0
    assert budget.total <= epsilon
    assert budget.edges == pytest.approx(epsilon - 1.0)


def test_one_epsilon_per_user() -> None:
    epsilon = np.array([0.5, 2.0, np.inf])
    budget = gl.recommended(epsilon).mechanism.budget(n_max=3)
    np.testing.assert_array_equal(budget.degree, [0.5, 1.0, np.inf])
    np.testing.assert_array_equal(budget.edges, [0.0, 1.0, np.inf])
    assert isinstance(gl.recommended([0.5, np.inf]).mechanism, gl.NoisyDegrees)


@pytest.mark.parametrize("epsilon", [0.5, 2.0])
def test_from_graphs_to_labels(epsilon: float) -> None:
    """Threads are told apart far better than by n, which gives about 0.55; 0.7 is more than three deviations below."""
    threads = gl.synthetic.threads(160, seed=0)
    given = gl.customized(threads, epsilon=epsilon, public_fraction=0.1, rng=0)
    recipe = gl.recommended(given, seed=1)
    reports = recipe.mechanism.randomize(threads, rng=1)
    train, _, test = gl.split(threads.labels, ratios=(0.6, 0.1, 0.3), seed=1)
    assert recipe.classifier.get_params() == {"seed": 1}
    assert recipe.classifier.fit(reports.subset(train)).score(reports.subset(test)) > 0.7


def test_bad_epsilon() -> None:
    with pytest.raises(ParameterError, match="'epsilon' parameter of recommended must be a positive number"):
        gl.recommended(-1.0)
