"""Attacked reports, and defended ones."""

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
from graphldp.threats import HubGuard, Poison
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
    code, printed, _ = command("attack", fitting, "-a", name, "--liars", "0.3", "--seed", "4", "-o", out, "--json")
    assert code == 0
    row, reports = json.loads(printed), gl.Reports.load(out)
    assert row["entries_after"] == reports.num_entries
    assert row["malicious_users"] == np.floor(0.3 * reports.sizes + 1e-9).sum()


def test_the_file_is_what_the_library_makes(command: Any, files: Any, tmp_path: Path) -> None:
    out, who = tmp_path / "poisoned.npz", tmp_path / "who.csv"
    arguments = ("--liars", "0.2", "--split-seed", "1", "-a", "random degree=honest", "--malicious", who, "-o", out)
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
        arguments = ("--liars", "1.0", "--split-seed", "3", *split, "--malicious", who, "-o", out)
        code, _, error = command("attack", source, *arguments)
        assert code == 0, error
        with who.open() as file:
            attacked.append(sorted({int(row["graph"]) for row in csv.DictReader(file)}))
    ratios = KNOWN[name].split or (0.75, 0.10, 0.15)
    assert attacked[0] == gl.split(graphs.labels, ratios, 3)[0].tolist()
    assert attacked[1] == gl.split(graphs.labels, (0.5, 0.3, 0.2), 3)[0].tolist()


def replace_name(graphs: gl.GraphSet, name: str) -> gl.GraphSet:
    return gl.GraphSet(graphs.indptr, graphs.indices, graphs.graph_ptr, graphs.labels, name=name)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--liars", "1.5"], "'fraction' parameter of Poison must be a number from 0 to 1. Got 1.5"),
        (["--liars", "nan"], "must be a number from 0 to 1"),
        (["--liars", "0.1", "-a", "bribery"], "one of all-ones"),
        (["--liars", "0.1", "--split-seed", "-1"], "'seed' parameter of split"),
        (["--liars", "0.1", "--split-seed", "0", "--split", "0.5,0.5"], "three shares"),
        (["--liars", "0.1", "--split", "0.5,0.3,0.2"], "together with --split-seed"),
        (["--liars", "0.1", "--seed", "-1"], "'rng' parameter"),
        (["--liars", "0.1", "--where", "test"], "together with --split-seed"),
        (["--liars", "0.1", "--where", "here", "--split-seed", "0"], "one of train, test, both"),
        (["--liars", "some"], "a number such as 1, or a share such as 0.3"),
        (["--liars", "0.1", "-a", "random hat=red"], "degree=honest or degree=forged after it"),
        ([], "given together with --attack"),
        (["--liars", "-1"], "a whole number ≥ 0"),
        (["--liars", "1000000"], "at most"),
        (["--liars", "0.1", "-a", "fake-hub"], "derived for reports drawn by NoisyDegrees"),
        (["--liars", "0.1", "-a", "fake-hub degree=honest"], "it forges degrees"),
        (["--liars", "0.1", "-o", "x.csv"], "a file that ends in .npz, or a folder"),
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
    code, _, error = command("attack", files.graphs, "--liars", "0.1", "-o", tmp_path / "out.npz")
    assert code == 2
    assert "holds a GraphSet, not a Reports" in error


@pytest.fixture
def attacked(command: Any, files: Any, tmp_path: Path) -> tuple[Path, Path]:
    out, who = tmp_path / "poisoned.npz", tmp_path / "who.csv"
    command("attack", files.reports, "-a", "all-ones", "--liars", "0.3", "--malicious", who, "-o", out)
    return out, who


@pytest.mark.parametrize("name", ["threshold", "guard-accuracy", "guard-guarantee"])
def test_defenses_write_what_is_left(name: str, command: Any, attacked: tuple[Path, Path], tmp_path: Path) -> None:
    out, table = tmp_path / "kept.npz", tmp_path / "verdicts.csv"
    arguments = ("-d", name, "--malicious", attacked[1], "--verdicts", table, "-o", out, "--json")
    code, printed, _ = command("defend", attacked[0], *arguments)
    assert code == 0
    row, kept = json.loads(printed), gl.Reports.load(out)
    assert row["malicious_flagged"] > (0.2 if name == "threshold" else 0.9)
    assert row["honest_flagged"] < 0.01
    with table.open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == kept.num_users
    assert sum(int(each["flagged"]) for each in rows) == row["flagged_users"]


def test_what_is_left_is_what_the_library_leaves(command: Any, attacked: tuple[Path, Path], tmp_path: Path) -> None:
    out = tmp_path / "kept.npz"
    code, printed, _ = command("defend", attacked[0], "-d", "guard-accuracy treatment=empty", "--seed", "3", "-o", out)
    assert code == 0
    assert "flagged_users" in printed
    kept, _ = HubGuard("accuracy", treatment="empty").apply(gl.Reports.load(attacked[0]), rng=3)
    read = gl.Reports.load(out)
    assert np.array_equal(read.indices, kept.indices)
    assert read.filtered
    assert kept.filtered
    assert not gl.Reports.load(attacked[0]).filtered


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["-d", "guard-accuracy theta=0"], "'theta' parameter of HubGuard must be a number between 0 and 1"),
        (["-d", "threshold theta=2"], "'theta' parameter of DegreeThreshold"),
        (["-d", "prayer"], "one of threshold"),
        (["-d", "threshold treatment=forgive"], "one of remove, empty, redraw"),
        (["-d", "threshold allowance=1"], "without the setting allowance"),
        (["-d", "row-column"], "derived for reports drawn by RR"),
    ],
)
def test_bad_input_of_a_defense_is_one_line(
    arguments: list[str], says: str, command: Any, attacked: tuple[Path, Path], tmp_path: Path
) -> None:
    code, _, error = command("defend", attacked[0], "-o", tmp_path / "out.npz", *arguments)
    assert code == 2
    assert says in error
    assert error.count("\n") == 1
    assert not (tmp_path / "out.npz").exists()


@pytest.mark.parametrize(
    "text", ["graph,user\n0,x\n", "graph,user\n99,0\n", "graph,user\n0,100000\n", "graph,user\n0\n"]
)
def test_a_wrong_list_of_malicious_users(text: str, command: Any, attacked: tuple[Path, Path], tmp_path: Path) -> None:
    attacked[1].write_text(text)
    code, _, error = command("defend", attacked[0], "--malicious", attacked[1], "-o", tmp_path / "out.npz")
    assert code == 2
    assert "line 2: not a graph and a user of these reports" in error
