"""Model files: see also :mod:`tests.learn.test_classifier` for damage and headers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import graphldp as gl
from graphldp.learn.classifier import GINClassifier

LATER = ("graph_features", "directions", "weights")  # options that a file may lack


def test_a_file_from_before_an_option_was_there(tmp_path: Path) -> None:
    graphs = gl.synthetic.threads(num_graphs=20, seed=0)
    clf = GINClassifier(layers=2, hidden=4, max_epochs=2, device="cpu").fit(graphs)
    path = tmp_path / "model.npz"
    clf.save(path)
    with np.load(path, allow_pickle=False) as file:
        arrays = {name: file[name] for name in file.files}
    header = json.loads(str(arrays["header"]))
    for option in LATER:
        del header["params"][option], header["spec"][option]
    arrays["header"] = np.array(json.dumps(header))
    np.savez(path, **arrays)
    back = GINClassifier.load(path)
    assert back.get_params() == clf.get_params()
    np.testing.assert_array_equal(back.predict_proba(graphs), clf.predict_proba(graphs))


@pytest.mark.parametrize(
    "params",
    [{"graph_features": "degrees"}, {"features": "profile", "directions": "both", "weights": "posterior"}],
    ids=str,
)
def test_options_come_back(params: dict[str, Any], tmp_path: Path) -> None:
    reports = gl.DPRR(epsilon=2.0).randomize(gl.synthetic.threads(num_graphs=20, seed=0), rng=0)
    clf = GINClassifier(layers=2, hidden=4, max_epochs=2, device="cpu", **params).fit(reports)
    clf.save(tmp_path / "model.npz")
    back = GINClassifier.load(tmp_path / "model.npz")
    np.testing.assert_array_equal(back.predict_proba(reports), clf.predict_proba(reports))
