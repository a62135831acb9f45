"""Columns of users through Parquet: the same reports as in memory, and the same line that no private one crosses."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse

import graphldp as gl
from graphldp.errors import BudgetError, DataError, FormatError, ParameterError
from graphldp.mechanisms.parquet import UserTable, randomize_parquet, read_reports

pa = pytest.importorskip("pyarrow", reason="needs the extra [ray]")
pq = pytest.importorskip("pyarrow.parquet")
pytestmark = pytest.mark.filterwarnings(
    "ignore::ResourceWarning", "ignore::DeprecationWarning", "ignore::FutureWarning"
)

N, WIDTH = 60, 5
RNG = np.random.default_rng(4)
EDGES = RNG.integers(0, N, size=(150, 2))
EDGES = EDGES[EDGES[:, 0] != EDGES[:, 1]]
GRAPHS = gl.GraphSet.from_edges(EDGES[:, 0], EDGES[:, 1], [N])
FEATURES = (RNG.random((N, WIDTH)) * (RNG.random((N, WIDTH)) < 0.4)).astype(np.float32)
LABELS, GROUPS = RNG.integers(0, 3, N), RNG.integers(0, 4, N)
MIXED = np.array([True, False, True, False, False])


def edges(folder: Path) -> Path:
    pq.write_table(pa.table({"source": EDGES[:, 0], "target": EDGES[:, 1]}), folder / "edges.parquet")
    return folder / "edges.parquet"


def pairs(row: Any) -> list[dict[str, Any]]:
    return [{"column": int(place), "value": row[place]} for place in np.flatnonzero(row)]


def people(folder: Path, kind: str = "dense", **columns: Any) -> Path:
    """Two files of users, shuffled: each with its row groups, so that parts are fed by several of them."""
    kinds = {
        "dense": pa.array(list(FEATURES)),
        "fixed": pa.array(list(FEATURES), pa.list_(pa.float32(), WIDTH)),
        "sparse": pa.array(
            [pairs(row) for row in FEATURES], pa.list_(pa.struct({"value": pa.float32(), "column": pa.int32()}))
        ),
    }
    given = {"features": kinds.get(kind), "node_label": LABELS, "group": GROUPS} | columns
    table = pa.table({"user": np.arange(N)} | {name: each for name, each in given.items() if each is not None})
    order = np.random.default_rng(1).permutation(len(table))
    (folder / "users").mkdir()
    for name, rows in (("a", order[:25]), ("b", order[25:])):
        pq.write_table(table.take(rows), folder / "users" / f"{name}.parquet", row_group_size=10)
    return folder / "users"


def same(one: Any, two: Any) -> bool:
    """Whether two fields hold the same bits of the same types."""
    if hasattr(one, "toarray"):
        return hasattr(two, "toarray") and one.shape == two.shape and same(one.toarray(), two.toarray())
    if isinstance(one, np.ndarray):
        return isinstance(two, np.ndarray) and one.dtype == two.dtype and np.array_equal(one, two)
    if is_dataclass(one) and is_dataclass(two):
        return all(same(getattr(one, each.name), getattr(two, each.name)) for each in fields(one))
    return bool(one == two)


def agree(found: gl.Reports, wanted: gl.Reports) -> None:
    for each in fields(gl.Reports):
        assert same(getattr(found, each.name), getattr(wanted, each.name)), each.name
    assert str(found.guarantee) == str(wanted.guarantee)


BOTH = (gl.MultiBit(1.5), gl.CategoryRR(0.5, categories=3))


@pytest.mark.parametrize(
    ("mechanism", "kind", "public", "labels", "grouped"),
    [
        (gl.Joint(edges=gl.DPRR(3.0), features=BOTH), "dense", MIXED, False, True),
        (gl.Joint(edges=gl.FriendCounts(1.0), features=BOTH), "sparse", MIXED, False, False),
        pytest.param(gl.FriendCounts(1.0), "fixed", True, True, True, marks=pytest.mark.long),
        pytest.param(gl.MultiBit(2.0), "sparse", False, True, True, marks=pytest.mark.long),
        pytest.param(gl.RR(3.0), "sparse", MIXED, False, True, marks=pytest.mark.long),
        (gl.CategoryRR(1.0, categories=3), "none", False, False, False),
    ],
)
def test_the_same_reports_as_in_memory(
    tmp_path: Path, mechanism: gl.Mechanism, kind: str, public: Any, labels: bool, grouped: bool
) -> None:
    graphs = GRAPHS.with_node_labels(LABELS, public=labels)
    if kind != "none":
        graphs = graphs.with_features(sparse.csr_array(FEATURES) if kind == "sparse" else FEATURES, public=public)
    if grouped:
        graphs = graphs.with_groups(GROUPS)
    users = people(tmp_path, kind, group=GROUPS if grouped else None)
    table = UserTable(users, public, labels, width=WIDTH if kind == "sparse" else 0)
    done = randomize_parquet(edges(tmp_path), tmp_path / "out", mechanism, 11, N, users=table, users_per_part=17)
    wanted = mechanism.randomize(graphs, rng=11)
    agree(read_reports(tmp_path / "out"), wanted)
    assert (done.users, done.entries_in, done.entries_out) == (N, graphs.num_entries, wanted.num_entries)


def test_groups_of_ones_own_are_no_deal(tmp_path: Path) -> None:
    """Reports would say that users were dealt into groups that somebody chose."""
    users = UserTable(people(tmp_path))
    with pytest.raises(ParameterError, match="'dealt' parameter of randomize_parquet"):
        randomize_parquet(edges(tmp_path), tmp_path / "out", gl.FriendCounts(1.0, dealt=4), 0, N, users=users)


@pytest.mark.attack("learning")
def test_a_private_column_without_a_mechanism_stays_at_home(tmp_path: Path) -> None:
    """A private column beside edges in Parquet, without a mechanism of its own."""
    users = people(tmp_path)
    randomize_parquet(edges(tmp_path), tmp_path / "out", gl.NoisyDegrees(1.0), 0, N, users=UserTable(users))
    names = pq.read_schema(tmp_path / "out" / "part-00000.parquet").names
    assert names == ["user", "neighbours", "noisy_degree", "group"]
    assert {path.name for path in tmp_path.iterdir()} == {"edges.parquet", "users", "out"}  # and nothing is left over


@pytest.mark.attack("learning")
@pytest.mark.parametrize("size", [N, 7])
def test_groups_that_tell_a_private_column_are_refused_as_in_memory(tmp_path: Path, size: int) -> None:
    """Groups that tell a private column, hidden by cutting users into small parts.

    Few users may be divided alike by chance, so it counts what all users show, whatever the parts.
    """
    source = edges(tmp_path)
    tell = UserTable(people(tmp_path, group=(LABELS + 1) % 3))
    with pytest.raises(DataError, match="these give away everybody's node_labels"):
        randomize_parquet(source, tmp_path / "out", gl.RR(1.0), 0, N, users=tell, users_per_part=size)
    randomize_parquet(
        source, tmp_path / "out", gl.RR(1.0), 0, N, users=UserTable(tell.path, public_labels=True), users_per_part=size
    )
    (tmp_path / "chance").mkdir()
    blocks = np.arange(N) // size
    chance = UserTable(people(tmp_path / "chance", "none", node_label=(blocks > 0) * 1, group=blocks % 2))
    randomize_parquet(source, tmp_path / "out2", gl.RR(1.0), 0, N, users=chance, users_per_part=size)


@pytest.mark.parametrize(
    ("columns", "error", "says"),
    [
        ({"user": np.arange(N) // 2}, DataError, "There must be one row for each user"),
        ({"user": np.arange(N) + 1}, DataError, "row group 1: users must be numbered from 0 to 59"),
        ({"user": np.arange(N) / 1.0}, FormatError, "needs a whole-number column 'user'"),
        ({"node_label": [None, *LABELS[1:].tolist()]}, DataError, "Some values are missing"),
        ({"features": pa.array([[0.0]] * 59 + [[None]])}, DataError, "Some values are missing"),
        ({"features": pa.array([[0.0]] * 59 + [[1.0, 2.0]])}, DataError, "the same number of features"),
        ({"features": pa.array([[0.0]] * 59 + [[np.nan]])}, DataError, "without NaN"),
        ({"features": ["text"] * N}, FormatError, "must be a list of numbers"),
        ({"features": None, "node_label": None, "group": None}, FormatError, "needs a column 'features'"),
        ({"group": GROUPS - 1}, DataError, "Everybody must be in one group"),
        ({"node_label": LABELS + 1}, DataError, "must have a label from 0 to 2. Some have none"),
    ],
)
def test_bad_columns(tmp_path: Path, columns: Any, error: type[Exception], says: str) -> None:
    source, users, mechanism = edges(tmp_path), UserTable(people(tmp_path, **columns)), gl.CategoryRR(1.0, categories=3)
    with pytest.raises(error, match=says):
        randomize_parquet(source, tmp_path / "out", mechanism, 0, N, users=users)
    assert not (tmp_path / "out").exists()


def test_what_does_not_fit_together(tmp_path: Path) -> None:
    source, out, users = edges(tmp_path), tmp_path / "out", people(tmp_path, "sparse")
    with pytest.raises(ParameterError, match="MultiBit is about columns of users"):
        randomize_parquet(source, out, gl.MultiBit(1.0), 0, N)
    with pytest.raises(FormatError, match="must say the width"):
        randomize_parquet(source, out, gl.MultiBit(1.0), 0, N, users=UserTable(users))
    with pytest.raises(DataError, match="whole sparse matrix"):
        randomize_parquet(source, out, gl.MultiBit(1.0), 0, N, users=UserTable(users, width=WIDTH - 1))
    with pytest.raises(DataError, match="all of these are public"):
        randomize_parquet(source, out, gl.MultiBit(1.0), 0, N, users=UserTable(users, True, width=WIDTH))
    with pytest.raises(ParameterError, match="'sampled' parameter of MultiBit"):
        randomize_parquet(source, out, gl.MultiBit(1.0, sampled=9), 0, N, users=UserTable(users, width=WIDTH))
    pq.write_table(pa.table({"user": [0], "group": [0]}), users / "c.parquet")
    with pytest.raises(FormatError, match="the same columns"):
        randomize_parquet(source, out, gl.RR(1.0), 0, N, users=UserTable(users, width=WIDTH))
    with pytest.raises(FormatError, match="no folder of noisy lists"):
        read_reports(tmp_path)


class Spender(gl.RowMechanism):
    """Says that it spends twice its ε."""

    def budget(self, n_max: int | None = None) -> gl.Budget:
        return gl.Budget(0.0, 2 * self.epsilon)

    def rates(self, noisy_degree: Any, n: Any, flip: Any) -> tuple[Any, Any]:
        return 1 - flip, flip


@pytest.mark.attack("learning")
def test_no_more_than_epsilon_is_spent(tmp_path: Path) -> None:
    """A mechanism of one's own that spends twice its ε, over Parquet."""
    with pytest.raises(BudgetError, match="more than its epsilon"):
        randomize_parquet(edges(tmp_path), tmp_path / "out", Spender(1.0), 0, N)


def test_reports_with_a_part_missing_are_refused(tmp_path: Path) -> None:
    randomize_parquet(edges(tmp_path), tmp_path / "out", gl.RR(3.0), 0, N, users_per_part=30)
    assert read_reports(tmp_path / "out").num_users == N
    (tmp_path / "out" / "part-00001.parquet").unlink()
    with pytest.raises(FormatError, match="parts are missing"):
        read_reports(tmp_path / "out")
