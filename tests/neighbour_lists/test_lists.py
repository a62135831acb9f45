"""Neighbour lists: invariants at birth, parts of a set, files."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import is_dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.values import some, wrong

import graphldp as gl
from graphldp.errors import DataError, FormatError, ParameterError
from graphldp.neighbour_lists.labels import NO_LABEL
from graphldp.neighbour_lists.lists import FORMAT

GRAPHS = gl.GraphSet.from_edges([0, 1, 3, 6], [1, 2, 4, 7], [3, 2, 0, 4], [5, 6, 7, 8], name="four")
REPORTS = gl.DPRR(3.0).randomize(GRAPHS, rng=0)


@pytest.mark.parametrize(
    ("indptr", "indices", "graph_ptr", "message"),
    [
        ([0, 1, 2], [1, 0], [0, 3], "graph_ptr must rise from 0 to 2"),
        ([0, 1, 2], [1, 0], [1, 2], "graph_ptr must rise from 0 to 2"),
        ([0, 1, 2], [1, 0], [0, 2, 1, 2], "graph_ptr must rise from 0 to 2"),
        ([0, 1, 3], [1, 0], [0, 2], "indptr must rise from 0 to 2"),
        ([0, 2, 1, 2], [1, 2], [0, 3], "indptr must rise from 0 to 2"),
        ([], [], [0], "graph_ptr must rise"),
        ([0, 1, 2], [[1], [0]], [0, 2], "indices must be flat"),
        ([0, 1, 2], [1.5, 0], [0, 2], "indices must hold whole numbers that fit int32"),
        ([0, 1, 2], [np.nan, 0], [0, 2], "indices must hold whole numbers"),
        ([0, 1, 2], [2**32 + 1, 0], [0, 2], "indices must hold whole numbers that fit int32"),
        ([0, 1, 2], ["one", "two"], [0, 2], "indices must hold whole numbers"),
        ([0, 2, 3, 4], [2, 1, 0, 0], [0, 3], "sorted and free of duplicates; user 0's is not"),
        ([0, 1, 3, 4], [1, 0, 0, 1], [0, 3], "sorted and free of duplicates; user 1's is not"),
        ([0, 0, 0, 1], [3], [0, 3], "users of its own graph .* user 2's does not"),
        ([0, 1, 1], [-1], [0, 2], "users of its own graph .* user 0's does not"),
        ([0, 1, 2], [1, 1], [0, 2], "must not name its own user; user 1's does"),
    ],
)
def test_lists_are_checked_at_birth(indptr: Any, indices: Any, graph_ptr: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        gl.GraphSet(indptr, indices, graph_ptr, directed=True)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"labels": [1, 2, 3]}, "labels must be flat with 1 entries"),
        ({"labels": [0.5]}, "labels must hold whole numbers"),
        ({"graph_ids": [1, 2]}, "graph_ids must be flat with 1 entries"),
        ({"directed": "no"}, "directed must be True or False"),
        ({"name": 3}, "name a text"),
    ],
)
def test_what_goes_with_the_lists_is_checked_too(given: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError, match=message):
        gl.GraphSet(np.array([0, 1, 2]), np.array([1, 0]), np.array([0, 2]), **given)


def test_a_set_is_frozen_and_shows_no_edge() -> None:
    with pytest.raises(ValueError, match="read-only"):
        GRAPHS.indices[0] = 2
    with pytest.raises(AttributeError):
        wrong(GRAPHS).indices = GRAPHS.indices
    assert repr(GRAPHS) == "<GraphSet four: 4 graphs, 9 users, 8 entries>"
    assert "unnamed" in repr(gl.GraphSet.from_edges([], [], []))


def test_numbers_of_a_set() -> None:
    assert (GRAPHS.num_graphs, GRAPHS.num_users, GRAPHS.num_entries, GRAPHS.n_max, len(GRAPHS)) == (4, 9, 8, 4, 4)
    assert GRAPHS.sizes.tolist() == [3, 2, 0, 4]
    assert GRAPHS.degrees.tolist() == [1, 2, 1, 1, 1, 0, 1, 1, 0]
    assert GRAPHS.graph_of_user.tolist() == [0, 0, 0, 1, 1, 3, 3, 3, 3]
    assert GRAPHS.local_users.tolist() == [0, 1, 2, 0, 1, 0, 1, 2, 3]
    empty = gl.GraphSet.from_edges([], [], [])
    assert (empty.num_graphs, empty.num_users, empty.n_max) == (0, 0, 0)


@pytest.mark.parametrize("ids", [2, -1, slice(1, 3), [3, 0], np.array([True, False, False, True]), [], [1, 1]])
def test_parts_of_a_set(ids: Any) -> None:
    positions = np.atleast_1d(np.arange(4)[ids])
    part = REPORTS[ids]
    assert part.graph_ids.tolist() == positions.tolist()
    assert part.labels is not None
    assert part.labels.tolist() == (positions + 5).tolist()
    assert part.num_graphs == len(positions)
    assert part.noisy_degree is not None
    for place, position in enumerate(positions):
        one, two = part[place], REPORTS[int(position)]
        np.testing.assert_array_equal(one.indices, two.indices)
        np.testing.assert_array_equal(one.noisy_degree, two.noisy_degree)


def test_graphs_without_a_label_among_others() -> None:
    some_have = gl.GraphSet.from_edges([], [], [1, 2, 3], [4, NO_LABEL, -1])
    assert some_have.labelled.tolist() == [True, False, True]
    assert some(some_have[some_have.labelled].labels).tolist() == [4, -1]
    assert some_have.with_labels(None).labelled.tolist() == [False] * 3


def test_a_set_is_a_sequence() -> None:
    assert [len(graph) for graph in GRAPHS] == [1, 1, 1, 1]


@pytest.mark.parametrize("ids", [[4], [-5], 7])
def test_no_such_graph(ids: Any) -> None:
    with pytest.raises(IndexError, match="within the 4 graphs"):
        GRAPHS[ids]


@pytest.mark.parametrize("ids", [[0.5], [[0]], np.array([True])])
def test_what_is_no_position(ids: Any) -> None:
    with pytest.raises(ParameterError, match="'ids' parameter"):
        GRAPHS[ids]


@pytest.mark.parametrize("saved", [GRAPHS, GRAPHS.subset([3, 1]).with_labels(None), REPORTS], ids=repr)
def test_files_keep_everything(saved: Any, tmp_path: Path) -> None:
    saved.save(tmp_path / "set.npz")
    read = type(saved).load(tmp_path / "set.npz")
    for name in saved.__dataclass_fields__.keys() - {"trusted"}:
        one, two = (vars(part) if is_dataclass(part) else part for part in (getattr(read, name), getattr(saved, name)))
        np.testing.assert_equal(one, two, err_msg=name)
    assert [file.name for file in tmp_path.iterdir()] == ["set.npz"]


def write(path: Path, **changes: Any) -> None:
    content: dict[str, Any] = {"kind": "GraphSet", "format": FORMAT, "indptr": [0, 1, 2], "indices": [1, 0]}
    content |= {"graph_ptr": [0, 2], **changes}
    np.savez(path, **{name: value for name, value in content.items() if value is not None})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"kind": "Reports"}, "holds a Reports, not a GraphSet"),
        ({"format": FORMAT + 1}, f"format {FORMAT + 1} is newer than this graphldp reads"),
        ({"graph_ptr": None}, "damaged"),
        ({"indices": [1, 1]}, "damaged .*must not name its own user"),
        ({"indptr": [0, 1, 1], "indices": [1]}, "damaged .*both users"),
        ({"indices": ["a", "b"]}, "damaged .*whole numbers"),
        ({"directed": [True, False]}, "damaged .*True or False"),
    ],
)
def test_files_that_are_not_what_they_should_be(changes: dict[str, Any], message: str, tmp_path: Path) -> None:
    write(tmp_path / "set.npz", **changes)
    with pytest.raises(FormatError, match=message):
        gl.GraphSet.load(tmp_path / "set.npz")


def truncated(content: bytes, source: random.Random) -> bytes:
    return content[: source.randrange(len(content))]


def flipped(content: bytes, source: random.Random) -> bytes:
    place = source.randrange(len(content))
    return content[:place] + bytes([content[place] ^ 1 << source.randrange(8)]) + content[place + 1 :]


@pytest.mark.parametrize("damage", [truncated, flipped])
def test_damaged_files_are_refused_or_whole(damage: Callable[[bytes, random.Random], bytes], tmp_path: Path) -> None:
    """Any cut and any flipped bit: an error of ours, or, where the bit means nothing, the same set."""
    GRAPHS.save(tmp_path / "set.npz")
    content, source = (tmp_path / "set.npz").read_bytes(), random.Random(0)
    refused = 0
    for _ in range(400):
        (tmp_path / "damaged.npz").write_bytes(damage(content, source))
        try:
            read = gl.GraphSet.load(tmp_path / "damaged.npz")
        except FormatError:
            refused += 1
        else:
            np.testing.assert_array_equal(read.indices, GRAPHS.indices)
            np.testing.assert_array_equal(read.indptr, GRAPHS.indptr)
    assert refused > 200


@pytest.mark.parametrize("content", [b"", b"not a set", b"PK\x03\x04", b"\x93NUMPY"])
def test_files_of_another_kind(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "set.npz").write_bytes(content)
    with pytest.raises(FormatError, match="not a saved GraphSet, or damaged"):
        gl.GraphSet.load(tmp_path / "set.npz")


def test_no_file_at_all_and_an_array_instead_of_a_set(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="no such file"):
        gl.GraphSet.load(tmp_path / "nothing.npz")
    np.save(tmp_path / "array.npy", np.arange(3))
    with pytest.raises(FormatError, match="not a saved GraphSet"):
        gl.GraphSet.load(tmp_path / "array.npy")


def test_a_file_that_would_run_code_is_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "set.npz", kind="GraphSet", format=FORMAT, indptr=np.array([{}], dtype=object))
    with pytest.raises(FormatError, match="not a saved GraphSet, or damaged"):
        gl.GraphSet.load(tmp_path / "set.npz")
