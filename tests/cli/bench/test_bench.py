from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from graphldp.benchmarks import dense, nodes, randomize, recipe
from graphldp.datasets import synthetic


def test_randomize_writes_numbers_and_a_picture(command: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The real measurement, on small sizes: what is tested is that it runs and adds up, not how fast it is."""
    for name, value in {"MIDDLE_USERS": 2000, "DENSE_USERS": 200, "LADDER": (1000, 2000), "ORKUT_USERS": 3000}.items():
        monkeypatch.setattr(randomize, name, value)
    monkeypatch.setattr(randomize, "ORKUT_EDGES", 30_000)
    monkeypatch.delenv("GRAPHLDP_DATA", raising=False)
    code, printed, _ = command("bench", "randomize", "--repeats", "1", "--out", tmp_path, "--json")
    assert code == 0
    shown, kept = json.loads(printed), json.loads((tmp_path / "randomize.json").read_text())
    assert shown["rows"] == kept["rows"]
    assert {"cpu", "cores", "python", "backend"} == set(shown["machine"])
    assert all(row["seconds"] > 0 and row["entries_out"] > 0 for row in shown["rows"])
    assert "dense_ratio" in shown["rows"][1]
    assert shown["rows"][-1]["cost_against_263k"] > 0
    assert (tmp_path / "randomize.svg").read_text().startswith("<?xml")


def test_dense_lists_are_measured_beside_numpy(command: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GRAPHLDP_DATA", raising=False)
    code, printed, _ = command("bench", "dense", "--repeats", "1", "--out", tmp_path, "--json")
    assert code == 0
    rows = json.loads(printed)["rows"]
    assert json.loads((tmp_path / "dense.json").read_text())["rows"] == rows
    drawn, plain, named, plainly_named, *files = rows
    for ours, peer in ((drawn, plain), (named, plainly_named)):
        assert ours["against"] == pytest.approx(peer["seconds"] / ours["seconds"], rel=0.1)
    assert 4 * drawn["mb"] < named["mb"]
    sizes = {row["what"]: row["mb"] for row in files}
    assert 2 * sizes["file of bits: read"] < sizes["file of names: read"]


@pytest.mark.parametrize("names", [True, False])
def test_the_peer_draws_the_same_law(names: bool) -> None:
    """As many pairs as RR at ε = 1 reports on average, within five deviations: chance fails it once in 10⁶ seeds."""
    graphs = synthetic.threads(num_graphs=40, seed=0)
    flip = 1 / (1 + math.exp(dense.EPSILON))
    pairs = int((graphs.sizes * (graphs.sizes - 1)).sum())
    expected = pairs * flip + graphs.num_entries * (1 - 2 * flip)
    assert abs(dense._plain_draw(graphs, names=names) - expected) < 5 * math.sqrt(pairs * flip * (1 - flip))


def test_labels_of_users_are_measured(command: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In this process, where small sizes can be set; what stands for FacebookPages is small too."""
    monkeypatch.setattr(nodes, "_dataset", lambda root: synthetic.communities(300))
    monkeypatch.setattr(nodes, "LADDER", (400,))
    monkeypatch.setattr(nodes, "_alone", lambda measured, *arguments: measured(*arguments))
    code, printed, _ = command("bench", "nodes", "--out", tmp_path, "--json")
    assert code == 0
    rows = json.loads(printed)["rows"]
    assert [(row["users"], row["mechanism"]) for row in rows] == [
        (300, "friend-counts"),
        (300, "rr"),
        (300, nodes.PEER),
        (400, "friend-counts"),
    ]
    peer = rows.pop(2)
    assert peer["ratio"] == pytest.approx(peer["processor_seconds"] / rows[0]["processor_seconds"], abs=0.06)
    for row in rows:
        parts = [row[f"{part}_seconds"] for part in ("features", "draw", "fit")]
        assert sum(parts) == pytest.approx(row["seconds"], abs=0.03)  # each is rounded
        assert 0 < row["features_processor_seconds"] <= row["processor_seconds"]
    rows.insert(2, peer)
    assert json.loads((tmp_path / "nodes.json").read_text())["rows"] == rows


@pytest.mark.usefixtures("few_trees")
def test_the_recipe_is_measured_on_more_and_more_graphs(
    command: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In this process, where small sizes can be set."""
    monkeypatch.setattr(recipe, "dataset", lambda root: recipe.small_graphs(60))
    monkeypatch.setattr(recipe, "run", lambda root: (recipe._cell(root, graphs) for graphs in (None, 80, 160)))
    code, printed, _ = command("bench", "recipe", "--out", tmp_path, "--json")
    assert code == 0
    first, *ladder = json.loads(printed)["rows"]
    shares = [first[f"{part}_share"] for part in ("features", "trees", "kernel")]
    assert min(shares) >= 0 < max(shares)  # features of 60 small graphs may round to nothing
    assert sum(shares) <= 1.02  # each is rounded
    assert [row["learned_from"] for row in ladder] == [68, 136]
    assert all(row["fit_seconds"] > 0 and row["peak_mb"] > 0 for row in (first, *ladder))
    assert (tmp_path / "recipe.svg").read_text().startswith("<?xml")
