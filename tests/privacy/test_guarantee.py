"""What reports promise, in numbers and in words."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import graphldp as gl

# two graphs: three users and two
GRAPHS = gl.GraphSet.from_edges([0, 1, 3], [1, 2, 4], [3, 2])
SIMULATED = (
    "Simulated: drawn from a seed, in floating point, where the raw graphs are. This is not a release: who knows or "
    "guesses the seed can undo the noise, and rounding breaks the bound in the last digits."
)
DIRECTED = gl.GraphSet.from_edges([0, 1, 3], [1, 2, 4], [3, 2], directed=True)


def test_one_epsilon_for_all() -> None:
    guarantee = gl.DPRR(2.5).randomize(GRAPHS, rng=0).guarantee
    assert guarantee.epsilon.tolist() == [2.5] * 5
    assert (guarantee.edge_ldp, guarantee.relationship_dp, guarantee.public_users) == (2.5, 5.0, 0)


def test_the_two_largest_of_one_graph() -> None:
    guarantee = gl.RR(np.array([1.0, 2.0, 0.5, 2.5, 0.1])).randomize(GRAPHS, rng=0).guarantee
    assert guarantee.edge_ldp == 2.5
    assert guarantee.relationship_dp == 3.0  # 1 + 2 in the first graph; 2 + 2.5 are of different graphs


def test_not_promised() -> None:
    assert gl.RR(1.0).randomize(DIRECTED, rng=0).guarantee.relationship_dp is None
    public = gl.RR(np.array([1.0, 1.0, np.inf, 1.0, 1.0])).randomize(GRAPHS, rng=0).guarantee
    assert (public.relationship_dp, public.edge_ldp, public.public_users) == (None, np.inf, 1)
    assert gl.NonPrivFull().randomize(GRAPHS, rng=0).guarantee.public_users == 5


def test_nobody_to_share_an_edge_with() -> None:
    alone = gl.GraphSet.from_edges([], [], [1, 1, 0])
    assert gl.RR(1.0).randomize(alone, rng=0).guarantee.relationship_dp == 0.0


@pytest.mark.parametrize(
    ("mechanism", "graphs", "words"),
    [
        (
            gl.DPRR(2.5),
            GRAPHS,
            "Edge LDP: 5 private users, ε = 2.5 each.\n"
            f"{SIMULATED}\n"
            "Noise: continuous Laplace in floating point, for simulation; a live client draws the discrete law exactly."
            "\nRelationship DP: 5 for the two reports that share an edge.",
        ),
        (
            gl.DPRR(2.5, noise="discrete"),
            DIRECTED,
            "Edge LDP: 5 private users, ε = 2.5 each.\n"
            f"{SIMULATED}\n"
            "Noise: discrete Laplace, the law that the live client draws exactly.\n"
            "Relationship DP: does not arise, since a directed edge stands in one list only.",
        ),
        (
            gl.RR(np.array([1.0, 2.0, np.inf, 1.0, 1.0])),
            GRAPHS,
            "Edge LDP: 4 private users, ε from 1 to 2 each.\n"
            f"{SIMULATED}\n"
            "Not promised: 1 public users publish their lists as they are. An edge between a private and a public user "
            "is disclosed by the public one; only edges between private users stay hidden.",
        ),
        (
            gl.RR(np.array([1.0, 1.0, np.inf, 1.0, 1.0])),
            DIRECTED,
            "Edge LDP: 4 private users, ε = 1 each.\n"
            f"{SIMULATED}\n"
            "Relationship DP: does not arise, since a directed edge stands in one list only.\n"
            "Not promised: 1 public users publish their lists as they are. Every edge that leaves a public user is "
            "disclosed; those that leave private users stay hidden.",
        ),
    ],
)
def test_in_words(mechanism: gl.Mechanism, graphs: gl.GraphSet, words: str) -> None:
    assert str(mechanism.randomize(graphs, rng=0).guarantee) == words


@pytest.mark.attack("learning")
def test_only_what_clients_sent_is_a_release() -> None:
    """A simulation that is published as if it were private."""
    drawn = gl.DPRR(2.5, noise="discrete").randomize(GRAPHS, rng=0)
    sent = replace(drawn, collected=True).subset([0])
    assert "This is not a release" in str(drawn.guarantee)
    assert "not a release" not in str(sent.guarantee)
    assert "Collected: drawn on the users' devices." in str(sent.guarantee)
    assert "release" not in str(gl.NonPrivFull().randomize(GRAPHS, rng=0).guarantee)  # nothing is promised at all


def test_a_subset_keeps_its_users_promises() -> None:
    reports = gl.RR(np.array([1.0, 2.0, 0.5, 2.5, 0.1])).randomize(GRAPHS, rng=0)
    assert reports.subset([1]).guarantee.epsilon.tolist() == [2.5, 0.1]
