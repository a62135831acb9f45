from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.values import some

import graphldp as gl
from graphldp.datasets.registry import KNOWN
from graphldp.threats import Optimised, Poison
from graphldp.threats.named import ATTACKS


@pytest.fixture(scope="module")
def degrees(files: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Reports without lists."""
    path: Path = tmp_path_factory.mktemp("degrees") / "degrees.npz"
    gl.NoisyDegrees(1.0, noise="discrete").randomize(gl.GraphSet.load(files.graphs), rng=0).save(path)
    return path


@pytest.mark.parametrize("name", ATTACKS)
def test_every_attack_writes_reports(name: str, command: Any, files: Any, degrees: Path, tmp_path: Path) -> None:
    out = tmp_path / "poisoned.npz"
    fitting = files.reports if "dprr" in ATTACKS[name].fits else degrees
    aim = ("--model", files.model) if issubclass(ATTACKS[name].kind, Optimised) else ()
    code, printed, _ = command("attack", fitting, "-a", name, "-f", "0.3", "--seed", "4", "-o", out, "--json", *aim)
    assert code == 0
    row, reports = json.loads(printed), gl.Reports.load(out)
    assert row["entries_after"] == reports.num_entries
    assert row["malicious_users"] == np.floor(0.3 * reports.sizes + 1e-9).sum()


def test_the_file_is_what_the_library_makes(command: Any, files: Any, tmp_path: Path) -> None:
    out, who = tmp_path / "poisoned.npz", tmp_path / "who.csv"
    arguments = ("-f", "0.2", "--split-seed", "1", "--honest-degree", "--malicious", who, "-o", out)
    code, _, _ = command("attack", files.reports, *arguments)
    assert code == 0
    reports, attack = gl.Reports.load(files.reports), Poison.random(fraction=0.2, forge_degree=False)
    train = gl.split(reports.labels, seed=1)[0]
    poisoned = gl.Reports.load(out)
    assert np.array_equal(poisoned.indices, attack.apply(reports, rng=0, graphs=train).indices)
    assert np.array_equal(some(poisoned.noisy_degree), some(reports.noisy_degree))
    malicious = attack.malicious(reports, rng=0, graphs=train)
    with who.open() as file:
        rows = [(int(row["graph"]), int(row["user"])) for row in csv.DictReader(file)]
    expected = zip(reports.graph_of_user[malicious], reports.local_users[malicious], strict=True)
    assert rows == [(int(g), int(u)) for g, u in expected]


def test_one_liar_in_each_test_graph(command: Any, degrees: Path, tmp_path: Path) -> None:
    out = tmp_path / "poisoned.npz"
    arguments = ("-a", "fake-hub", "--liars", "1", "--split-seed", "1", "--where", "test", "-o", out, "--json")
    code, printed, _ = command("attack", degrees, *arguments)
    assert code == 0
    reports, poisoned = gl.Reports.load(degrees), gl.Reports.load(out)
    test = gl.split(reports.labels, seed=1)[2]
    changed = np.flatnonzero(some(reports.noisy_degree) != some(poisoned.noisy_degree))
    assert json.loads(printed)["malicious_users"] == json.loads(printed)["attacked_graphs"] == len(test)
    assert set(reports.graph_of_user[changed]) == set(test)
    assert np.array_equal(some(poisoned.noisy_degree)[changed], reports.sizes[reports.graph_of_user[changed]] - 1)


@pytest.mark.parametrize("name", KNOWN)
def test_the_training_graphs_are_those_of_the_datasets_own_split(name: str, command: Any, tmp_path: Path) -> None:
    """Every dataset of the registry: whom ``--split-seed`` attacks, ``train`` learns from at that seed."""
    graphs = replace_name(gl.synthetic.threads(num_graphs=60, seed=1), name)
    source, out, who = (tmp_path / each for each in ("reports.npz", "poisoned.npz", "who.csv"))
    gl.RR(epsilon=4.0).randomize(graphs, rng=0).save(source)
    attacked = []
    for split in ((), ("--split", "0.5,0.3,0.2")):
        arguments = ("-f", "1", "--split-seed", "3", *split, "--malicious", who, "-o", out)
        code, _, error = command("attack", source, *arguments)
        assert code == 0, error
        with who.open() as file:
            attacked.append(sorted({int(row["graph"]) for row in csv.DictReader(file)}))
    ratios = KNOWN[name].split or (0.75, 0.10, 0.15)
    assert attacked[0] == gl.split(graphs.labels, ratios, 3)[0].tolist()
    assert attacked[1] == gl.split(graphs.labels, (0.5, 0.3, 0.2), 3)[0].tolist()


def test_liars_who_search_need_a_classifier(command: Any, degrees: Path, tmp_path: Path) -> None:
    code, _, error = command("attack", degrees, "-a", "optimised", "--liars", "1", "-o", tmp_path / "out.npz")
    assert code == 2
    assert "'score' parameter of Optimised must be given" in error


def replace_name(graphs: gl.GraphSet, name: str) -> gl.GraphSet:
    return gl.GraphSet(graphs.indptr, graphs.indices, graphs.graph_ptr, graphs.labels, name=name)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["-f", "1.5"], "'fraction' parameter of Poison must be a number from 0 to 1. Got 1.5"),
        (["-f", "nan"], "must be a number from 0 to 1"),
        (["-f", "0.1", "-a", "bribery"], "one of all-ones"),
        (["-f", "0.1", "--split-seed", "-1"], "'seed' parameter of split"),
        (["-f", "0.1", "--split-seed", "0", "--split", "0.5,0.5"], "three shares"),
        (["-f", "0.1", "--split", "0.5,0.3,0.2"], "together with --split-seed"),
        (["-f", "0.1", "--seed", "-1"], "'rng' parameter"),
        (["-f", "0.1", "--where", "test"], "together with --split-seed"),
        (["-f", "0.1", "--where", "here", "--split-seed", "0"], "one of train, test, both"),
        (["-f", "0.1", "--liars", "1"], "given, or else --liars"),
        ([], "given, or else --liars"),
        (["--liars", "-1"], "a whole number ≥ 0"),
        (["--liars", "1000000"], "at most"),
        (["-f", "0.1", "-a", "fake-hub"], "derived for reports drawn by NoisyDegrees"),
        (["-f", "0.1", "-a", "fake-hub", "--honest-degree"], "it forges degrees"),
        (["-f", "0.1", "--model", "nothing.npz"], "nothing.npz"),
        (["-f", "0.1", "-o", "x.csv"], "a file that ends in .npz, or a folder"),
    ],
)
def test_bad_input_is_one_line(arguments: list[str], says: str, command: Any, files: Any, tmp_path: Path) -> None:
    out = tmp_path / "out.npz"
    code, _, error = command("attack", files.reports, "-o", out, *arguments)
    assert code == 2
    assert says in error
    assert error.count("\n") == 1
    assert not out.exists()


def test_raw_graphs_are_refused(command: Any, files: Any, tmp_path: Path) -> None:
    code, _, error = command("attack", files.graphs, "-f", "0.1", "-o", tmp_path / "out.npz")
    assert code == 2
    assert "holds a GraphSet, not a Reports" in error
