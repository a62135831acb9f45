"""``graphldp collect synthesize``, as people type it."""

from __future__ import annotations

import json
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from tests.cli.conftest import Command
from tests.collector.people import open_ants

import graphldp as gl
from graphldp.collector.storage.store import Store


def test_a_graph_to_hand_on(command: Command, database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From a community or from files; numbers stand for users, and few reports are no graph and no row."""
    store = Store.open(database)
    open_ants(store, np.random.default_rng(5).integers(0, 9, (39, 3)).tolist())
    code, out, err = command("collect", "synthesize", "ants", "--out", str(tmp_path / "a.graphml"), "--seed", "1")
    assert (code, err) == (0, "")
    assert "assortativity" in out
    net = nx.read_graphml(tmp_path / "a.graphml", node_type=int)
    assert sorted(net) == list(range(store.community("ants").n))
    assert {each["group"] for _, each in net.nodes(data=True)} == {0, 1, 2}
    code, out, _ = command("collect", "synthesize", "ants", "--out", str(tmp_path / "a.npz"), "--seed", "1", "--json")
    drawn, rows = gl.GraphSet.load(tmp_path / "a.npz"), json.loads(out)
    assert {"row": "friendships", "drawn": drawn.num_entries / 2}.items() <= rows[0].items()
    assert drawn.num_entries / 2 == net.number_of_edges()
    assert "friendships between east and north" in [row["row"] for row in rows]
    monkeypatch.setenv("GRAPHLDP_MIN_REPORTS", "14")  # more than came from two of the three groups
    code, out, _ = command("collect", "synthesize", "ants", "--out", str(tmp_path / "a.npz"), "--seed", "1", "--json")
    cells = [row["row"] for row in json.loads(out) if "between" in row["row"]]
    assert cells == ["friendships between east and east"]
    monkeypatch.setenv("GRAPHLDP_MIN_REPORTS", "0")
    assert command("collect", "synthesize", "ants", "--out", str(tmp_path / "a.npz"))[0] == 0
    code, _, err = command("collect", "synthesize", "dogs", "--out", str(tmp_path / "d.npz"))
    assert (code, err.count("\n")) == (2, 1)
    store.close()


def test_a_graph_from_files_of_reports(command: Command, tmp_path: Path) -> None:
    graphs = gl.synthetic.barabasi_albert(60, 3, 2, seed=0)
    gl.NoisyDegrees(1.0, noise="discrete").randomize(graphs, rng=0).save(tmp_path / "degrees.npz")
    gl.RR(2.0).randomize(graphs, rng=0).save(tmp_path / "lists.npz")
    graphs.save(tmp_path / "raw.npz")
    given = ("--reports", str(tmp_path / "degrees.npz"), "--reports", str(tmp_path / "lists.npz"))
    code, out, _ = command(
        "collect", "synthesize", *given, "--seed", "2", "--out", str(tmp_path / "drawn.csv"), "--json"
    )
    assert code == 0
    drawn = gl.GraphSet.from_csv(tmp_path / "drawn.csv")
    assert drawn.sizes.tolist() == [60, 60]
    told = {row["community"]: row["drawn"] for row in json.loads(out) if row["row"] == "friendships"}
    assert told == {"0": drawn[0].num_entries / 2, "1": drawn[1].num_entries / 2}
    for wrong in (
        ("--out", "x.npz"),
        ("ants", *given, "--out", "x.npz"),
        ("--reports", str(tmp_path / "raw.npz"), "--out", "x.npz"),
        (*given, "--out", str(tmp_path / "x.graphml")),
        (*given, "--out", str(tmp_path / "x.txt")),
    ):
        code, out, err = command("collect", "synthesize", *wrong)
        assert (code, out, err.count("\n")) == (2, "", 1), wrong
