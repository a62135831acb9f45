from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

import graphldp as gl


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
