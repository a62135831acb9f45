from dataclasses import replace

import networkx as nx
import numpy as np
import pytest

import graphldp as gl
from graphldp.errors import ParameterError
from graphldp.learn.tables.witness_classifier import WitnessClassifier


@pytest.mark.parametrize("epsilon", [0.01, 0.2, 1.0])
def test_up_to_one_everything_goes_to_the_degrees(epsilon: float) -> None:
    recipe = gl.recommended(epsilon)
    assert isinstance(recipe.mechanism, gl.NoisyDegrees)
    budget = recipe.mechanism.budget()
    assert (budget.degree, budget.edges) == (epsilon, 0.0)
    assert "degrees" in recipe.why
    assert recipe.mechanism.noise == "discrete"


@pytest.mark.parametrize("epsilon", [1.1, 2.0, 10.0 / 3, 1e3, 1e16])
def test_above_one_hubs_send_lists(epsilon: float) -> None:
    recipe = gl.recommended(epsilon)
    assert isinstance(recipe.mechanism, gl.HubLists)
    assert recipe.mechanism.noise == "discrete"
    assert "hubs" in recipe.why
    star = gl.GraphSet.from_edges(np.zeros(999, np.int64), np.arange(1, 1000), [1000])
    reports = recipe.mechanism.randomize(star, rng=0)
    assert reports.guarantee.edge_ldp <= epsilon
    assert reports.epsilon2[0] > 0
    assert not reports.epsilon2[1:].any()


def test_one_epsilon_per_user() -> None:
    star = gl.GraphSet.from_edges([0] * 399 + [400] * 399, [*range(1, 400), *range(401, 800)], [400, 400])
    epsilon = np.full(800, 2.0)
    epsilon[0], epsilon[1] = 1.0, np.inf  # the hub of the first graph has too little for a list
    reports = gl.recommended(epsilon).mechanism.randomize(star, rng=0)
    assert np.flatnonzero(reports.epsilon2).tolist() == [1, 400]
    assert reports.guarantee.epsilon.tolist() == pytest.approx(epsilon.tolist())
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


@pytest.mark.parametrize("witnesses", [True, False])
def test_nothing_is_promised_once_the_silent_were_taken_out(witnesses: bool) -> None:
    """Here n alone tells the classes apart, so one user more who keeps silent changes the label of what is left."""
    sizes = np.tile(np.arange(16, 30), 10)
    users = gl.GraphSet.from_networkx([nx.cycle_graph(int(n)) for n in (*sizes, 24)], (*(sizes >= 23), True))
    recipe = gl.recommended(1.0, witnesses=True) if witnesses else gl.recommended(1.0)
    reports = recipe.mechanism.randomize(users, rng=7)
    classifier = recipe.defense or recipe.classifier
    assert isinstance(classifier, gl.RobustProfileClassifier | WitnessClassifier)
    classifier.fit(reports[: len(sizes)])
    last = reports[len(sizes) :]
    first, more = (replace(last, missing=np.isin(np.arange(24), silent)) for silent in ([0], [0, 2]))
    assert classifier.withstands(first).all()
    assert classifier.predict(first) == classifier.predict(more)
    assert classifier.predict(first.induced()) != classifier.predict(more.induced())
    assert not classifier.withstands(first.induced()).any()
