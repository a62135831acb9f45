"""From collected reports to labels, with a defense and on a cluster."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from tests.cli.collect.conftest import CHOICE, read
from tests.cli.conftest import Command

import graphldp as gl
from graphldp import wire
from graphldp.collector import tokens
from graphldp.collector.storage.collecting.accepting import Submission
from graphldp.collector.storage.store import Store
from graphldp.learn.certificates import FILTERED
from graphldp.learn.loading import load_classifier
from graphldp.learn.selection import folds
from graphldp.learn.tables.profile_classifier import ProfileClassifier
from graphldp.learn.tables.robust_classifier import RobustProfileClassifier

pytestmark = pytest.mark.usefixtures("few_trees")


def collect_threads(store: Store, graphs: gl.GraphSet, labelled: int, reporting: float) -> None:
    """Communities whose users reported by the law of the client, some of them labelled, some users silent."""
    reports = gl.DPRR(epsilon=2.0, allocation=gl.Budget(0.25, 1.75), noise="discrete").randomize(graphs, rng=0)
    rng = np.random.default_rng(0)
    assert reports.labels is not None
    assert reports.noisy_degree is not None
    for graph in range(len(graphs)):
        start, n = int(reports.graph_ptr[graph]), int(reports.sizes[graph])
        label = int(reports.labels[graph]) if graph < labelled else None
        names = [f"user {u}" for u in range(n)]
        made = store.open_community(f"thread-{graph}", names, mechanism="dprr", choices=[CHOICE], label=label)
        issued = store.invite(made.id)
        submissions = []
        for user in range(n):
            if rng.random() < reporting:
                listed = reports.indices[reports.indptr[start + user] : reports.indptr[start + user + 1]]
                degree = int(reports.noisy_degree[start + user])
                body = wire.encode(wire.Report("dprr", n, user, 0.25, 1.75, degree, listed))
                submissions.append(Submission(made.key, user, tokens.hashed(issued[user]), body, degree))
        store.accept(submissions)


@pytest.mark.parametrize("how", [("--network", "--max-epochs", "3", "--device", "cpu"), ()], ids=" ".join)
def test_from_reports_to_labels(
    command: Command, database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: tuple[str, ...]
) -> None:
    monkeypatch.setenv("GRAPHLDP_MIN_REPORTS", "1")
    store = Store.open(database)
    graphs = gl.synthetic.threads(num_graphs=26, seed=0)
    collect_threads(store, graphs, labelled=20, reporting=0.9)
    store.open_community("silent", ["ann", "bob"], mechanism="dprr", choices=[CHOICE])
    file, model = tmp_path / "reports.npz", tmp_path / "model.npz"
    written = read(command, "collect", "export", file, "-c", "thread-3", "-c", "thread-1")
    assert (written["communities"], written["labelled"]) == (2, 2)
    assert gl.Reports.load(file).sizes.tolist() == graphs.sizes[[3, 1]].tolist()
    assert read(command, "collect", "export", file, "--labelled")["communities"] == 20
    code, out, err = command("collect", "export", file, "--json")
    assert (code, json.loads(out)["labelled"], json.loads(out)["left_out"]) == (0, 20, 1)
    assert "Left out: 1 communities in which fewer than 1 have reported." in err
    assert gl.Reports.load(file).labelled.tolist() == [True] * 20 + [False] * 6
    for learn in (
        ("train", file, "--out", tmp_path / "run"),
        ("train", file, "--recommended", "--out", tmp_path / "run"),
    ):
        code, out, err = command(*learn)
        assert (code, out) == (2, "")
        assert "6 of 26 graphs have no label" in err
    results = tmp_path / "results.sqlite"
    trained = read(command, "collect", "train", model, *how, "--results", results)
    assert trained["held out"] == (2 if how else 20)
    assert 0 <= trained["low"] <= trained["held-out accuracy"] <= trained["high"] <= 1
    read(command, "collect", "export", file, "--labelled")
    reports = gl.Reports.load(file)
    labels, own = np.asarray(reports.labels), RobustProfileClassifier
    if not how:  # each community by a classifier that never saw it
        given = [own(seed=0).fit(reports[seen]).predict(reports[unseen]) for seen, unseen in folds(labels)]
        truth = np.concatenate([labels[unseen] for _, unseen in folds(labels)])
        assert trained["held-out accuracy"] == np.mean(np.concatenate(given) == truth)
    # what a live system does unless told otherwise
    again = ("--model", "max-epochs=3", "--device", "cpu") if how else ("--recommended", "--defense", "recommended")
    again = (*again, "--split", "0.8,0.1,0.1", "--seeds", "1", "--json")
    code, out, _ = command("train", file, *again, "--results", results)
    assert code == 0
    assert trained["defense"] == ("none" if how else "recommended")
    series = "gin" if how else "recommended"
    accuracy = json.loads(out)["results"][0][series]["accuracy"]
    assert not how or accuracy == trained["held-out accuracy"]  # the same trial
    read(command, "page", results, "--out", tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert "file:collected@" in page
    assert "degrees only" in page
    assert trained["communities"] == 20
    assert 0 < trained["reported"] < trained["users"]
    code, out, err = command("collect", "label", model, "--json", "--device", "cpu")
    rows = json.loads(out)
    assert code == 0
    assert "1 communities" in err  # nobody has reported in the silent one
    assert [row["community"] for row in rows] == [f"thread-{graph}" for graph in range(20, 26)]
    for row in rows:
        assert row["label"] in (0, 1)
        assert 0.5 <= row["confidence"] <= 21 / 22  # of at most twenty held-out communities
        assert 0 < row["reported"] < row["users"]
    assert len(store.results.predictions()) == 6
    (run,) = store.results.runs()
    assert (run.communities, run.settings["mechanism"]) == (20, "dprr(noise='discrete')")
    assert (run.held_out, run.interval) == (trained["held out"], (trained["low"], trained["high"]))
    listed = {row["community"]: row for row in read(command, "collect", "community", "show")}
    assert listed["thread-22"]["predicted"] == next(r["label"] for r in rows if r["community"] == "thread-22")
    counts = {row["community"]: row["reported"] for row in rows}
    monkeypatch.setenv("GRAPHLDP_MIN_REPORTS", str(least := sorted(counts.values())[3]))
    wanted = {id for id, reported in counts.items() if reported >= least}
    listed = {row["community"]: row for row in read(command, "collect", "community", "show")}
    assert {id for id, row in listed.items() if row["predicted"] is not None} == wanted
    _, out, err = command("collect", "label", model, "--json", "--device", "cpu")
    assert {row["community"] for row in json.loads(out)} == wanted
    assert f"fewer than {least}" in err
    monkeypatch.setenv("GRAPHLDP_MIN_REPORTS", "1000000")
    for work in ("label", "train"):
        code, out, err = command("collect", work, model, "--json", "--device", "cpu")
        assert (code, out) == (2, "")
        assert "with 1000000 reports" in err
    read(
        command,
        "collect",
        "community",
        "delete",
        "thread-0",
        "--user",
        str(store.stored(store.community("thread-0"))[0].user),
    )
    store.close()


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning", "ignore::FutureWarning")  # Ray's
def test_a_training_on_a_cluster_gives_the_same_model_and_the_same_labels(
    command: Command, database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The whole command, with a Ray cluster that it starts: the same to the last bit, and no file is left."""
    pytest.importorskip("ray", reason="needs the ray extra")
    monkeypatch.setenv("GRAPHLDP_MIN_REPORTS", "1")
    store, shared = Store.open(database), tmp_path / "shared"
    collect_threads(store, gl.synthetic.threads(num_graphs=26, seed=0), labelled=20, reporting=0.9)
    shared.mkdir()
    trained, labels, saved = [], [], []
    for engine in (("--engine", "local"), ("--engine", "ray", "--folder", shared)):
        model = tmp_path / f"{engine[1]}.npz"
        results = ("--results", tmp_path / f"{engine[1]}.sqlite")
        code, out, _ = command("collect", "train", model, *engine, *results, "--json")
        assert code == 0
        trained.append(json.loads(out) | {"model": None})
        labels.append(read(command, "collect", "label", model))
        with np.load(model) as file:
            saved.append({name: file[name].tobytes() for name in file.files})
    assert len(labels[0]) == 6
    assert trained[0] == trained[1]
    assert labels[0] == labels[1]
    assert saved[0] == saved[1]
    assert list(shared.iterdir()) == []
    store.close()


def test_the_default_defense_can_be_turned_off(
    command: Command, database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GRAPHLDP_MIN_REPORTS", "1")
    store = Store.open(database)
    collect_threads(store, gl.synthetic.threads(num_graphs=20, seed=0), labelled=20, reporting=1.0)
    store.close()
    model, results = tmp_path / "model.npz", ("--results", tmp_path / "results.sqlite")
    kinds = []
    for defense in ((), ("--defense", "none")):
        told = read(command, "collect", "train", model, *defense, *results)
        kinds.append((type(load_classifier(model)), told.get("allowance")))
    assert kinds == [(RobustProfileClassifier, 0.01), (ProfileClassifier, None)]
    told = read(command, "collect", "train", model, "--defense", "recommended allowance=0.1", *results)
    loaded = load_classifier(model)
    assert isinstance(loaded, RobustProfileClassifier)
    assert loaded.allowance == told["allowance"] == 0.1
    for judged, why, promised in (((), "", int), (("--defense", "threshold"), FILTERED, type(None))):
        code, out, err = command("collect", "label", model, "-c", "thread-3", *judged, "--json")
        assert (code, " ".join(err.split()), type(json.loads(out)[0]["withstands"])) == (0, why, promised)
    for how, said in (
        (("--defense", "none allowance=0.1"), "must be recommended, where there is an allowance"),
        (("--defense", "threshold allowance=0.1"), "must be recommended, where there is an allowance"),
        (("--network", "--defense", "recommended allowance=0.1"), "must be a test that flags users, with --network"),
    ):
        code, out, err = command("collect", "train", model, *how, *results)
        assert (code, out, err.count("\n")) == (2, "", 1)
        assert said in err
    code, out, err = command("collect", "train", model, "--defense", "recommended allowance=2", *results)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "must be a number from 0 to 1. Got 2 instead" in err
    code, _, err = command("collect", "train", model, "--network", "--defense", "recommended", *results)
    assert code == 2
    assert "a test that flags users, with --network" in err


@pytest.mark.parametrize("how", [("--network", "--max-epochs", "2", "--device", "cpu"), ()], ids=" ".join)
def test_trusted_communities_are_learned_from_alone(
    command: Command, database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: tuple[str, ...]
) -> None:
    monkeypatch.setenv("GRAPHLDP_MIN_REPORTS", "1")
    store = Store.open(database)
    collect_threads(store, gl.synthetic.threads(num_graphs=30, seed=0), labelled=30, reporting=1.0)
    model, rest = tmp_path / "model.npz", (*how, "--results", str(tmp_path / "results.sqlite"))
    code, out, err = command("collect", "train", model, "--trusted-only", *rest)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "There is no labelled and trusted community" in err
    for graph in range(1, 30):
        assert read(command, "collect", "community", "trust", f"thread-{graph}")["trusted"] is True
    for graph in (1, 3, 5, 7):
        assert read(command, "collect", "community", "trust", f"thread-{graph}", "--off")["trusted"] is False
    trained = read(command, "collect", "train", model, "--trusted-only", *rest)
    assert (trained["communities"], trained["trusted_only"]) == (25, True)
    learned = [store.community(f"thread-{graph}").key for graph in range(1, 30) if graph not in (1, 3, 5, 7)]
    assert store.results.runs()[0].learned_from == learned
    listed = read(command, "collect", "community", "show")
    assert sum(each["trusted"] for each in listed) == 25
    store.close()


def test_a_defense_flags_users_on_the_way(
    command: Command, database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GRAPHLDP_MIN_REPORTS", "1")
    store = Store.open(database)
    graphs = gl.synthetic.threads(num_graphs=20, seed=1)
    collect_threads(store, graphs, labelled=19, reporting=0.8)
    big = max(store.communities(), key=lambda each: each.n)
    liar = next(user for user in range(big.n) if user not in {each.user for each in store.stored(big)})
    token = store.invite(big.id, [liar])[liar]
    everyone = np.delete(np.arange(big.n, dtype=np.int32), liar)
    body = wire.encode(wire.Report("dprr", big.n, liar, 0.25, 1.75, big.n, everyone))
    store.accept([Submission(big.key, liar, tokens.hashed(token), body, big.n)])
    into = ("--results", tmp_path / "results.sqlite")
    code, _, err = command("collect", "train", tmp_path / "model.npz", "--defense", "magic", *into)
    assert code == 2
    assert "'defense' parameter" in err
    assert not (tmp_path / "results.sqlite").exists()
    defended = ("--defense", "threshold", "--max-epochs", "2", "--device", "cpu", *into)
    trained = read(command, "collect", "train", tmp_path / "model.npz", *defended)
    assert trained["defense"] == "threshold"
    if big.label is None:
        read(command, "collect", "label", tmp_path / "model.npz", "--defense", "threshold", "--device", "cpu")
    assert store.results.flags(big.key) == {liar: "threshold"}
    store.close()
