from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.values import some

import graphldp as gl
from graphldp.mechanisms.named import mechanisms, named

OWN = f"{Path(__file__).parents[2] / 'examples' / 'own_mechanism.py'}:HalfResponse"


@pytest.mark.parametrize("name", [*(each.name for each in mechanisms() if each.name != "arr" and each.plain), OWN])
def test_every_mechanism_writes_what_the_library_draws(name: str, command: Any, files: Any, tmp_path: Path) -> None:
    out = tmp_path / "reports.npz"
    code, printed, _ = command(
        "randomize", files.graphs, "-m", name, "-e", "2", "--public-fraction", "0.2", "--seed", "3", "-o", out, "--json"
    )
    assert code == 0
    row, reports = json.loads(printed), gl.Reports.load(out)
    assert row["reported_entries"] == reports.num_entries
    assert row["public_users"] == reports.guarantee.public_users
    graphs = gl.GraphSet.load(files.graphs)
    epsilon = gl.customized(graphs, epsilon=2.0, public_fraction=0.2, rng=3)
    again = named(name).make(epsilon).randomize(graphs, rng=3)
    assert np.array_equal(reports.indices, again.indices)
    assert reports.origin == again.origin


def test_arr_keeps_its_share(command: Any, files: Any, tmp_path: Path) -> None:
    code, printed, _ = command("randomize", files.graphs, "-m", "arr sampling=0.1", "-o", tmp_path / "r.npz", "--json")
    assert code == 0
    assert json.loads(printed)["mechanism"] == "arr(epsilon=1.0, sampling=0.1, sampled='ones')"


def test_a_table_of_edges_is_a_dataset(command: Any, tmp_path: Path) -> None:
    """Nothing is asked for over the network, also where there is no such file."""
    (tmp_path / "edges.csv").write_text("source,target,graph\nann,bob,a\nbob,carol,a\nann,eve,b\n")
    (tmp_path / "labels.csv").write_text("graph,label\na,yes\nb,no\n")
    out, both = tmp_path / "r.npz", f"{tmp_path}/edges.csv,{tmp_path}/labels.csv"
    assert command("randomize", both, "-m", "rr", "-e", "1", "-o", out)[0] == 0
    reports = gl.Reports.load(out)
    assert (reports.sizes.tolist(), some(reports.labels).tolist()) == ([3, 2], [1, 0])
    code, _, err = command("randomize", tmp_path / "none.csv", "-o", out)
    assert (code, err) == (2, f"graphldp: {tmp_path}/none.csv: there is no such file.\n")


def test_people_read_the_promise(command: Any, files: Any, tmp_path: Path) -> None:
    code, printed, _ = command("randomize", files.graphs, "-o", tmp_path / "r.npz")
    assert code == 0
    assert "Relationship DP: 2" in printed


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["-e", "-1"], "'epsilon' parameter of DPRR must be a positive number. Got -1.0"),
        (["-e", "nan"], "must be a positive number. Got nan"),
        (["-e", "0.0001"], "must be above"),
        (["-m", "dprr alpha=1"], "'alpha' parameter"),
        (["-m", "dprr noise=gauss"], "'noise' parameter"),
        (["-m", "dprr allocation=best"], "'allocation' parameter"),
        (["-m", "dpr"], "one of dprr"),
        (["-m", "arr"], "arr sampling="),
        (["-m", "friend-counts"], "FriendCounts needs public groups"),
        (["-m", "rr alpha=0.5"], "'alpha' parameter of RR must be left out"),
        (["-m", "nowhere.py:Own"], "a class in a file that exists"),
        (["-m", "nowhere:Own"], "a class in a module that can be imported"),
        (["-m", "graphldp:RowMechanism"], "a whole kind of Mechanism in graphldp"),
        (["-m", "nonpriv-part"], "needs public users"),
        (["--public-fraction", "1.5"], "'public_fraction' parameter"),
    ],
)
def test_bad_input_is_one_line(arguments: list[str], says: str, command: Any, files: Any, tmp_path: Path) -> None:
    out = tmp_path / "reports.npz"
    code, _, error = command("randomize", files.graphs, "-o", out, *arguments)
    assert code == 2
    assert says in error
    assert error.count("\n") == 1
    assert not out.exists()


def test_reports_are_not_noised_again(command: Any, files: Any, tmp_path: Path) -> None:
    code, _, error = command("randomize", files.reports, "-o", tmp_path / "r.npz")
    assert code == 2
    assert "noisy already" in error


def test_a_folder_that_is_not_there(command: Any, files: Any, tmp_path: Path) -> None:
    code, _, error = command("randomize", files.graphs, "-o", tmp_path / "no" / "r.npz")
    assert code == 2
    assert "there is no such folder" in error


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning", "ignore::FutureWarning")
def test_parquet_gives_the_lists_of_memory(command: Any, tmp_path: Path) -> None:
    """Through a real local Ray cluster, whose own code warns of deprecations."""
    pytest.importorskip("ray", reason="needs the ray extra")
    import pyarrow as pa
    import pyarrow.parquet as pq

    graphs = gl.synthetic.barabasi_albert(500, 3, seed=1)
    owner = np.repeat(np.arange(500), graphs.degrees)
    pq.write_table(pa.table({"source": owner, "target": graphs.indices}), tmp_path / "edges.parquet")
    out = tmp_path / "noisy"
    code, printed, _ = command(
        "randomize", tmp_path / "edges.parquet", "--engine", "ray", "--nodes", "500", "--seed", "4", "-o", out, "--json"
    )
    assert code == 0
    expected = gl.DPRR(epsilon=1.0).randomize(graphs, rng=4)
    table = pq.read_table(out)
    assert json.loads(printed)["entries_out"] == expected.num_entries
    assert np.array_equal(np.concatenate(table["neighbours"].to_pylist()).astype(int), expected.indices)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([], "'nodes' parameter"),
        (["--nodes", "9", "-m", "local-lap"], "every user acts alone"),
        (["--nodes", "9", "-m", "friend-counts"], "call randomize_parquet(…, users=UserTable(…)) from Python"),
        (["--nodes", "9", "-m", "category-rr categories=3"], "must be about edges"),
        (["--nodes", "9", "--public-fraction", "0.5"], "one ε for all"),
        (["--nodes", "9"], "edges.parquet"),
    ],
)
def test_bad_input_to_ray(arguments: list[str], says: str, command: Any, tmp_path: Path) -> None:
    source = tmp_path / "edges.parquet"
    code, _, error = command("randomize", source, "--engine", "ray", "-e", "3", "-o", tmp_path / "out", *arguments)
    assert code == 2
    assert says in error


@pytest.mark.parametrize("name", ["category-rr categories=3", "multi-bit low=0 high=10"])
def test_private_columns_of_a_dataset(name: str, command: Any, tmp_path: Path) -> None:
    graphs = gl.GraphSet.from_edges([0], [1], [3]).with_node_labels([0, 2, 1]).with_features([[3.0], [5.0], [9.0]])
    graphs.save(tmp_path / "graphs.npz")
    code, printed, _ = command(
        "randomize", tmp_path / "graphs.npz", "-m", name, "-e", "2", "-o", tmp_path / "r.npz", "--json"
    )
    assert code == 0
    assert json.loads(printed)["epsilon_columns"] == 2.0
    assert gl.Reports.load(tmp_path / "r.npz").guarantee.column_ldp == 2.0
