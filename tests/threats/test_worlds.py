"""Two worlds that look the same to a learner: the distances, and what follows."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

import graphldp as gl
from graphldp.errors import DataError, ParameterError
from graphldp.threats.worlds import Liars, differing, exchangeable, hidden


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 2.0])
def test_the_distance_of_two_reports_is_the_laws(epsilon: float) -> None:
    decay, at = np.exp(-epsilon), np.arange(-300, 301)
    law = (1 - decay) / (1 + decay) * decay ** np.abs(at)
    for apart, found in enumerate(hidden(epsilon)[:8]):
        moved = (1 - decay) / (1 + decay) * decay ** np.abs(at - apart)
        assert found == pytest.approx(1 - np.minimum(law, moved).sum(), abs=1e-12)


def test_graphs_alike_do_not_differ_and_one_friend_more_is_half_hidden() -> None:
    some = np.array([1, 1, 2, 5])
    assert differing(some, some[::-1], 1.0) == (0.0, 0.0)
    assert differing(some, np.array([2, 5, 1]), 1.0) == (0.0, 0.0)  # a user with one friend is added
    chance = hidden(1.0)[1]
    mean, variance = differing(some, np.array([1, 1, 3, 5]), 1.0)
    assert mean == pytest.approx(chance)
    assert variance == pytest.approx(chance * (1 - chance))


def test_twins_change_places_without_a_liar_and_n_is_never_forged() -> None:
    twins = [nx.star_graph(20), nx.star_graph(20), nx.path_graph(90)]
    graphs = gl.GraphSet.from_networkx(twins, [0, 1, 1])
    assert exchangeable(graphs, 0.0, 1.0) == pytest.approx(2 / 3)
    assert exchangeable(graphs, 1.0, 1.0) == pytest.approx(2 / 3)


def test_more_liars_exchange_more_and_those_of_both_worlds_most() -> None:
    graphs = gl.synthetic.threads(num_graphs=60, seed=1)
    names: tuple[Liars, ...] = ("one", "random", "both")
    found = [[exchangeable(graphs, share, 1.0, liars) for liars in names] for share in (0.02, 0.1, 0.3)]
    assert (np.diff(found, axis=0) >= 0).all()
    assert (np.diff(found, axis=1) >= 0).all()
    assert found[2][2] > found[0][2]


def test_what_cannot_be_paired_is_refused() -> None:
    graphs = gl.synthetic.threads(num_graphs=6, seed=1)
    alone = gl.GraphSet.from_networkx([nx.star_graph(4)] * 2, [1, 1])
    with pytest.raises(DataError, match="of two classes"):
        exchangeable(alone, 0.1, 1.0)
    with pytest.raises(ParameterError, match="The 'fraction' parameter of exchangeable"):
        exchangeable(graphs, 1.5, 1.0)
    with pytest.raises(ParameterError, match="one of both, one, random"):
        exchangeable(graphs, 0.1, 1.0, "none")  # type: ignore[arg-type]
