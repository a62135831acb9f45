"""Labels from a trained model, and how good they are."""

from __future__ import annotations

import csv
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import graphldp as gl
from graphldp.learn.certificates import FILTERED
from graphldp.neighbour_lists.labels import promise

pytestmark = pytest.mark.usefixtures("few_trees")


def test_a_table_and_json_say_the_same(command: Any, files: Any, tmp_path: Path) -> None:
    reports = gl.Reports.load(files.reports)
    chances = gl.GINClassifier.load(files.model).predict_proba(reports)
    code, out, _ = command("predict", files.model, files.reports, "--json")
    rows = json.loads(out)
    assert code == 0
    assert [row["graph"] for row in rows] == list(range(60))
    np.testing.assert_allclose([[row["p(0)"], row["p(1)"]] for row in rows], chances)
    assert [row["label"] for row in rows] == chances.argmax(axis=1).tolist()
    code, _, _ = command("predict", files.model, files.reports, "--out", tmp_path / "labels.csv")
    assert code == 0
    table = list(csv.DictReader((tmp_path / "labels.csv").read_text().splitlines()))
    assert [int(row["label"]) for row in table] == [row["label"] for row in rows]
    assert command("predict", files.model, files.graphs)[1].count("│") > 60  # raw graphs too


def test_graphs_keep_their_names_and_need_no_labels(command: Any, files: Any, tmp_path: Path) -> None:
    part = gl.GraphSet.load(files.graphs)[[7, 3]].with_labels(None)
    part.save(tmp_path / "part.npz")
    rows = json.loads(command("predict", files.model, tmp_path / "part.npz", "--json")[1])
    assert [row["graph"] for row in rows] == [7, 3]


def test_bad_input_is_one_line(command: Any, files: Any, tmp_path: Path) -> None:
    (tmp_path / "broken.npz").write_bytes(files.model.read_bytes()[:-200])
    for arguments, message in (
        ((tmp_path / "none.npz", files.reports), "no such file"),
        ((tmp_path / "broken.npz", files.reports), "damaged"),
        ((files.reports, files.reports), "not a saved model"),
        ((files.model, files.model), "not a file of graphs or reports"),
        ((files.model, tmp_path / "none.npz"), "no such file"),
        ((files.model, files.reports, "--device", "abacus"), "device"),
        ((files.model, files.reports, "--out", tmp_path / "labels.npz"), "ends in .csv, or a folder"),
    ):
        code, out, err = command("predict", *arguments)
        assert (code, out) == (2, "")
        assert message in err
        assert err.count("\n") == 1


def test_a_promise_stands_beside_each_label(command: Any, tmp_path: Path) -> None:
    """Words for people, and a number in the file."""
    reports = gl.NoisyDegrees(2.0, noise="discrete").randomize(gl.synthetic.threads(20, seed=0), rng=0)
    clf = gl.RobustProfileClassifier(seed=0).fit(reports)
    clf.save(tmp_path / "model.npz")
    some = reports.subset(np.arange(12))
    some.save(tmp_path / "some.npz")
    promised = clf.withstood(some).tolist()
    assert command("predict", tmp_path / "model.npz", tmp_path / "some.npz", "--out", tmp_path / "labels.csv")[0] == 0
    table = list(csv.DictReader((tmp_path / "labels.csv").read_text().splitlines()))
    assert [int(row["withstands"]) for row in table] == promised
    shown = command("predict", tmp_path / "model.npz", tmp_path / "some.npz")[1]
    assert all(promise(each) in shown for each in promised)


@pytest.mark.attack("learning")
def test_nothing_is_promised_of_what_a_filter_left(command: Any, tmp_path: Path) -> None:
    """Lie so that a filter flags other users, and a promised label changes.

    One line says why, and the labels are those of what is left.
    """
    reports = gl.NoisyDegrees(2.0, noise="discrete").randomize(gl.synthetic.threads(20, seed=0), rng=0)
    replace(reports, filtered=True).save(tmp_path / "kept.npz")
    asked = ("predict", tmp_path / "model.npz", tmp_path / "kept.npz")
    for kind, told in ((gl.ProfileClassifier, ""), (gl.RobustProfileClassifier, FILTERED)):
        clf = kind(seed=0).fit(reports)
        clf.save(tmp_path / "model.npz")
        code, out, err = command(*asked, "--json")
        assert (code, " ".join(err.split())) == (0, told)
        assert [row["label"] for row in json.loads(out)] == clf.predict(gl.Reports.load(tmp_path / "kept.npz")).tolist()
    assert {row["withstands"] for row in json.loads(out)} == {None}
    assert command(*asked, "--out", tmp_path / "labels.csv")[0] == 0
    table = list(csv.DictReader((tmp_path / "labels.csv").read_text().splitlines()))
    assert {row["withstands"] for row in table} == {""}


def test_no_graphs_are_an_empty_table(command: Any, tmp_path: Path) -> None:
    reports = gl.NoisyDegrees(2.0, noise="discrete").randomize(gl.synthetic.threads(20, seed=0), rng=0)
    reports.subset(np.arange(0)).save(tmp_path / "none.npz")
    for kind, last in ((gl.ProfileClassifier, ""), (gl.RobustProfileClassifier, ",withstands")):
        kind(seed=0).fit(reports).save(tmp_path / "model.npz")
        code, out, err = command("predict", tmp_path / "model.npz", tmp_path / "none.npz", "--json")
        assert (code, json.loads(out), err) == (0, [], "")
        asked = command("predict", tmp_path / "model.npz", tmp_path / "none.npz", "--out", tmp_path / "labels.csv")
        assert asked[0] == 0
        assert (tmp_path / "labels.csv").read_text() == f"graph,label,p(0),p(1){last}\n"


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where results.sqlite goes unless said."""
    monkeypatch.chdir(tmp_path)


def test_scores(command: Any, files: Any) -> None:
    reports = gl.Reports.load(files.reports)
    clf = gl.GINClassifier.load(files.model)
    code, out, _ = command("predict", "--evaluate", files.model, files.reports, "--json")
    found = json.loads(out)
    assert code == 0
    assert found["accuracy"] == clf.score(reports)
    assert np.trace(found["confusion"]) == round(found["accuracy"] * 60)
    assert found["trained"]["mechanism"] == str(reports.origin)
    text = command("predict", "--evaluate", files.model, files.reports)[1]
    assert "accuracy" in text
    assert "dprr(" in text


def test_a_page_shows_it_beside_a_training_run(command: Any, files: Any, tmp_path: Path) -> None:
    quick = ("--seeds", 1, "--model", "layers=2 hidden=8 max-epochs=2", "--device", "cpu")
    assert command("train", files.reports, *quick)[0] == 0
    found = json.loads(command("predict", "--evaluate", files.model, files.reports, "--json")[1])
    assert command("page", "results.sqlite")[0] == 0
    page = (tmp_path / "page.html").read_text()
    titles = re.findall("<h2>(.*?)</h2>", page)
    assert titles[0].endswith(": reported, GIN")
    assert titles[1].endswith(f": the model {files.model.stem}")
    assert f"<td>{found['accuracy']:.3f}</td>" in page


def test_one_class_has_no_auc(command: Any, files: Any, tmp_path: Path) -> None:
    gl.GraphSet.load(files.graphs)[::2].save(tmp_path / "even.npz")
    assert json.loads(command("predict", "--evaluate", files.model, tmp_path / "even.npz", "--json")[1])["auc"] is None


def test_bad_input_of_an_evaluation_is_one_line(command: Any, files: Any, tmp_path: Path) -> None:
    graphs = gl.GraphSet.load(files.graphs)
    graphs.with_labels(None).save(tmp_path / "unlabelled.npz")
    graphs.with_labels(np.arange(60) % 5).save(tmp_path / "five.npz")
    for name, message in (("unlabelled.npz", "no labels"), ("five.npz", "knows the 2 classes")):
        code, out, err = command("predict", "--evaluate", files.model, tmp_path / name)
        assert (code, out) == (2, "")
        assert message in err
        assert err.count("\n") == 1


def test_a_page_of_evaluations_alone_says_so(command: Any, files: Any, tmp_path: Path) -> None:
    found = json.loads(command("predict", "--evaluate", files.model, files.reports, "--json")[1])
    assert 0.0 < found["low"] <= found["accuracy"] <= found["high"] <= 1.0
    assert command("page", "results.sqlite")[0] == 0
    page = (tmp_path / "page.html").read_text()
    assert "<h1>Evaluations: " in page
    assert "Training runs" not in page
