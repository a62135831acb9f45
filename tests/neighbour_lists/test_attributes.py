"""Columns beside edges: what a set keeps of them, and that a private one stays left of the privacy line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
from scipy import sparse
from tests.values import some

import graphldp as gl
from graphldp.errors import DataError, FormatError
from graphldp.neighbour_lists.attributes import Attributes
from graphldp.neighbour_lists.labels import NO_LABEL

X = np.array([[1.0, 0.0, 2.0], [0.0, 0.5, 0.0], [3.0, 0.0, 0.0], [0.0, 0.0, 0.0], [1.0, 1.0, 1.0]])
LABELS, GROUPS = np.array([2, NO_LABEL, 0, 2, 1]), np.array([0, 1, 0, 2, 1])
PUBLIC = np.array([True, False, True])


def graphs(features: Any = X, *, shown: Any = PUBLIC, labels: bool = False) -> gl.GraphSet:
    """A path of three and a pair, with every kind of column."""
    made = gl.GraphSet.from_edges([0, 1, 3], [1, 2, 4], [3, 2])
    made = made.with_features(features, public=shown)
    return made.with_node_labels(LABELS, public=labels).with_groups(GROUPS, num_groups=4)


def dense(features: Any) -> Any:
    return features if isinstance(features, np.ndarray) else features.toarray()


SHAPES = pytest.mark.parametrize(
    "features", [X, sparse.csr_array(X), sparse.coo_matrix(X)], ids=["dense", "csr", "coo"]
)


@SHAPES
def test_columns_follow_their_users(features: Any, tmp_path: Path) -> None:
    made = graphs(features)
    picked = made.subset([1, 0])
    order = [3, 4, 0, 1, 2]
    assert (dense(picked.features) == X[order]).all()
    assert (some(picked.node_labels) == LABELS[order]).all()
    assert (some(picked.groups) == GROUPS[order]).all()
    assert picked.subset([0]).num_groups == made.num_groups == 4
    made.save(tmp_path / "graphs.npz")
    again = gl.GraphSet.load(tmp_path / "graphs.npz")
    assert type(again.features) is type(made.features)
    assert (dense(again.features) == X).all()
    assert (some(again.attributes).public_features == PUBLIC).all()
    assert not some(again.attributes).public_labels
    assert again.num_groups == 4


def test_columns_cannot_be_written_to() -> None:
    made = graphs()
    columns: list[Any] = [made.features, made.node_labels, made.groups, graphs(sparse.csr_array(X)).features.data]
    for column in columns:
        with pytest.raises(ValueError, match="read-only"):
            column[0] = 0


@SHAPES
def test_a_private_column_does_not_cross_the_line(features: Any) -> None:
    reports = gl.RR(1.0).randomize(graphs(features), rng=0)
    assert (dense(reports.features) == X[:, PUBLIC]).all()
    assert reports.node_labels is None
    assert (some(reports.groups) == GROUPS).all()
    nothing = gl.RR(1.0).randomize(graphs(features, shown=False).with_groups(None), rng=0)
    assert nothing.attributes is None
    everything = gl.RR(1.0).randomize(graphs(features, shown=True, labels=True), rng=0)
    assert (dense(everything.features) == X).all()
    assert (some(everything.node_labels) == LABELS).all()


@pytest.mark.attack("learning")
@pytest.mark.parametrize(
    ("columns", "named"), [({"features": X}, "features"), ({"node_labels": LABELS}, "node_labels")]
)
def test_reports_refuse_a_private_column(columns: dict[str, Any], named: str, tmp_path: Path) -> None:
    """A file of reports with users' features or labels that are marked private."""
    empty = (np.zeros(6, np.int64), np.zeros(0, np.int32), np.array([0, 5]))
    with pytest.raises(DataError, match=f"public columns alone, and {named} are private"):
        gl.Reports(*empty, budget=gl.Budget(0.0, 0.0), attributes=Attributes(**columns))
    public = Attributes(**columns, public_features="features" in columns, public_labels="node_labels" in columns)
    gl.Reports(*empty, budget=gl.Budget(0.0, 0.0), attributes=public).save(tmp_path / "reports.npz")
    stored = dict(np.load(tmp_path / "reports.npz"))
    flag = "attributes.public_features" if named == "features" else "attributes.public_labels"
    np.savez(tmp_path / "forged.npz", **stored | {flag: np.zeros_like(stored[flag])})
    with pytest.raises(FormatError, match="public columns alone"):
        gl.Reports.load(tmp_path / "forged.npz")


def test_who_has_not_reported_takes_her_columns_along() -> None:
    epsilon = np.array([np.inf, 1.0, np.inf, np.inf, 1.0])
    kept = gl.NonPrivPart(epsilon).randomize(graphs(shown=True), rng=0).induced()
    assert (kept.features == X[[0, 2, 3]]).all()
    assert some(kept.groups).tolist() == [0, 0, 2]


def test_networkx_keeps_columns() -> None:
    made = graphs().to_networkx()
    assert [data for _, data in made[1].nodes(data=True)] == [
        {"x": [0.0, 0.0, 0.0], "y": 2, "group": 2},
        {"x": [1.0, 1.0, 1.0], "y": 1, "group": 1},
    ]
    known = [made[1]]
    again = gl.GraphSet.from_networkx(known, features="x", node_labels="y", groups="group", public=("x",))
    assert (again.features == X[3:]).all()
    assert some(again.attributes).private_columns() == ("node_labels",)
    assert some(again.groups).tolist() == [2, 1]
    assert gl.GraphSet.from_networkx(known).attributes is None
    with pytest.raises(DataError, match="Every node must have the attribute 'y'"):
        gl.GraphSet.from_networkx(made, node_labels="y")
    crooked: nx.Graph[int] = nx.path_graph(2)
    nx.set_node_attributes(crooked, {0: [1.0], 1: [1.0, 2.0]}, "x")
    with pytest.raises(DataError, match="'x' must have the same length"):
        gl.GraphSet.from_networkx([crooked], features="x")


def test_a_repr_holds_no_column() -> None:
    assert repr(graphs().attributes) == "<Attributes of 5 users, private: features, node_labels>"


BAD: list[tuple[dict[str, Any], str]] = [
    ({"features": X[:4]}, "one entry for each of 5 users. Got 4"),
    ({"features": X[0]}, r"shape \[users, columns\]"),
    ({"features": np.zeros((5, 0))}, r"shape \[users, columns\]"),
    ({"features": np.where(X == 0.5, np.nan, X)}, "without NaN"),
    ({"features": sparse.csr_array(np.where(X == 0.5, np.inf, X))}, "finite"),
    ({"features": [["a"]] * 5}, "must be numbers"),
    ({"features": X.astype(complex)}, "must be numbers"),
    ({"features": X, "public_features": np.array([True])}, "a flag for each of the 3 columns"),
    ({"features": X, "public_features": "yes"}, "a flag for each of the 3 columns"),
    ({"features": X, "node_labels": LABELS[:4]}, r"Got \[4, 5\] entries"),
    ({"node_labels": [0.5] * 5}, "one whole number for each user"),
    ({"node_labels": LABELS, "public_labels": 1}, "'public_labels'"),
    ({"groups": [0, 1, -1, 0, -1]}, "2 users are in none"),
    ({"groups": np.eye(5, dtype=int)}, "one whole number for each user"),
    ({"groups": [0.0, 1.0, np.nan, 0.0, 0.0]}, "one whole number for each user"),
    ({"groups": GROUPS, "num_groups": 2}, "from 0 to 1. Got 2"),
    ({"groups": GROUPS, "num_groups": 2.5}, "'num_groups'"),
]


@pytest.mark.parametrize(("columns", "message"), BAD, ids=[message for _, message in BAD])
def test_bad_columns_are_refused(columns: dict[str, Any], message: str) -> None:
    empty = (np.zeros(6, np.int64), np.zeros(0, np.int32), np.array([0, 5]))
    with pytest.raises((DataError, ValueError), match=message):
        gl.GraphSet(*empty, attributes=Attributes(**columns))


@pytest.mark.attack("learning")
def test_a_damaged_file_is_refused(tmp_path: Path) -> None:
    """A file of users' features that unpacks to a thousand times its size, or names columns beyond its shape."""
    graphs(sparse.csr_array(X)).save(tmp_path / "graphs.npz")
    stored = dict(np.load(tmp_path / "graphs.npz"))
    for name, value in (
        ("attributes.features_indices", 9),
        ("attributes.features_shape", 1),
        ("attributes.features_data", np.nan),
    ):
        np.savez(tmp_path / "bad.npz", **stored | {name: np.full_like(stored[name], value)})
        with pytest.raises(FormatError, match="damaged"):
            gl.GraphSet.load(tmp_path / "bad.npz")
