import numpy as np
import pytest

import graphldp as gl
from graphldp.learn.tables.profiles import COLUMNS, NEARNESS, degree_profile, noise_variance
from graphldp.mechanisms.degrees.noise import Noise


def test_a_star_by_hand() -> None:
    star = gl.GraphSet.from_edges([0, 0, 0, 0], [1, 2, 3, 4], [5])
    row = degree_profile(star)[0]
    assert row.shape == (COLUMNS,)
    np.testing.assert_allclose(row[:9], [np.log(6), 8, 8 / 5, -1, -1 / 5**0.5, 4, 20**0.5, 20**0.5 / 8, 68 ** (1 / 3)])
    np.testing.assert_allclose(row[9:15], [4 / 5, 3 / 5, 1 / 5, 0, 0, 0])  # Σ d without 1, 2, 4, 8, … hubs
    np.testing.assert_array_equal(row[15:27], [4, 1, 1, 1, 1] + [0] * 7)
    np.testing.assert_allclose(row[27:39], np.array([4, 1, 1, 1, 1] + [0] * 7) / 5)
    np.testing.assert_array_equal(row[39:], [4] + [1] * 9)
    largest = np.array([4, 1, 1, 1, 1, 0, 0, 0])
    near = [np.log(6), 8 / 5, -1 / 5**0.5, 4, *largest, *largest / 5]
    np.testing.assert_allclose(row[NEARNESS], near)


@pytest.mark.parametrize("noise", ["laplace", "discrete"])
def test_moments_are_unbiased(noise: Noise) -> None:
    """z of the mean over 400 draws; |z| < 4.5 fails by chance once in 147,000 runs of each of four numbers."""
    graphs = gl.synthetic.threads(1, seed=3)
    many = graphs.subset(np.zeros(400, np.int64))
    many = gl.GraphSet(many.indptr, many.indices, many.graph_ptr)  # ids of their own, so noise of their own
    reports = gl.NoisyDegrees(0.5, noise=noise).randomize(many, rng=5)
    degree = graphs.degrees.astype(np.float64)
    noisy = reports.noisy_degree
    assert noisy is not None
    variance = noise_variance(reports)
    table = degree_profile(reports)
    for column, truth in ((1, degree.sum()), (3, degree.sum() / 2 - graphs.num_users), (5, (degree**2).mean())):
        mean, error = table[:, column].mean(), table[:, column].std() / 20
        assert abs(mean - truth) < 4.5 * error
    spread = noisy - np.tile(degree, 400)
    assert (spread**2).mean() == pytest.approx(variance[0], rel=0.05)


def test_public_users_and_raw_graphs_have_no_noise() -> None:
    graphs = gl.synthetic.threads(4, seed=0)
    assert not noise_variance(graphs).any()
    epsilon = gl.customized(graphs, epsilon=1.0, public_fraction=0.5, rng=0)
    assert set(noise_variance(gl.NoisyDegrees(epsilon).randomize(graphs, rng=0))) == {0.0, 2.0}
    sharp = gl.NoisyDegrees(1e3, noise="discrete").randomize(graphs, rng=0)
    np.testing.assert_allclose(noise_variance(sharp), 0.0, atol=1e-300)
    assert not noise_variance(gl.RR(1.0).randomize(graphs, rng=0)).any()  # no d*: the lists are taken as they are


def test_empty_graphs() -> None:
    empty = gl.GraphSet.from_edges([], [], [0, 1])
    assert np.isfinite(degree_profile(empty)).all()
    assert degree_profile(empty.subset([])).shape == (0, COLUMNS)
