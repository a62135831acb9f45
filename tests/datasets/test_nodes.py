"""Graphs for node classification: the files of a data root, and files that are none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.values import some

import graphldp as gl
from graphldp.datasets import nodes
from graphldp.errors import DatasetNotFoundError, FormatError

PARTS: dict[str, Any] = {
    "edges": np.array([[0, 1], [1, 2], [2, 2]], np.int32),
    "x_indptr": np.array([0, 1, 1, 3]),
    "x_indices": np.array([1, 0, 1], np.int32),
    "x_data": np.array([1.0, 2.0, 3.0], np.float32),
    "x_shape": np.array([3, 2]),
    "y": np.array([1, 0, 1]),
}


def write(folder: Path, **changed: Any) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(folder / "Cora.npz", **PARTS | changed)
    return folder / "Cora.npz"


@pytest.mark.parametrize("place", [".", "nodes"])
def test_a_graph_with_its_columns(tmp_path: Path, place: str) -> None:
    write(tmp_path / place)
    graphs = gl.load_dataset("Cora", tmp_path, download=False)
    assert (graphs.num_graphs, graphs.num_users, graphs.num_entries) == (1, 3, 4)
    assert graphs.features.toarray().tolist() == [[0, 1], [0, 0], [2, 3]]
    assert some(graphs.node_labels).tolist() == [1, 0, 1]
    assert not some(graphs.attributes).private_columns()


@pytest.mark.attack("learning")
@pytest.mark.parametrize(
    "changed",
    [
        {"edges": np.array([[0, 7]])},
        {"x_shape": np.array([4, 2])},
        {"x_indices": np.array([1, 0, 9], np.int32)},
        {"x_data": np.array([1.0, np.nan, 3.0], np.float32)},
        {"y": np.array([0.5, 1.0, 1.0])},
        {"x_shape": np.zeros(1 << 22)},  # unpacks to a thousand times its size
        {"y": np.array([{}], object)},
    ],
)
def test_a_damaged_file_is_refused(tmp_path: Path, changed: dict[str, Any]) -> None:
    """A file of users' features that unpacks to a thousand times its size, or names columns beyond its shape."""
    path = write(tmp_path, **changed)
    with pytest.raises(FormatError, match=f"{path}: .*damaged"):
        gl.load_dataset("Cora", tmp_path, download=False)


def test_what_is_no_archive_is_refused(tmp_path: Path) -> None:
    (tmp_path / "Cora.npz").write_text("edges")
    with pytest.raises(FormatError, match="not a graph with features and classes"):
        nodes.read(tmp_path / "Cora.npz", "Cora")
    np.savez(tmp_path / "Cora.npz", edges=PARTS["edges"])
    with pytest.raises(FormatError, match="not a graph with features and classes"):
        nodes.read(tmp_path / "Cora.npz", "Cora")


def test_one_that_is_not_at_hand(tmp_path: Path) -> None:
    with pytest.raises(DatasetNotFoundError, match=r"There is no Cora\.npz in"):
        gl.load_dataset("Cora", tmp_path, download=False)
    with pytest.raises(DatasetNotFoundError, match=r"not in the TU collection: put Cora\.npz into a data root"):
        gl.load_dataset("Cora", tmp_path)
