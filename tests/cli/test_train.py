from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import graphldp as gl
from graphldp.cli.shared.options import NETWORK
from graphldp.datasets.registry import KNOWN
from graphldp.experiments.draws import Context
from graphldp.experiments.plans.plan import dataset_id, make_plan
from graphldp.experiments.plans.setup import asked_setup
from graphldp.experiments.results import ResultsFile
from graphldp.learn.grid import Grid
from graphldp.learn.loading import load_classifier
from graphldp.learn.selection import split_dataset
from graphldp.learn.tables.witness_classifier import WitnessClassifier
from graphldp.mechanisms.named import label_of, named

pytestmark = pytest.mark.usefixtures("few_trees")

EXAMPLES = Path(__file__).parents[2] / "examples"
ROBUST = ("GRAPHS", "--recommended", "--defense", "recommended")
SMALL = "layers=2 hidden=8 max-epochs=4"
QUICK = ("--model", SMALL, "--device", "cpu")


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where results.sqlite goes unless said."""
    monkeypatch.chdir(tmp_path)


def trained(command: Any, *arguments: Any) -> dict[str, Any]:
    code, out, err = command("train", *arguments, "--json")
    assert code == 0, err
    printed: dict[str, Any] = json.loads(out)
    return printed


def test_graphs_in_results_out(command: Any, files: Any, tmp_path: Path) -> None:
    code, out, err = command("train", files.graphs, "--seeds", 2, "--out", "models", "--epsilon", 2, *QUICK)
    assert code == 0, err
    for word in ("GIN", "degrees only", "n only", "accuracy", "95 % interval", "AUC", "true \\ predicted"):
        assert word in out
    assert err.count("accuracy") == 2  # one line per seed where nobody watches
    assert sorted(path.name for path in (tmp_path / "models").iterdir()) == ["seed-0.npz", "seed-1.npz"]
    model = gl.GINClassifier.load(tmp_path / "models" / "seed-1.npz")
    assert (model.seed, model.hidden, model.max_epochs) == (1, 8, 4)
    assert model.provenance_["mechanism"].startswith("dprr")
    assert model.provenance_["epsilon"] == 2.0
    with ResultsFile(tmp_path / "results.sqlite") as table:
        rows, (plan,) = table.rows(), table.plans()
    assert {entry.cell.id for entry in plan.entries} == set(rows)
    assert {row.status for row in rows.values()} == {"done"}


@pytest.mark.parametrize(
    "name", ["blink", f"{Path(__file__).parents[2] / 'examples' / 'own_mechanism.py'}:HalfResponse"]
)
def test_any_mechanism_by_its_name(name: str, command: Any, files: Any, tmp_path: Path) -> None:
    code, _, err = command("train", files.graphs, "--seeds", 1, "--out", "models", "-m", name, "-e", 3, *QUICK)
    assert code == 0, err
    model = gl.GINClassifier.load(tmp_path / "models" / "seed-0.npz")
    assert model.provenance_["mechanism"].startswith(f"{named(name).name}(epsilon=3.0")
    assert command("page", "results.sqlite")[0] == 0
    titles = re.findall("<h2>(.*?)</h2>", (tmp_path / "page.html").read_text())
    assert titles[0].endswith(f": {label_of(named(name).name)}, ε = 3, GIN")


def test_tables_of_edges_and_labels(command: Any, files: Any, tmp_path: Path) -> None:
    """As the same graphs from a saved set; the name is that of the table and its content."""
    graphs = gl.GraphSet.load(files.graphs)
    owner = np.repeat(np.arange(graphs.num_users), graphs.degrees)
    ends = zip(graphs.local_users[owner].tolist(), graphs.indices.tolist(), graphs.graph_of_user[owner], strict=True)
    rows = [f"{a},{b},{graph}" for a, b, graph in ends]
    alone = np.flatnonzero(graphs.degrees == 0)
    rows += [f"{graphs.local_users[user]},,{graphs.graph_of_user[user]}" for user in alone]
    Path("edges.csv").write_text("\n".join(("source,target,graph", *rows)))
    labels = [f"{graph},{label}" for graph, label in enumerate(np.asarray(graphs.labels).tolist())]
    Path("labels.csv").write_text("\n".join(("graph,label", *labels)))
    given = "--seeds", 1, "--epsilon", 2, *QUICK
    for source in ("edges.csv,labels.csv", files.graphs):
        trained(command, source, *given)
    with ResultsFile("results.sqlite") as results:
        trainings = [row for row in results.rows().values() if "draw" in row.cell.params]
    losses: dict[str, list[float]] = {}
    for row in sorted(trainings, key=lambda row: row.cell.kind):
        name = str(row.cell.params["draw"]["dataset"]).partition("@")[0]
        losses.setdefault(name, []).append(row.numbers["accuracy"])
    assert losses["file:edges"] == losses[f"file:{Path(files.graphs).stem}"]


def test_the_rows_are_what_the_library_says(command: Any, files: Any) -> None:
    printed = trained(command, files.graphs, "--seeds", 2, "--mechanism", "rr", "--epsilon", 3, *QUICK)
    graphs = gl.GraphSet.load(files.graphs)
    for row in printed["results"]:
        seed = row["seed"]
        reports = gl.RR(epsilon=3.0).randomize(graphs, rng=seed)
        train, val, test = gl.split(graphs.labels, (0.75, 0.10, 0.15), seed)
        clf = gl.GINClassifier(layers=2, hidden=8, max_epochs=4, device="cpu", seed=seed)
        clf.fit(reports[train], validation=reports[val])
        assert clf.score(reports[test]) == row["gin"]["accuracy"]
        assert int(np.sum(row["confusion"])) == len(test)


def test_a_training_that_an_experiment_needs_is_the_same_cell(command: Any, files: Any) -> None:
    smoke = ("--model", "layers=3 hidden=16 dropout=0 max-epochs=500", "--device", "cpu")
    printed = trained(command, files.graphs, "--seeds", 1, *smoke)
    name, found = dataset_id(str(files.graphs))
    grid: dict[str, tuple[float, ...]] = {"layers": (3,), "hidden": (16,), "dropout": (0.0,), "lr": (0.01,)}
    plan = make_plan("accuracy-epsilon", name, Context(files=tuple(found.items())), effort="paper", seeds=1, grid=grid)
    (entry,) = [each for each in plan.entries if each.series == "dprr" and each.x == 1.0]
    assert entry.cell.id == printed["results"][0]["cell"]


@pytest.mark.parametrize("name", KNOWN)
def test_train_learns_from_the_graphs_that_attack_attacks(name: str, files: Any) -> None:
    """The ratios and the seed of a run's trials give the graphs of ``attack --split-seed``, for every dataset."""
    graphs = gl.GraphSet.load(files.graphs)
    named = gl.GraphSet(graphs.indptr, graphs.indices, graphs.graph_ptr, graphs.labels, name=name)
    for ratios in (None, (0.5, 0.3, 0.2)):
        setup = asked_setup(name, named, "rr", 1.0, ratios=ratios)
        trials = [*setup.candidates(3), *setup.controls(3).values()]
        assert len(trials) == 3
        for trial in trials:
            learned = gl.split(named.labels, trial.ratios, trial.seed)[0]
            np.testing.assert_array_equal(learned, split_dataset(named, 3, ratios)[0])


@pytest.mark.parametrize("defense", ["threshold", None])
def test_attacked_and_defended_as_by_the_commands_for_files(
    defense: str | None, command: Any, files: Any, tmp_path: Path
) -> None:
    """'attack', 'defend' and 'train', each with its file, are one 'train' with both."""
    attack = ("--attack", "random", "--liars", 0.4)
    one = trained(
        *(command, files.reports, *attack, *(("--defense", defense) if defense else ())),
        *("--seeds", 1, "--results", "one.sqlite", *QUICK),
    )
    last = tmp_path / "poisoned.npz"
    assert command("attack", files.reports, *attack, "--split-seed", 0, "--malicious", "who.csv", "-o", last)[0] == 0
    if defense is not None:
        code, out, _ = command("defend", last, "-d", defense, "--malicious", "who.csv", "-o", "kept.npz", "--json")
        assert code == 0
        assert one["results"][0]["detected"] == json.loads(out)["malicious_flagged"]
        last = tmp_path / "kept.npz"
    two = trained(command, last, "--seeds", 1, "--results", "two.sqlite", *QUICK)
    for contestant in ("gin", "degrees", "size"):
        assert one["results"][0][contestant] == two["results"][0][contestant]
    assert "attack random, β = 0.4" in one["setting"]
    assert command("page", "one.sqlite", "--out", "one.html")[0] == 0
    page = (tmp_path / "one.html").read_text()
    assert "attack random, β = 0.4" in page
    assert ("the defense flagged" in page) == (defense is not None)


def test_an_own_attack_trains_too(command: Any, files: Any, tmp_path: Path) -> None:
    """One that does what ours does has our numbers."""
    mine = "from graphldp.threats import HubMimicry\n\n\nclass Mine(HubMimicry):\n    pass\n"
    (tmp_path / "own.py").write_text(mine)
    one, two = (
        trained(command, files.reports, "-a", name, "--liars", 0.3, "--seeds", 1, *QUICK)
        for name in ("mimicry", f"{tmp_path / 'own.py'}:Mine")
    )
    assert one["results"][0]["gin"] == two["results"][0]["gin"]
    assert one["results"][0]["cell"] != two["results"][0]["cell"]


def test_arguments_of_the_network_are_the_classifiers() -> None:
    known = gl.GINClassifier().get_params() | {"convolution": gl.GINClassifier.convolution}
    for name in NETWORK.keys() - {"together"}:
        word = "yes" if name == "half" else str(known[name])
        assert type(NETWORK[name](word)) is type(known[name])


def test_finished_seeds_are_not_trained_again(command: Any, files: Any, tmp_path: Path) -> None:
    arguments = ("train", files.reports, "--out", tmp_path / "models", *QUICK)
    assert command(*arguments, "--seeds", 1)[0] == 0
    first = (tmp_path / "models" / "seed-0.npz").stat().st_mtime_ns
    code, out, err = command(*arguments, "--seeds", 3, "--json")
    assert code == 0
    assert "seed 0" not in err
    assert (tmp_path / "models" / "seed-0.npz").stat().st_mtime_ns == first
    printed = json.loads(out)
    assert [row["seed"] for row in printed["results"]] == [0, 1, 2]
    assert printed["summary"]["gin"]["accuracy"]["count"] == 3
    (tmp_path / "models" / "seed-1.npz").unlink()
    assert "seed 1" in command(*arguments, "--seeds", 3)[2]  # its model is gone
    assert (tmp_path / "models" / "seed-1.npz").is_file()


def test_a_folder_holds_one_run_and_the_results_file_many(command: Any, files: Any, tmp_path: Path) -> None:
    assert command("train", files.graphs, "--seeds", 1, "--out", "one", *QUICK)[0] == 0
    code, _, err = command("train", files.graphs, "--seeds", 1, "--out", "one", "--epsilon", 5, *QUICK)
    assert code == 2
    assert "models of another run" in err
    assert err.count("\n") == 1
    assert command("train", files.graphs, "--seeds", 1, "--out", "two", "--epsilon", 5, *QUICK)[0] == 0
    assert command("page", "results.sqlite", "--out", "page.html")[0] == 0
    page = (tmp_path / "page.html").read_text()
    assert page.count("<section id=") == 3  # two runs, and what was run on what
    assert "epsilon=1.0" in page
    assert "epsilon=5.0" in page
    assert "<title>graphldp: file:graphs@" in page
    assert page.count("degrees only") == 2


def test_seeds_together_and_alone(command: Any, files: Any) -> None:
    one, two = (
        [
            row["val_loss"]
            for row in trained(
                *(command, files.reports, "--seeds", 2, "--results", f"{together}.sqlite"),
                *("--model", f"{SMALL} together={together}", "--device", "cpu"),
            )["results"]
        ]
        for together in (1, 2)
    )
    np.testing.assert_allclose(one, two, atol=0.02)


def test_grid(command: Any, files: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    tiny = Grid(layers=(2,), hidden=(4, 8), lr=(1e-2,), dropout=(0.0, 0.5))  # the paper's 96 points take too long here
    monkeypatch.setattr("graphldp.experiments.plans.setup.paper_grid", lambda name: tiny)
    (row,) = trained(command, files.reports, "--seeds", 1, "--grid", "--out", "models", *QUICK)["results"]
    assert row["params"]["hidden"] in (4, 8)
    model = gl.GINClassifier.load(row["model"])
    assert model.provenance_["trial"] == row["cell"]
    assert (model.hidden, model.dropout) == (row["params"]["hidden"], row["params"]["dropout"])


def test_a_mechanism_of_ones_own(command: Any, files: Any, tmp_path: Path) -> None:
    """By its file; other code under the same name is another run."""
    own = tmp_path / "own.py"
    own.write_text((EXAMPLES / "own_mechanism.py").read_text())
    arguments = (files.graphs, "-m", f"{own}:HalfResponse", "--seeds", 1, *QUICK)
    first = trained(command, *arguments)
    assert "HalfResponse" in first["setting"]
    assert command("page", "results.sqlite")[0] == 0
    assert "HalfResponse" in (tmp_path / "page.html").read_text()


def test_public_users(command: Any, files: Any, tmp_path: Path) -> None:
    arguments = ("--seeds", 1, "--out", tmp_path / "models", "--public-fraction", 0.5, "--mechanism", "nonpriv-part")
    assert command("train", files.graphs, *arguments, *QUICK)[0] == 0
    provenance = gl.GINClassifier.load(tmp_path / "models" / "seed-0.npz").provenance_
    assert provenance["public_users"] > 0


def test_recommended(command: Any, files: Any, tmp_path: Path) -> None:
    """The same trial as in the experiments: fitted to the training graphs, chosen by nothing."""
    arguments = ("train", files.graphs, "--recommended", "--epsilon", 2, "--public-fraction", 0.2, "--seeds", 1)
    code, out, err = command(*arguments, "--out", "models")
    assert code == 0, err
    assert "recommended" in out
    assert "GIN" not in out
    row = trained(command, *arguments[1:])["results"][0]
    graphs = gl.GraphSet.load(files.graphs)
    recipe = gl.recommended(gl.customized(graphs, epsilon=2.0, public_fraction=0.2, rng=0), seed=0)
    reports = recipe.mechanism.randomize(graphs, rng=0)
    train, _, test = gl.split(graphs.labels, (0.75, 0.10, 0.15), 0)
    clf = recipe.classifier.fit(reports[train])
    assert clf.score(reports[test]) == row["recommended"]["accuracy"]
    reports.save(tmp_path / "reports.npz")
    code, out, err = command("predict", "--evaluate", "models/seed-0.npz", tmp_path / "reports.npz", "--json")
    assert (code, json.loads(out)["accuracy"]) == (0, clf.score(reports))


def test_reports_with_witnesses_have_the_classifier_that_reads_them(command: Any, tmp_path: Path) -> None:
    """As in the collector, whatever is said of degrees; their lists are empty, and say nothing but n."""
    drawn = gl.FriendCounts(4.0, dealt=12).randomize(gl.synthetic.threads(num_graphs=160, seed=0), rng=1)
    drawn.save(tmp_path / "reports.npz")
    arguments = (tmp_path / "reports.npz", "--recommended", "--seeds", 1)
    plain, robust = (trained(command, *arguments, *more) for more in ((), ("--defense", "recommended")))
    assert plain == robust
    train, _, test = gl.split(drawn.labels, (0.75, 0.10, 0.15), 0)
    own = WitnessClassifier().fit(drawn[train]).score(drawn[test])
    assert plain["results"][0]["recommended"]["accuracy"] == own
    assert command("train", *arguments, "--out", "models")[0] == 0
    assert isinstance(load_classifier(Path("models/seed-0.npz")), WitnessClassifier)
    code, _, err = command("train", *arguments, "--defense", "recommended allowance=0.2")
    assert (code, "left out where reports have witnesses" in " ".join(err.split())) == (2, True)


def test_an_allowance_is_kept_with_rows_and_models(command: Any, files: Any, tmp_path: Path) -> None:
    """Another allowance is another training; the usual one is the same, whether it is said or not."""
    arguments = (files.graphs, *ROBUST[1:], "--seeds", 1)

    def allowed(share: float) -> tuple[str, str]:
        return "--defense", f"recommended allowance={share}"

    usual, said, more = (trained(command, *arguments, *each) for each in ((), allowed(0.01), allowed(0.2)))
    assert [each["results"][0]["params"] for each in (usual, more)] == [{"allowance": 0.01}, {"allowance": 0.2}]
    assert usual == said
    assert usual["results"][0]["cell"] != more["results"][0]["cell"]
    assert "recommended(allowance=0.2)" in more["setting"]
    with ResultsFile(tmp_path / "results.sqlite") as table:
        cells = [row.cell.params for row in table.rows().values() if row.cell.params["control"] == "recipe-robust-6"]
    assert sorted(each.get("model", {}).get("allowance", 0) for each in cells) == [0, 0.2]
    assert command("train", *arguments, *allowed(0.2), "--out", "models")[0] == 0
    assert gl.RobustProfileClassifier.load("models/seed-0.npz").allowance == 0.2
    code, _, err = command("train", *arguments, "--out", "models")
    assert (code, "models of another run" in err) == (2, True)


def test_trusted_graphs_are_learned_from_whatever_others_send(command: Any, files: Any) -> None:
    arguments = (files.graphs, "--recommended", "--seeds", 1, "--trusted", 0.5)
    alone = trained(command, *arguments)
    lied = trained(command, *arguments, "--attack", "imitation", "--liars", 0.5)
    assert "50% trusted" in alone["setting"]
    for each in ("recommended", "degrees", "size"):
        assert alone["results"][0][each] == lied["results"][0][each]
    everybody = trained(command, *arguments[:-2])
    assert everybody["results"][0]["cell"] != alone["results"][0]["cell"]


def test_tensorboard(command: Any, files: Any, tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    arguments = ("--seeds", 1, "--tensorboard", logs)
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
        (("GRAPHS", "--model", "layers=0"), "layers"),
        (("GRAPHS", "--model", "layers=many"), "words like layers=5, of layers, hidden"),
        (("GRAPHS", "--model", "hats=2"), "words like layers=5"),
        (("GRAPHS", "--split", "0.5,0.5"), "three shares"),
        (("GRAPHS", "--split", "0.5,0.4,0.3"), "add up to 1"),
        (("GRAPHS", "--seeds", "0"), "seeds"),
        (("GRAPHS", "--out", "model.npz"), "a folder: a name without an ending"),
        (("GRAPHS", "--recommended", "--grid"), "chooses mechanism and classifier"),
        (("REPORTS", "--epsilon", "2"), "reports already"),
        (("GRAPHS", "--attack", "magic", "--liars", "0.1"), "one of all-ones"),
        (("GRAPHS", "--attack", "random"), "together with --attack"),
        (("GRAPHS", "--liars", "0.1"), "together with --attack"),
        (("GRAPHS", "--attack", "random", "--liars", "2.0"), "fraction"),
        (("GRAPHS", "--liars", "1"), "together with --attack"),
        (("GRAPHS", "--where", "test"), "together with --attack"),
        (("GRAPHS", "--attack", "random", "--liars", "1", "--where", "here"), "one of train, test, both"),
        (("GRAPHS", "--defense", "magic"), "one of threshold"),
        (("GRAPHS", "--defense", "recommended"), "a test that flags users, without --recommended"),
        ((*ROBUST[:3], "recommended allowance=-0.1"), "must be a number from 0 to 1. Got -0.1 instead"),
        ((*ROBUST[:3], "recommended allowance=1.5"), "must be a number from 0 to 1. Got 1.5 instead"),
        ((*ROBUST[:3], "recommended allowance=nan"), "must be a number from 0 to 1. Got nan instead"),
        ((*ROBUST[:3], "recommended allowance=much"), "must be a number from 0 to 1. Got 'much' instead"),
        ((*ROBUST[:2], "--defense", "threshold allowance=0.05"), "recommended, where there is an allowance"),
        (("GRAPHS", "--trusted", "0"), "'trusted' parameter of graphldp train must be a number above 0 and below 1"),
        (("GRAPHS", "--trusted", "nan"), "Got nan instead"),
        (("GRAPHS", "--trusted", "0.001"), "too small"),
        (("GRAPHS", "--task", "nodes", "--trusted", "0.5"), "of graphs. Got 0.5 instead"),
        (("GRAPHS", "--defense", "threshold treatment=magic"), "treatment"),
        (("GRAPHS", "--recommended", "--defense", "recommended treatment=empty"), "a test that flags users"),
        (("MODEL",), "not a file of graphs or reports"),
        (("UNLABELLED",), "needs labels"),
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
    code, out, err = command(
        "train",
        source,
        *(() if "--model" in arguments or "nodes" in arguments else QUICK),
        "--seeds",
        1,
        *arguments[1:],
    )
    assert (code, out) == (2, "")
    assert not (tmp_path / "results.sqlite").exists()
    assert message in err
    assert err.startswith("graphldp: ")
    assert err.count("\n") == 1


@pytest.mark.long
def test_interrupted_and_resumed(command: Any, files: Any, tmp_path: Path) -> None:
    """Ctrl-C as a terminal sends it, to a real process; a second run takes the first one's seeds as they are."""
    arguments = ["train", str(files.graphs), "--out", str(tmp_path / "models"), *QUICK]
    start = [sys.executable, "-c", "from graphldp.cli import main; main()", *arguments, "--seeds", "5000"]
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    running = subprocess.Popen(start, stderr=subprocess.PIPE, env=environment, text=True)
    first = tmp_path / "models" / "seed-1.npz"
    for _ in range(6000):
        if first.exists() or running.poll() is not None:
            break
        time.sleep(0.1)
    running.send_signal(signal.SIGINT)
    _, err = running.communicate(timeout=300)
    assert running.returncode == 130, err
    assert "interrupted" in err
    assert not list(tmp_path.glob("models/.*"))
    done = 1  # the first seed is whole once the second has begun
    code, out, err = command(*arguments, "--seeds", done, "--json")
    assert code == 0, err
    assert len(json.loads(out)["results"]) == done
    assert "seed" not in err


def test_without_torch(command: Any, files: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    for arguments in (
        ("train", files.graphs),
        ("predict", files.model, files.graphs),
        ("predict", "--evaluate", files.model, files.graphs),
    ):
        code, _, err = command(*arguments)
        assert (code, err.count("\n")) == (2, 1)
        assert "pip install 'graphldp[learn]'" in err


def test_help_teaches(command: Any) -> None:
    for name in ("train", "predict"):
        code, out, _ = command(name, "--help")
        assert code == 0
        assert f"graphldp {name} " in out.split("Examples:")[1]


def test_users_of_one_graph(command: Any, tmp_path: Path) -> None:
    """Labels of single users beside controls that hear no friend; saved, read again, and shown on a page."""
    asked = ("synthetic:communities", "--task", "nodes", "--seeds", 2, "--out", "users")
    code, out, err = command("train", *asked, "--recommended")
    assert code == 0, err
    for word in ("NodeClassifier", "features alone", "similarity graph", "all that features say", "300 test users"):
        assert word in out
    assert err.count("accuracy") == 2
    (tmp_path / "users" / "seed-1.npz").unlink()
    printed = trained(command, *asked)  # the recommended mechanism is what there is unless said
    assert printed["setting"].startswith("friend-counts(epsilon=1.0)")
    assert printed["summary"]["node-classifier"]["accuracy"]["mean"] > 0.8
    assert [row["users"] for row in printed["results"]] == [300, 300]
    code, out, err = command("predict", tmp_path / "users" / "seed-1.npz", "synthetic:communities", "--json")
    assert code == 0, err
    labels = [row["label"] for row in json.loads(out)]
    truth = np.asarray(gl.synthetic.communities().node_labels)
    test = gl.split(truth, (0.5, 0.25, 0.25), 1)[2]
    assert float((np.array(labels)[test] == truth[test]).mean()) == printed["results"][1]["node-classifier"]["accuracy"]
    assert command("page", "results.sqlite")[0] == 0
    page = (tmp_path / "page.html").read_text()
    assert "users held out" in page
    assert "Test users by true and predicted class" in page


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("synthetic:communities",), "add --task nodes"),
        (("synthetic:threads", "--task", "nodes"), "there must be one graph"),
        (("synthetic:communities", "--task", "nodes", "-m", "noisy-degrees"), "one of friend-counts, rr"),
        (("synthetic:communities", "--task", "nodes", "--attack", "random"), "leave --model, --grid, --tensorboard"),
        (("synthetic:communities", "--task", "nodes", "--grid"), "leave --model, --grid, --tensorboard"),
        (("synthetic:communities", "--task", "nodes", "--epsilon", "-1"), "'epsilon' parameter"),
    ],
)
def test_what_users_cannot_be_asked_for(command: Any, arguments: tuple[str, ...], message: str) -> None:
    code, out, err = command("train", *arguments)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert message in err


@pytest.mark.long
def test_results_that_changed_on_the_disk_are_one_line(command: Any, files: Any) -> None:
    """Before the same training again, their page, and an experiment of the paper."""
    train = ("train", files.graphs, "--seeds", 2, "--out", "models", *QUICK)
    reproduce = ("reproduce", "table-datasets", "--dataset", files.graphs, "--effort", "smoke")
    assert command(*train)[0] == 0
    path = Path("results.sqlite")
    whole = path.read_bytes()
    for change, readers in (
        ("numbers = substr(numbers, 1, 40)", (train, ("page", path), reproduce)),
        ("params = substr(params, 1, 40)", (train, ("page", path), reproduce)),
        ("machine = ']'", (train, ("page", path), reproduce)),
        ("numbers = replace(numbers, 'accuracy', 'accurbcy')", (train,)),
        ("numbers = replace(numbers, 'confusion', 'confuzion')", (train,)),
    ):
        path.write_bytes(whole)
        with ResultsFile(path) as table:
            table._connection.execute(f"update cells set {change}")
        for reader in readers:
            code, _, err = command(*reader)
            said = "graphldp: results.sqlite: its rows are not what their experiments give."
            assert (code, err.splitlines()[-1:]) == (2, [said]), (change, reader)
