"""Where datasets are found, and files of one large graph: whole, damaged or none."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.values import some

import graphldp as gl
from graphldp.datasets import registry, tu
from graphldp.datasets.loading import read_nodes
from graphldp.errors import DatasetNotFoundError, FormatError, ParameterError

from .conftest import Write


def parsed_files() -> list[str]:
    folder = registry.cache_folder() / "parsed"
    return sorted(os.listdir(folder)) if folder.is_dir() else []


def same(one: gl.GraphSet, two: gl.GraphSet) -> bool:
    return all(
        (getattr(one, name) == getattr(two, name)).all() for name in ("indptr", "indices", "graph_ptr", "labels")
    )


def test_order_of_places(write_zip: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert registry.locate("tiny", tmp_path / "root") is None
    (cache := registry.cache_folder() / "datasets").mkdir(parents=True)
    write_zip(cache)
    assert registry.locate("tiny", tmp_path / "root") == registry.DatasetPlace("cache", cache / "tiny.zip")
    (shared := tmp_path / "shared").mkdir()
    write_zip(shared)
    monkeypatch.setenv("GRAPHLDP_DATA", str(shared))
    assert registry.locate("tiny", tmp_path / "root") == registry.DatasetPlace("$GRAPHLDP_DATA", shared / "tiny.zip")
    (root := tmp_path / "root").mkdir()
    write_zip(root)
    assert registry.locate("tiny", root) == registry.DatasetPlace("root", root / "tiny.zip")
    assert registry.locate("tiny") == registry.DatasetPlace("$GRAPHLDP_DATA", shared / "tiny.zip")


def test_loads_from_each_layout(write_zip: Write, write_folder: Write, tmp_path: Path) -> None:
    write_zip()
    write_folder(tmp_path / "unpacked")
    write_folder(tmp_path / "pyg" / "tiny").rename(tmp_path / "pyg" / "tiny" / "raw")
    sets = [
        gl.load_dataset("tiny", root, download=False) for root in (tmp_path, tmp_path / "unpacked", tmp_path / "pyg")
    ]
    assert same(sets[0], sets[1])
    assert same(sets[0], sets[2])


def test_not_found_says_where_and_what(tmp_path: Path) -> None:
    with pytest.raises(DatasetNotFoundError, match=r"no IMDB-BINRY.zip .*root.*cache.* Did you mean IMDB-BINARY\?"):
        gl.load_dataset("IMDB-BINRY", tmp_path / "root", download=False)
    with pytest.raises(DatasetNotFoundError, match="graphldp dataset MUTAG --fetch"):
        gl.load_dataset("MUTAG", tmp_path / "root", download=False)


def test_bad_arguments(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="'name' parameter of load_dataset"):
        gl.load_dataset("../tiny", tmp_path)
    (tmp_path / "file").touch()
    with pytest.raises(ParameterError, match="'root' parameter of load_dataset must be a folder"):
        gl.load_dataset("tiny", tmp_path / "file")


def test_second_load_reads_the_parsed_form(write_zip: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_zip()
    first = gl.load_dataset("tiny", tmp_path)
    assert len(parsed_files()) == 1

    def unexpected(*_: object) -> None:
        raise AssertionError("parsed again")

    monkeypatch.setattr(tu, "read", unexpected)
    second = gl.load_dataset("tiny", tmp_path)
    assert same(first, second)
    assert second.name == "tiny"


def test_changed_archive_is_parsed_again(write_zip: Write, tmp_path: Path) -> None:
    path = write_zip()
    stat = path.stat()
    assert gl.load_dataset("tiny", tmp_path).num_entries == 8
    write_zip(A="1, 2\n")
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))  # content decides, not the clock
    assert gl.load_dataset("tiny", tmp_path).num_entries == 2


def test_changed_folder_is_parsed_again(write_folder: Write, tmp_path: Path) -> None:
    folder = write_folder()
    assert gl.load_dataset("tiny", tmp_path).num_entries == 8
    (folder / "tiny_A.txt").write_text("1, 2\n")
    assert gl.load_dataset("tiny", tmp_path).num_entries == 2


def test_new_parser_version_parses_again(write_zip: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_zip()
    gl.load_dataset("tiny", tmp_path)
    monkeypatch.setattr(tu, "PARSER", tu.PARSER + 1)
    gl.load_dataset("tiny", tmp_path)
    assert len(parsed_files()) == 2


@pytest.mark.parametrize("damage", [b"", b"PK\x03\x04 not what it was"])
def test_damaged_parsed_form_is_replaced(write_zip: Write, tmp_path: Path, damage: bytes) -> None:
    write_zip()
    first = gl.load_dataset("tiny", tmp_path)
    [name] = parsed_files()
    parsed = registry.cache_folder() / "parsed" / name
    parsed.write_bytes(damage)
    assert same(gl.load_dataset("tiny", tmp_path), first)
    assert same(gl.GraphSet.load(parsed), first)


def test_cache_that_cannot_be_written_only_costs_time(
    write_zip: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_zip()
    (tmp_path / "file").touch()
    monkeypatch.setenv("GRAPHLDP_CACHE", str(tmp_path / "file"))  # a file cannot hold a folder, not even for root
    assert gl.load_dataset("tiny", tmp_path).num_graphs == 2
    assert gl.load_dataset("tiny", tmp_path).num_graphs == 2


def test_nothing_is_written_into_a_root(write_zip: Write, tmp_path: Path) -> None:
    (root := tmp_path / "root").mkdir()
    write_zip(root)
    gl.load_dataset("tiny", root)
    assert os.listdir(root) == ["tiny.zip"]


@pytest.mark.skipif(os.name == "nt", reason="needs POSIX's modes of files")
def test_others_cannot_read_parsed_graphs(write_zip: Write, tmp_path: Path) -> None:
    write_zip()
    gl.load_dataset("tiny", tmp_path)
    assert (registry.cache_folder() / "parsed").stat().st_mode & 0o077 == 0


def test_malformed_dataset_is_not_cached(write_zip: Write, tmp_path: Path) -> None:
    write_zip(A="1, x\n")
    for _ in range(2):
        with pytest.raises(FormatError, match="line 1"):
            gl.load_dataset("tiny", tmp_path)
    assert parsed_files() == []


def test_processes_may_load_at_once(write_zip: Write, tmp_path: Path) -> None:
    write_zip()
    script = "import graphldp as gl, sys\nfor _ in range(20): print(gl.load_dataset('tiny', sys.argv[1]).num_entries)"
    runs = [
        subprocess.Popen([sys.executable, "-c", script, str(tmp_path)], stdout=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    assert [run.communicate(timeout=60)[0].split() for run in runs] == [["8"] * 20] * 3
    assert len(parsed_files()) == 1


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
        read_nodes(tmp_path / "Cora.npz", "Cora")
    np.savez(tmp_path / "Cora.npz", edges=PARTS["edges"])
    with pytest.raises(FormatError, match="not a graph with features and classes"):
        read_nodes(tmp_path / "Cora.npz", "Cora")


def test_one_that_is_not_at_hand(tmp_path: Path) -> None:
    with pytest.raises(DatasetNotFoundError, match=r"There is no Cora\.npz in"):
        gl.load_dataset("Cora", tmp_path, download=False)
    with pytest.raises(DatasetNotFoundError, match=r"not in the TU collection: put Cora\.npz into a data root"):
        gl.load_dataset("Cora", tmp_path)
