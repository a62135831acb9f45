import numpy as np
import pytest

import graphldp as gl
from graphldp.learn.tables.hubs import count_profile, hub_profile


def spoked(n: int, busy: int) -> gl.GraphSet:
    """A hub with n/2 friends, of whom ``busy`` have another friend each among the strangers."""
    half = n // 2
    source = [0] * half + list(range(1, busy + 1))
    target = list(range(1, half + 1)) + list(range(half + 1, half + 1 + busy))
    return gl.GraphSet.from_edges(source, target, [n])


def plain(graphs: gl.GraphSet) -> list[float]:
    """The four numbers of a raw graph, by a loop over the hub's list."""
    degree = graphs.degrees
    hub = int(degree.argmax())
    friends = {int(each) for each in graphs.indices[graphs.indptr[hub] : graphs.indptr[hub + 1]]}
    x = np.minimum(degree, 8)
    t = sum(int(x[j]) for j in friends)
    rest = int(x.sum() - x[hub]) - t
    n = graphs.num_users - 1
    return [t / n, rest / n, t / len(friends), rest / max(n - len(friends), 1)]


def test_raw_graphs_against_a_plain_loop() -> None:
    threads = gl.synthetic.threads(20, seed=1)
    table = hub_profile(threads)
    for graph in range(20):
        np.testing.assert_allclose(table[graph, :4], plain(threads[graph]))
    np.testing.assert_allclose(table[:, 4:9].sum(axis=1), 1.0)


def test_public_users_by_hand() -> None:
    row = hub_profile(spoked(10, 2))[0]  # friends 1 … 5, of whom 1 and 2 know 6 and 7; 8 and 9 are alone
    np.testing.assert_allclose(row[:4], [7 / 9, 2 / 9, 7 / 5, 2 / 4])
    np.testing.assert_allclose(row[4:], [7 / 9, 2 / 9, 0, 0, 0, 7 / 5, 2 / 4])


@pytest.mark.parametrize("public_fraction", [0.0, 0.3])
def test_the_hubs_list_tells_who_is_around(public_fraction: float) -> None:
    """The mean over 300 draws is near the truth; the bound is 4.5 standard errors and 5 % for the bias of q and x."""
    one = spoked(200, 50)
    graphs = one.subset(np.zeros(300, np.int64))
    graphs = gl.GraphSet(graphs.indptr, graphs.indices, graphs.graph_ptr)
    budget = gl.Budget(10.0, 1.0)  # nearly exact degrees: what is tested here are the links
    epsilon = gl.customized(graphs, epsilon=11.0, public_fraction=public_fraction, rng=2) if public_fraction else 11.0
    reports = gl.DPRR(epsilon, allocation=budget).randomize(graphs, rng=1)
    found = hub_profile(reports)[:, 2]
    truth = plain(one)[2]
    assert abs(found.mean() - truth) < 4.5 * found.std() / 300**0.5 + 0.05 * truth
    assert abs(found.mean() - truth) < abs(1.25 - truth) / 2  # 1.25 is the mean of all: friends drawn at random


def test_lists_that_say_nothing_leave_friends_to_chance() -> None:
    threads = gl.synthetic.threads(10, seed=1)
    table = hub_profile(gl.NoisyDegrees(1.0).randomize(threads, rng=0))
    np.testing.assert_allclose(table[:, 2], table[:, 0] + table[:, 1])
    assert (table[:, 4:] == -1).all()  # nobody is public


def test_a_public_hub_is_taken_at_her_word() -> None:
    graphs = spoked(40, 10)
    epsilon = np.full(40, 50.0)  # sharp degrees, so that user 0 is the hub; lists of noise
    epsilon[0] = np.inf
    reports = gl.DPRR(epsilon, allocation=gl.Budget(49.9, 0.1)).randomize(graphs, rng=0)
    assert hub_profile(reports)[0, 2] == pytest.approx(plain(graphs)[2], abs=0.1)


def test_directed_and_empty_graphs() -> None:
    arrows = gl.GraphSet.from_edges([0, 0, 1], [1, 2, 3], [5], directed=True)
    np.testing.assert_allclose(hub_profile(arrows)[0, :4], [1 / 4, 0, 1 / 2, 0])
    empty = gl.GraphSet.from_edges([], [], [0, 1, 2])
    assert np.isfinite(hub_profile(empty)).all()
    assert hub_profile(empty.subset([])).shape == (0, 11)


def test_two_counts_tell_how_busy_the_hubs_friends_are() -> None:
    """Without noise the counts are exact, and T is the sum over the two sides' means."""
    graphs = gl.GraphSet.from_edges([0] * 30 + [1, 1, 1, 1], [*range(1, 31), 2, 3, 4, 5], [41])
    reports = gl.HubCounts(60.0, times=3.0, busy=2.0).randomize(graphs, rng=1)
    everybody = 25 * 1.0 + 5 + 4 * 2 + 10 * 0.0
    mean = everybody / 40
    told = mean * 30 + 25 * (25 / 35 - mean) + 5 * ((5 + 4 * 2) / 5 - mean)
    assert hub_profile(reports)[0, 2] == pytest.approx(told / 30)
    np.testing.assert_allclose(count_profile(reports)[0], [25 / 40, 5 / 40, 25 / 35, 1.0, 5 / 30, 0.0])
    absent = gl.HubCounts(60.0, times=3.0, busy=2.0, away=1.0).randomize(graphs, rng=1)
    assert (count_profile(absent) == -1).all()
    np.testing.assert_allclose(hub_profile(absent)[0, 2], mean)
