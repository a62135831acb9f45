from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import graphldp as gl
from graphldp.learn.grid import Grid
from graphldp.mechanisms.named import named

QUICK = ("--layers", "2", "--hidden", "8", "--max-epochs", "4", "--device", "cpu")


def results(folder: Path) -> dict[str, Any]:
    return json.loads((folder / "results.json").read_text())


def test_graphs_in_results_out(command: Any, files: Any, tmp_path: Path) -> None:
    code, out, err = command("train", files.graphs, "--seeds", 2, "--out", tmp_path, "--epsilon", 2, *QUICK)
    assert code == 0, err
    for word in ("GIN", "degrees only", "n only", "accuracy", "95 % interval", "AUC", "true \\ predicted"):
        assert word in out
    assert err.count("accuracy") == 2  # one line per seed where nobody watches
    assert sorted(path.name for path in tmp_path.iterdir()) == ["results.json", "seed-0.npz", "seed-1.npz"]
    table = results(tmp_path)
    assert [row["seed"] for row in table["results"]] == [0, 1]
    assert all(row["epsilon"] == 2.0 for row in table["results"])
    model = gl.GINClassifier.load(tmp_path / "seed-1.npz")
    assert model.seed == 1
    assert model.provenance_["mechanism"].startswith("dprr(")


@pytest.mark.parametrize(
    "name", ["blink", f"{Path(__file__).parents[2] / 'examples' / 'own_mechanism.py'}:HalfResponse"]
)
def test_any_mechanism_by_its_name(name: str, command: Any, files: Any, tmp_path: Path) -> None:
    code, _, err = command("train", files.graphs, "--seeds", 1, "--out", tmp_path, "-m", name, "-e", 3, *QUICK)
    assert code == 0, err
    model = gl.GINClassifier.load(tmp_path / "seed-0.npz")
    assert model.provenance_["mechanism"].startswith(f"{named(name).name}(epsilon=3.0")


def test_the_rows_are_what_the_library_says(command: Any, files: Any, tmp_path: Path) -> None:
    command("train", files.graphs, "--seeds", 2, "--out", tmp_path, "--mechanism", "rr", "--epsilon", 3, *QUICK)
    graphs = gl.GraphSet.load(files.graphs)
    for row in results(tmp_path)["results"]:
        seed = row["seed"]
        reports = gl.RR(epsilon=3.0).randomize(graphs, rng=seed)
        train, val, test = gl.split(graphs.labels, (0.75, 0.10, 0.15), seed)
        clf = gl.GINClassifier(layers=2, hidden=8, max_epochs=4, device="cpu", seed=seed)
        clf.fit(reports[train], validation=reports[val])
        assert clf.score(reports[test]) == row["gin"]["accuracy"]
        assert int(np.sum(row["confusion"])) == len(test)


def test_finished_seeds_are_not_trained_again(command: Any, files: Any, tmp_path: Path) -> None:
    arguments = ("train", files.reports, "--out", tmp_path, *QUICK)
    assert command(*arguments, "--seeds", 1)[0] == 0
    first = (tmp_path / "seed-0.npz").stat().st_mtime_ns
    code, out, err = command(*arguments, "--seeds", 3, "--json")
    assert code == 0
    assert "seed 0" not in err
    assert (tmp_path / "seed-0.npz").stat().st_mtime_ns == first
    printed = json.loads(out)
    assert [row["seed"] for row in printed["results"]] == [0, 1, 2]
    assert printed["summary"]["gin"]["accuracy"]["count"] == 3
    (tmp_path / "seed-1.npz").unlink()
    assert "seed 1" in command(*arguments, "--seeds", 3)[2]  # its model is gone


def test_a_folder_holds_one_run(command: Any, files: Any, tmp_path: Path) -> None:
    assert command("train", files.graphs, "--seeds", 1, "--out", tmp_path, *QUICK)[0] == 0
    code, _, err = command("train", files.graphs, "--seeds", 1, "--out", tmp_path, "--epsilon", 5, *QUICK)
    assert code == 2
    assert "another noise" in err
    assert err.count("\n") == 1
    (tmp_path / "results.json").write_text("{")
    code, _, err = command("train", files.graphs, "--seeds", 1, "--out", tmp_path, *QUICK)
    assert (code, "damaged" in err) == (2, True)


def test_seeds_together_and_alone(command: Any, files: Any, tmp_path: Path) -> None:
    for folder, together in (("alone", 1), ("stacked", 2)):
        arguments = ("--seeds", 2, "--out", tmp_path / folder, "--together", together)
        assert command("train", files.reports, *arguments, *QUICK)[0] == 0
    losses = [[row["val_loss"] for row in results(tmp_path / name)["results"]] for name in ("alone", "stacked")]
    np.testing.assert_allclose(*losses, atol=0.02)


def test_grid(command: Any, files: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tiny = Grid(layers=(2,), hidden=(4, 8), lr=(1e-2,), dropout=(0.0, 0.5))  # the paper's 96 points take too long here
    monkeypatch.setattr("graphldp.cli.seeds.paper_grid", lambda name: tiny)
    code, _, err = command("train", files.reports, "--seeds", 1, "--grid", "--out", tmp_path, *QUICK)
    assert code == 0, err
    row = results(tmp_path)["results"][0]
    assert row["params"]["hidden"] in (4, 8)
    assert results(tmp_path)["settings"]["grid"] is True


def test_public_users(command: Any, files: Any, tmp_path: Path) -> None:
    arguments = ("--seeds", 1, "--out", tmp_path, "--public-fraction", 0.5, "--mechanism", "nonpriv-part")
    assert command("train", files.graphs, *arguments, *QUICK)[0] == 0
    provenance = gl.GINClassifier.load(tmp_path / "seed-0.npz").provenance_
    assert provenance["public_users"] > 0


def test_recommended(command: Any, files: Any, tmp_path: Path) -> None:
    arguments = ("train", files.graphs, "--recommended", "--epsilon", 2, "--public-fraction", 0.2, "--seeds", 1)
    code, out, err = command(*arguments, "--out", tmp_path)
    assert code == 0, err
    assert "recommended" in out
    assert "GIN" not in out
    row = results(tmp_path)["results"][0]
    graphs = gl.GraphSet.load(files.graphs)
    recipe = gl.recommended(gl.customized(graphs, epsilon=2.0, public_fraction=0.2, rng=0), seed=0)
    reports = recipe.mechanism.randomize(graphs, rng=0)
    train, val, test = gl.split(graphs.labels, (0.75, 0.10, 0.15), 0)
    clf = recipe.classifier.fit(reports[np.sort(np.concatenate((train, val)))])
    assert clf.score(reports[test]) == row["recommended"]["accuracy"]
    reports.save(tmp_path / "reports.npz")
    code, out, err = command("evaluate", tmp_path / "seed-0.npz", tmp_path / "reports.npz", "--json")
    assert (code, json.loads(out)["accuracy"]) == (0, clf.score(reports))


def test_tensorboard(command: Any, files: Any, tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    arguments = ("--seeds", 1, "--out", tmp_path / "run", "--tensorboard", logs)
    assert command("train", files.reports, *arguments, *QUICK)[0] == 0
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    events = EventAccumulator(str(logs / "seed-0")).Reload()
    assert sorted(events.Tags()["scalars"]) == ["train_loss", "val_accuracy", "val_loss"]
    assert [event.step for event in events.Scalars("val_loss")] == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("NO/SUCH",), "dataset"),
        (("nothing.npz",), "no such file"),
        (("GRAPHS", "--mechanism", "magic"), "one of dprr"),
        (("GRAPHS", "--epsilon", "-1"), "epsilon"),
        (("GRAPHS", "--device", "abacus"), "device"),
        (("GRAPHS", "--layers", "0"), "layers"),
        (("GRAPHS", "--split", "0.5,0.5"), "three shares"),
        (("GRAPHS", "--split", "0.5,0.4,0.3"), "add up to 1"),
        (("GRAPHS", "--seeds", "0"), "seeds"),
        (("GRAPHS", "--recommended", "--grid"), "chooses mechanism and classifier"),
        (("REPORTS", "--epsilon", "2"), "reports already"),
        (("MODEL",), "not a file of graphs or reports"),
        (("UNLABELLED",), "no labels"),
        (("ONE_CLASS",), "two classes"),
    ],
)
def test_bad_input_is_one_line(
    command: Any, files: Any, tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    graphs = gl.GraphSet.load(files.graphs)
    named = {"GRAPHS": files.graphs, "REPORTS": files.reports, "MODEL": files.model}
    for name, labels in (("UNLABELLED", None), ("ONE_CLASS", np.zeros(len(graphs), int))):
        named[name] = tmp_path / f"{name}.npz"
        graphs.with_labels(labels).save(named[name])
    source = named.get(arguments[0], arguments[0])
    code, out, err = command("train", source, "--out", tmp_path / "run", *QUICK, "--seeds", 1, *arguments[1:])
    assert (code, out) == (2, "")
    assert message in err
    assert err.startswith("graphldp: ")
    assert err.count("\n") == 1


def test_interrupted_and_resumed(files: Any, tmp_path: Path) -> None:
    """Ctrl-C as a terminal sends it, to a real process; a second run finishes the first one's seeds."""
    start = [
        sys.executable,
        "-c",
        "from graphldp.cli import main; main()",
        "train",
        str(files.graphs),
        "--out",
        str(tmp_path),
        *QUICK,
    ]
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    running = subprocess.Popen([*start, "--seeds", "5000"], stderr=subprocess.PIPE, env=environment, text=True)
    table = tmp_path / "results.json"
    for _ in range(600):
        if table.exists() or running.poll() is not None:
            break
        time.sleep(0.1)
    running.send_signal(signal.SIGINT)
    _, err = running.communicate(timeout=60)
    assert running.returncode == 130, err
    assert "interrupted" in err
    done = len(results(tmp_path)["results"])
    assert done >= 1
    assert not list(tmp_path.glob(".*"))
    again = subprocess.run([*start, "--seeds", str(done), "--json"], env=environment, capture_output=True, text=True)
    assert again.returncode == 0, again.stderr
    assert len(json.loads(again.stdout)["results"]) == done
    assert "seed" not in again.stderr


def test_without_torch(command: Any, files: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    for arguments in (
        ("train", files.graphs, "--out", tmp_path),
        ("predict", files.model, files.graphs),
        ("evaluate", files.model, files.graphs),
    ):
        code, _, err = command(*arguments)
        assert (code, err.count("\n")) == (2, 1)
        assert "pip install 'graphldp[learn]'" in err


def test_help_teaches(command: Any) -> None:
    for name in ("train", "predict", "evaluate"):
        code, out, _ = command(name, "--help")
        assert code == 0
        assert f"graphldp {name} " in out.split("Examples:")[1]
