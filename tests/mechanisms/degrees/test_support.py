"""Claims fit together in every honest graph, and forged hubs do not."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import graphldp as gl
from graphldp.errors import DataError
from graphldp.mechanisms.degrees.support import at_most, unsupported
from graphldp.threats import FakeHub, StayAway

NOISES = ("discrete", "laplace")


def of(*graphs: nx.Graph[int]) -> gl.GraphSet:
    return gl.GraphSet.from_networkx(list(graphs), [0] * len(graphs))


@pytest.mark.parametrize("epsilon", [0.2, 1.0, 3.0])
def test_the_estimate_of_a_capped_degree_has_the_right_mean(epsilon: float) -> None:
    decay, noise = np.exp(-epsilon), np.arange(-400, 401)
    law = (1 - decay) / (1 + decay) * decay ** np.abs(noise)
    for k in (1, 2, 7):
        for degree in (0, 1, k - 1, k, k + 1, 40):
            found = at_most((degree + noise).astype(np.float64), np.full(len(noise), decay), k)
            assert law @ found == pytest.approx(min(degree, k), abs=1e-9)


@given(st.integers(2, 40), st.floats(0.0, 1.0), st.integers(0, 2**32 - 1))
@settings(max_examples=20, deadline=None)
def test_without_noise_no_graph_is_doubted(n: int, density: float, seed: int) -> None:
    graphs = of(nx.gnp_random_graph(n, density, seed=seed))
    for noise in NOISES:
        assert not unsupported(gl.NoisyDegrees(60.0, noise=noise).randomize(graphs, rng=seed)).any()  # type: ignore[arg-type]


@pytest.mark.parametrize("noise", NOISES)
def test_graphs_without_any_room_are_doubted_as_seldom_as_is_said(noise: str) -> None:
    """In a star all that others have goes to the hub. 400 graphs at θ = 0.01: more than 13 once in a thousand."""
    stars = of(*(nx.star_graph(size) for size in (8, 30, 120) for _ in range(100)))
    pairs = of(*(nx.complete_bipartite_graph(2, 60) for _ in range(100)))
    found = [unsupported(gl.NoisyDegrees(1.0, noise=noise).randomize(each, rng=3)) for each in (stars, pairs)]  # type: ignore[arg-type]
    assert np.count_nonzero(np.concatenate(found)) <= 13


def test_forged_hubs_do_not_fit_and_are_counted() -> None:
    graphs = gl.synthetic.threads(num_graphs=40, seed=0)
    reports = gl.NoisyDegrees(1.0, noise="discrete").randomize(graphs, rng=0)
    assert not unsupported(reports).any()
    attack = FakeHub(fraction=0.1)
    aside, liars = unsupported(attack.apply(reports, rng=0)), np.floor(0.1 * graphs.sizes + 1e-9)
    assert (aside > 0).mean() > 0.9
    assert 0.5 < aside.sum() / liars.sum() < 2.0


def test_who_has_not_reported_may_be_anybodys_friend() -> None:
    graphs = of(*(nx.star_graph(60) for _ in range(50)))
    reports = StayAway(fraction=0.5).apply(gl.NoisyDegrees(1.0, noise="discrete").randomize(graphs, rng=0), rng=0)
    half = FakeHub(0.5, liars=1).apply(reports, rng=1)
    assert not unsupported(half).any()  # her friends could be those who stayed away


def test_a_whole_set_of_users_can_be_gone_or_the_set_empty() -> None:
    graphs = of(nx.star_graph(3))
    reports = gl.NoisyDegrees(1.0).randomize(graphs, rng=0)
    assert unsupported(StayAway(fraction=1.0).apply(reports, rng=0)).tolist() == [0]
    assert unsupported(reports.subset(np.zeros(0, np.int64))).tolist() == []


def test_lists_alone_cannot_be_judged() -> None:
    with pytest.raises(DataError, match="These reports hold none"):
        unsupported(gl.RR(1.0).randomize(of(nx.star_graph(3)), rng=0))
