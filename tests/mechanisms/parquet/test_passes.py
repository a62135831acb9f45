from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.values import wrong

import graphldp as gl
from graphldp.errors import DataError, FormatError, ParameterError
from graphldp.mechanisms.parquet import randomize_parquet

pa = pytest.importorskip("pyarrow", reason="needs the extra [ray]")
pq = pytest.importorskip("pyarrow.parquet")
pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning", "ignore::FutureWarning"),
    pytest.mark.long,  # a cluster of its own takes longer than the tests
]

STORE = 100_000_000  # as in conftest.py


def write(path: Path, edges: NDArray[np.int64], row_group: int) -> Path:
    pq.write_table(pa.table({"source": edges[:, 0], "target": edges[:, 1]}), path, row_group_size=row_group)
    return path


def read(folder: Path) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]:
    table = pa.concat_tables([pq.read_table(path) for path in sorted(folder.glob("*.parquet"))]).combine_chunks()
    lists = table.column("neighbours").chunk(0)
    assert table.column("user").to_numpy().tolist() == list(range(len(table)))
    return lists.offsets.to_numpy(), lists.values.to_numpy(), table.column("noisy_degree").to_numpy()


def graph(n: int, count: int, seed: int = 0) -> tuple[gl.GraphSet, NDArray[np.int64]]:
    edges = np.random.default_rng(seed).integers(0, n, size=(count, 2))
    edges = edges[edges[:, 0] != edges[:, 1]]
    return gl.GraphSet.from_edges(edges[:, 0], edges[:, 1], [n]), edges


@pytest.mark.parametrize("mechanism", [gl.DPRR(1.0), gl.RR(3.0)])
def test_the_same_lists_as_in_memory_whatever_the_parts(tmp_path: Path, mechanism: gl.RowMechanism) -> None:
    graphs, edges = graph(500, 1500)
    wanted = mechanism.randomize(graphs, rng=11)
    (tmp_path / "edges").mkdir()
    write(tmp_path / "edges" / "a.parquet", edges[:400], 100)
    write(tmp_path / "edges" / "b.parquet", edges[400:, ::-1], 333)
    for number, size in enumerate((500, 77)):
        out = tmp_path / f"out{number}"
        done = randomize_parquet(tmp_path / "edges", out, mechanism, 11, 500, users_per_part=size)
        indptr, indices, degree = read(out)
        np.testing.assert_array_equal(indptr, wanted.indptr)
        np.testing.assert_array_equal(indices, wanted.indices)
        if wanted.noisy_degree is not None:
            np.testing.assert_array_equal(degree, wanted.noisy_degree)
        assert (done.users, done.entries_in, done.entries_out) == (500, graphs.num_entries, wanted.num_entries)
        assert done.parts == -(-500 // size)


@pytest.mark.long
def test_a_graph_larger_than_the_memory_it_is_given(tmp_path: Path) -> None:
    """112 MB of edges (224 MB as lists of both ends) through a store of 100 MB, no worker above 100 MB."""
    n, count = 300_000, 7_000_000
    rng = np.random.default_rng(3)
    one = rng.integers(0, n, count)
    edges = np.stack((one, (one + rng.integers(1, n, count)) % n), axis=1)
    assert edges.nbytes > STORE
    source = write(tmp_path / "edges.parquet", edges, 250_000)
    done = randomize_parquet(source, tmp_path / "out", gl.DPRR(4.0), 5, n, users_per_part=10_000)
    assert done.entries_in > 13_900_000
    assert done.working_memory < STORE
    graphs = gl.GraphSet.from_edges(edges[:, 0], edges[:, 1], [n])
    wanted = gl.DPRR(4.0).randomize(graphs, rng=5)
    indptr, indices, _ = read(tmp_path / "out")
    np.testing.assert_array_equal(indptr, wanted.indptr)
    np.testing.assert_array_equal(indices, wanted.indices)
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_bad_input(tmp_path: Path) -> None:
    _, edges = graph(30, 50)
    source = write(tmp_path / "edges.parquet", edges, 100)
    out = tmp_path / "out"
    with pytest.raises(DataError, match=r"edges.parquet, row group 0: an edge must join users 0 to 9\."):
        randomize_parquet(source, out, gl.DPRR(2.0), 0, 10)
    assert not out.exists()
    with pytest.raises(DataError, match="two different users"):
        randomize_parquet(write(tmp_path / "loop.parquet", np.array([[3, 3]]), 9), out, gl.DPRR(2.0), 0, 30)
    with pytest.raises(ParameterError, match="single rows"):
        randomize_parquet(source, out, wrong(gl.LocalLap(1.0)), 0, 30)
    with pytest.raises(ParameterError, match="one split of it"):
        randomize_parquet(source, out, gl.HubLists(1.0), 0, 30)
    with pytest.raises(ParameterError, match="'epsilon' parameter of DPRR must be above"):
        randomize_parquet(source, out, gl.DPRR(0.01), 0, 30)
    with pytest.raises(FormatError, match="there is no such file"):
        randomize_parquet(tmp_path / "none.parquet", out, gl.DPRR(2.0), 0, 30)
    (tmp_path / "text.parquet").write_text("source,target")
    with pytest.raises(FormatError, match="not a Parquet file"):
        randomize_parquet(tmp_path / "text.parquet", out, gl.DPRR(2.0), 0, 30)
    pq.write_table(pa.table({"a": [1]}), tmp_path / "other.parquet")
    with pytest.raises(FormatError, match="columns 'source' and 'target'"):
        randomize_parquet(tmp_path / "other.parquet", out, gl.DPRR(2.0), 0, 30)
    same = pa.table({name: np.full(10_000_000, place) for place, name in enumerate(("source", "target"))})
    pq.write_table(same, tmp_path / "bomb.parquet")
    assert (tmp_path / "bomb.parquet").stat().st_size < 100_000
    with pytest.raises(
        FormatError, match="claims to hold 10,000,000 edges, more of a real graph than a file of its size"
    ):
        randomize_parquet(tmp_path / "bomb.parquet", out, gl.DPRR(2.0), 0, 30)
    out.mkdir()
    (out / "mine").touch()
    with pytest.raises(FormatError, match="new or empty folder"):
        randomize_parquet(source, out, gl.DPRR(2.0), 0, 30)
