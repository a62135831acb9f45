from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import graphldp as gl

pytestmark = pytest.mark.usefixtures("few_trees")


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where results.sqlite goes unless said."""
    monkeypatch.chdir(tmp_path)


def test_scores(command: Any, files: Any) -> None:
    reports = gl.Reports.load(files.reports)
    clf = gl.GINClassifier.load(files.model)
    code, out, _ = command("evaluate", files.model, files.reports, "--json")
    found = json.loads(out)
    assert code == 0
    assert found["accuracy"] == clf.score(reports)
    assert np.trace(found["confusion"]) == round(found["accuracy"] * 60)
    assert found["trained"]["mechanism"] == str(reports.origin)
    text = command("evaluate", files.model, files.reports)[1]
    assert "accuracy" in text
    assert "dprr(" in text


def test_a_page_shows_it_beside_a_training_run(command: Any, files: Any, tmp_path: Path) -> None:
    quick = ("--seeds", 1, "--layers", 2, "--hidden", 8, "--max-epochs", 2, "--device", "cpu")
    assert command("train", files.reports, *quick)[0] == 0
    found = json.loads(command("evaluate", files.model, files.reports, "--json")[1])
    assert command("page", "results.sqlite")[0] == 0
    page = (tmp_path / "page.html").read_text()
    titles = re.findall("<h2>(.*?)</h2>", page)
    assert titles[0].endswith(": reported, GIN")
    assert titles[1].endswith(f": the model {files.model.stem}")
    assert f"<td>{found['accuracy']:.3f}</td>" in page


def test_one_class_has_no_auc(command: Any, files: Any, tmp_path: Path) -> None:
    gl.GraphSet.load(files.graphs)[::2].save(tmp_path / "even.npz")
    assert json.loads(command("evaluate", files.model, tmp_path / "even.npz", "--json")[1])["auc"] is None


def test_bad_input_is_one_line(command: Any, files: Any, tmp_path: Path) -> None:
    graphs = gl.GraphSet.load(files.graphs)
    graphs.with_labels(None).save(tmp_path / "unlabelled.npz")
    graphs.with_labels(np.arange(60) % 5).save(tmp_path / "five.npz")
    for name, message in (("unlabelled.npz", "no labels"), ("five.npz", "knows the 2 classes")):
        code, out, err = command("evaluate", files.model, tmp_path / name)
        assert (code, out) == (2, "")
        assert message in err
        assert err.count("\n") == 1


def test_a_page_of_evaluations_alone_says_so(command: Any, files: Any, tmp_path: Path) -> None:
    found = json.loads(command("evaluate", files.model, files.reports, "--json")[1])
    assert 0.0 < found["low"] <= found["accuracy"] <= found["high"] <= 1.0
    assert command("page", "results.sqlite")[0] == 0
    page = (tmp_path / "page.html").read_text()
    assert "<h1>Evaluations: " in page
    assert "Training runs" not in page
