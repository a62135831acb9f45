"""Joint: its parts are drawn as they are alone, and the ledger adds up."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.values import some

import graphldp as gl
from graphldp.audit.montecarlo import audit_mechanism
from graphldp.errors import DataError, ParameterError
from graphldp.mechanisms.attributes.friend_counts import true_counts

GRAPHS = gl.synthetic.barabasi_albert(n=30, m=2, num_graphs=3, seed=0)
GRAPHS = GRAPHS.with_features(np.random.default_rng(0).random((90, 3)), public=[True, False, False])
GRAPHS = GRAPHS.with_node_labels(np.random.default_rng(1).integers(0, 3, 90))
LABELS, NUMBERS = gl.CategoryRR(0.75, categories=3), gl.MultiBit(0.5)


@pytest.mark.parametrize("edges", [gl.RR(1.0), gl.NoisyDegrees(1.0), gl.DPRR(2.0), gl.HubLists(2.0, times=1.0)])
def test_each_part_is_drawn_as_it_is_alone(edges: gl.Mechanism) -> None:
    reports = gl.Joint(edges=edges, features=(NUMBERS, LABELS)).randomize(GRAPHS, rng=3)
    alone = edges.randomize(GRAPHS, rng=3)
    assert np.array_equal(reports.indices, alone.indices)
    if alone.noisy_degree is not None:
        assert np.array_equal(some(reports.noisy_degree), alone.noisy_degree)
    for part, name in ((NUMBERS, "features"), (LABELS, "labels")):
        assert np.array_equal(getattr(reports.columns, name), getattr(part.randomize(GRAPHS, rng=3).columns, name))
    assert np.array_equal(reports.epsilon1, alone.epsilon1)
    assert np.array_equal(reports.epsilon2, alone.epsilon2)
    assert (reports.origin.name, reports.noise) == (alone.origin.name, alone.noise)


def test_the_ledger_adds_up() -> None:
    reports = gl.Joint(edges=gl.NoisyDegrees(1.0), features=(NUMBERS, LABELS)).randomize(GRAPHS, rng=0)
    promised = reports.guarantee
    assert promised.epsilon.tolist() == [2.25] * 90
    assert (promised.edge_ldp, promised.column_ldp, promised.relationship_dp) == (1.0, 1.25, 2.0)
    assert str(promised).startswith(
        "Edge LDP: 90 private users, ε = 1 each.\n"
        "Local DP of features: 90 users, ε = 0.5 each, whatever a row holds.\n"
        "Local DP of labels: 90 users, ε = 0.75 each, whatever a row holds.\n"
        "Together: ε = 2.25 for a friend and all private columns of one user at once.\n"
    )
    assert reports.origin.parameters["beside"] == [str(each.origin) for each in (NUMBERS, LABELS)]


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 7.3, np.array([0.3, np.inf, 2.0] * 30)], ids=str)
def test_shares_of_another_epsilon_never_add_up_to_more(epsilon: Any) -> None:
    made = gl.Joint(edges=gl.NoisyDegrees(0.3), features=(NUMBERS, LABELS)).at(epsilon)
    assert (np.asarray(made.epsilon) <= epsilon).all()
    assert np.allclose(made.epsilon, epsilon)
    finite = np.isfinite(epsilon)
    shares = np.asarray(made.edges.epsilon)[finite] / np.asarray(epsilon)[finite]
    assert np.allclose(shares, 0.3 / 1.55)


def test_a_column_without_a_mechanism_stays_at_home() -> None:
    reports = gl.Joint(edges=gl.RR(1.0), features=NUMBERS).randomize(GRAPHS, rng=0)
    assert reports.node_labels is None
    assert reports.columns.labels is None
    assert reports.features.shape == (90, 1)


@pytest.mark.attack("learning")
def test_friends_are_counted_by_what_they_told() -> None:
    """Count friends by their true private label, in `Joint`.

    Not by the private label itself: counts of ε = 200 are exactly those by the noisy labels.
    """
    reports = gl.Joint(edges=gl.FriendCounts(200.0), features=LABELS).randomize(GRAPHS, rng=0)
    told = some(reports.columns.labels)
    assert np.array_equal(some(reports.groups), told)
    assert (told != GRAPHS.node_labels).any()
    assert np.array_equal(some(reports.friend_counts), true_counts(GRAPHS.with_groups(told, num_groups=3)))


def test_public_groups_come_first() -> None:
    groups = np.arange(90) % 2
    reports = gl.Joint(edges=gl.FriendCounts(1.0), features=LABELS).randomize(GRAPHS.with_groups(groups), rng=0)
    assert np.array_equal(some(reports.groups), groups)


@pytest.mark.parametrize("mechanism", [gl.FriendCounts(1.0), gl.RR(1.0), LABELS])
def test_nobody_is_grouped_by_a_private_label(mechanism: gl.Mechanism) -> None:
    grouped = GRAPHS.with_groups(2 - some(GRAPHS.node_labels))  # other numbers, the same groups
    with pytest.raises(DataError, match="give away everybody's node_labels, which are private"):
        mechanism.randomize(grouped, rng=0)
    shown = grouped.with_node_labels(GRAPHS.node_labels, public=True)
    assert gl.FriendCounts(1.0).randomize(shown, rng=0).num_groups == 3


def test_nobody_is_grouped_by_a_private_feature() -> None:
    kinds = np.arange(90) % 2
    graphs = gl.GraphSet.from_edges([], [], [90]).with_groups(kinds)
    with pytest.raises(DataError, match="give away everybody's features, which are private"):
        gl.FriendCounts(1.0).randomize(graphs.with_features(np.stack((np.arange(90), kinds), 1)), rng=0)
    public = graphs.with_features(np.stack((np.arange(90), kinds), 1), public=[False, True])
    assert gl.FriendCounts(1.0).randomize(public, rng=0).num_groups == 2


def test_the_whole_is_audited() -> None:
    """A friend and all columns changed at once: the bound stays below the sum of both, and above either; seeded."""
    made = gl.Joint(edges=gl.RR(1.0), features=(gl.CategoryRR(1.0, categories=2), gl.MultiBit(1.0, sampled=2)))
    found = audit_mechanism(made, samples=20_000)
    assert found.claimed == 3.0
    assert found.holds
    assert found.shown > 2.0


@pytest.mark.parametrize(
    ("parts", "named"),
    [
        ({"edges": NUMBERS, "features": LABELS}, "edges"),
        ({"edges": 1.0, "features": LABELS}, "edges"),
        ({"edges": gl.Joint(edges=gl.RR(1.0), features=LABELS), "features": NUMBERS}, "edges"),
        ({"edges": gl.RR(1.0), "features": gl.RR(1.0)}, "features"),
        ({"edges": gl.RR(1.0), "features": ()}, "features"),
        ({"edges": gl.RR(1.0), "features": (LABELS, LABELS)}, "features"),
        ({"edges": gl.RR(np.ones(3)), "features": gl.MultiBit(np.ones(2))}, "features"),
    ],
)
def test_parts_that_do_not_fit(parts: dict[str, Any], named: str) -> None:
    with pytest.raises(ParameterError, match=f"'{named}' parameter of Joint must be"):
        gl.Joint(**parts)


def test_an_infinite_epsilon_has_no_shares() -> None:
    with pytest.raises(ParameterError, match="to be shared out anew"):
        gl.Joint(edges=gl.NonPrivFull(), features=LABELS).at(1.0)


def test_noisy_columns_reach_pyg() -> None:
    pytest.importorskip("torch_geometric", reason="needs the extra [learn]")
    reports = gl.Joint(edges=gl.RR(1.0), features=(NUMBERS, LABELS)).randomize(GRAPHS, rng=0)
    last = reports.to_pyg()[2]
    assert np.allclose(last.noisy_features.numpy(), some(reports.columns.features)[60:])
    assert last.noisy_labels.tolist() == some(reports.columns.labels)[60:].tolist()
