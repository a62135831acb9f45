"""Dense lists as bits: the same lists as names, however they are made, taken apart, saved and read."""

from __future__ import annotations

import pickle
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import graphldp as gl
from graphldp.errors import DataError, FormatError
from graphldp.mechanisms.drawing import backend, kernels, reference
from graphldp.mechanisms.drawing.rows import UserRows
from graphldp.neighbour_lists import NO_NAMES, bit_lists
from graphldp.neighbour_lists.bit_lists import BitLists, words_of
from graphldp.threats import Poison


@pytest.fixture(autouse=True)
def _compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Dense lists are drawn as bits by compiled loops alone, which a process has once it has drawn much."""
    monkeypatch.setattr(backend, "_drawn", np.inf)


SIZES = [1, 64, 3, 65, 130, 0, 7]  # a word that is full, one more, several words, nobody


def some_names(sizes: list[int], seed: int, share: float = 0.4) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Random lists: ``indptr`` and names."""
    rng = np.random.default_rng(seed)
    lists = [
        np.setdiff1d(np.flatnonzero(rng.random(n) < share), [user]).astype(np.int32) for n in sizes for user in range(n)
    ]
    return np.concatenate(([0], np.cumsum([len(each) for each in lists]))), np.concatenate([NO_NAMES, *lists])


def as_bits(indptr: NDArray[np.int64], names: NDArray[np.int32], sizes: list[int]) -> BitLists:
    """By the definition, a name at a time."""
    n = np.repeat(np.array(sizes, np.int64), sizes)
    begin = np.concatenate(([0], np.cumsum(words_of(n))))
    words = [0] * int(begin[-1])
    for user, (low, high) in enumerate(pairwise(indptr)):
        for name in names[low:high].tolist():
            words[int(begin[user]) + name // 64] |= 1 << (name % 64)
    return BitLists(np.array(words, np.uint64), np.concatenate(([0], np.cumsum(sizes))).astype(np.int64))


def reports_of(bits: BitLists, indptr: NDArray[np.int64], *, trusted: bool = False, **more: Any) -> gl.Reports:
    budget = gl.Budget(0.0, 0.0)
    return gl.Reports(indptr, NO_NAMES, bits.graph_ptr, as_bits=bits, budget=budget, trusted=trusted, **more)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.integers(0, 140), max_size=5), st.integers(0, 99), st.sampled_from([0.0, 0.1, 0.5, 1.0]))
def test_bits_are_the_names(sizes: list[int], seed: int, share: float) -> None:
    indptr, names = some_names(sizes, seed, share)
    bits = as_bits(indptr, names, sizes)
    bits.check(indptr)
    np.testing.assert_array_equal(bits.lengths(), np.diff(indptr))
    np.testing.assert_array_equal(bits.names(indptr), names)


@pytest.mark.parametrize("at_once", [1, 5, 1 << 20])
def test_names_without_compiled_code(at_once: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bit_lists, "find_spec", lambda name: None)
    monkeypatch.setattr(bit_lists, "_AT_ONCE", at_once)
    indptr, names = some_names(SIZES, 1)
    np.testing.assert_array_equal(as_bits(indptr, names, SIZES).names(indptr), names)


def test_reports_hold_bits_until_somebody_asks_for_names() -> None:
    indptr, names = some_names(SIZES, 2)
    reports = reports_of(as_bits(indptr, names, SIZES), indptr)
    assert "indices" not in vars(reports)
    assert reports.num_entries == len(names)
    assert reports.bits is not None
    np.testing.assert_array_equal(reports.indices, names)
    assert reports.indices is reports.indices
    assert not reports.indices.flags.writeable
    assert not reports.bits.words.flags.writeable
    with pytest.raises(AttributeError, match="'Reports' object has no attribute 'friends'"):
        _ = reports.friends  # type: ignore[attr-defined]


def test_some_graphs_of_bits_are_bits() -> None:
    indptr, names = some_names(SIZES, 3)
    reports = reports_of(as_bits(indptr, names, SIZES), indptr)
    plain = gl.Reports(indptr, names, reports.graph_ptr, budget=gl.Budget(0.0, 0.0))
    for ids in ([], [0], [4, 3, 1], [6, 5, 4, 3, 2, 1, 0], [1, 1]):
        some, same = reports.subset(ids), plain.subset(ids)
        assert some.bits is not None
        assert same.bits is None
        some.changed(trusted=False)
        np.testing.assert_array_equal(some.indptr, same.indptr)
        np.testing.assert_array_equal(some.indices, same.indices)
    assert "indices" not in vars(reports)


def test_a_copy_with_other_labels_keeps_the_bits_and_one_with_other_lists_does_not() -> None:
    indptr, names = some_names(SIZES, 4)
    reports = reports_of(as_bits(indptr, names, SIZES), indptr)
    labelled = reports.changed(labels=np.arange(len(SIZES)))
    assert labelled.bits is reports.bits
    for reopened in (pickle.loads(pickle.dumps(labelled)), labelled):
        np.testing.assert_array_equal(reopened.indices, names)
    attacked = Poison.all_zeros(fraction=1.0).apply(labelled, rng=0)
    assert attacked.num_entries == 0
    assert len(attacked.indices) == 0
    with pytest.raises(DataError, match="without names beside them"):
        reports.changed(indices=names)


def test_a_file_of_bits(tmp_path: Path) -> None:
    graphs = gl.synthetic.threads(num_graphs=5, seed=0)
    reports = gl.RR(1.0).randomize(graphs, rng=1)
    assert reports.bits is not None
    reports.save(tmp_path / "bits.npz")
    assert "indices" not in vars(reports)
    found = gl.Reports.load(tmp_path / "bits.npz")
    assert found.bits is not None
    np.testing.assert_array_equal(found.indptr, reports.indptr)
    np.testing.assert_array_equal(found.indices, reports.indices)
    with np.load(tmp_path / "bits.npz") as stored:
        assert "indices" not in stored


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda words: words[:-1], "whole words"),
        (lambda words: words.astype(np.int64), "whole words"),
        (lambda words: words | np.uint64(1), "must not name its own user"),
        (lambda words: words | np.uint64(1 << 63), "users of its own graph"),
        (lambda words: words & np.uint64(0), "how many bits"),
    ],
)
def test_a_file_of_damaged_bits(change: Any, message: str, tmp_path: Path) -> None:
    indptr, names = some_names([5], 5)
    reports_of(as_bits(indptr, names, [5]), indptr).save(tmp_path / "bits.npz")
    with np.load(tmp_path / "bits.npz") as file:
        stored = dict(file)
    stored["words"] = change(stored["words"])
    with (tmp_path / "bits.npz").open("wb") as file:
        np.savez(file, **stored)
    with pytest.raises(FormatError, match=message):
        gl.Reports.load(tmp_path / "bits.npz")


@pytest.mark.parametrize(
    "graph_ptr",
    [None, np.int64(5), np.array([0.0, np.nan]), np.array([0, -1]), np.array([5, 0]), np.array([0, 1 << 62])],
)
def test_a_file_of_bits_with_damaged_graphs(graph_ptr: Any, tmp_path: Path) -> None:
    indptr, names = some_names([5], 5)
    reports_of(as_bits(indptr, names, [5]), indptr).save(tmp_path / "bits.npz")
    with np.load(tmp_path / "bits.npz") as file:
        stored = dict(file)
    del stored["graph_ptr"]
    with (tmp_path / "bits.npz").open("wb") as file:
        np.savez(file, **stored, **({} if graph_ptr is None else {"graph_ptr": graph_ptr}))
    with pytest.raises(FormatError, match="damaged"):
        gl.Reports.load(tmp_path / "bits.npz")


@pytest.mark.parametrize("compiled", [True, False])
def test_names_are_never_written_past_their_room(compiled: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever vouches for bits and is wrong gets an error, and neither crashes nor reads what lies beside them."""
    monkeypatch.setattr(bit_lists, "find_spec", lambda name: "numba" if compiled else None)
    indptr, names = some_names(SIZES, 7)
    reports = reports_of(as_bits(indptr, names, SIZES), indptr)
    more = np.concatenate((indptr[:-1], [indptr[-1] + 1]))
    for wrong in (np.zeros_like(indptr), more):
        with pytest.raises(DataError, match="how many bits"):
            _ = reports.changed(indptr=wrong, trusted=True).indices


def test_a_pickle_has_the_bits_alone() -> None:
    reports = gl.RR(1.0).randomize(gl.synthetic.threads(num_graphs=4, seed=2), rng=3)
    small, names = len(pickle.dumps(reports)), reports.indices
    assert len(pickle.dumps(reports)) == small
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(reports)).indices, names)
    plain = gl.DPRR(1.0).randomize(gl.synthetic.threads(num_graphs=4, seed=2), rng=3)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(plain)).indices, plain.indices)


def test_bits_beside_names_or_of_other_graphs() -> None:
    indptr, names = some_names([5, 4], 6)
    bits, spent = as_bits(indptr, names, [5, 4]), gl.Budget(0.0, 0.0)
    for lists in ((indptr, names, bits.graph_ptr), (indptr, NO_NAMES, np.array([0, 4, 9]))):
        with pytest.raises(DataError, match="of the same graphs, and without names"):
            gl.Reports(*lists, as_bits=bits, budget=spent)
    bad: Any = "bits"
    with pytest.raises(DataError, match="of the same graphs, and without names"):
        gl.Reports(indptr, NO_NAMES, bits.graph_ptr, as_bits=bad, budget=spent)


def test_a_dense_draw_is_bits_and_the_same_lists() -> None:
    graphs = gl.synthetic.threads(num_graphs=4, seed=2)
    drawn = gl.RR(1.0).randomize(graphs, rng=3)
    assert drawn.bits is not None
    drawn.changed(trusted=False)
    one_by_one = [gl.RR(1.0).randomize(graphs[[i]], rng=3).indices for i in range(4)]
    np.testing.assert_array_equal(drawn.indices, np.concatenate(one_by_one))
    rows = replace(UserRows.of(graphs), graph_ptr=None)
    flip = np.full(len(rows), 1 / (1 + np.e))
    key = np.array([1, 2], np.uint64)
    for ours, plain in zip(
        *(each.sample_lists(rows, 1 - flip, flip, key) for each in (kernels, reference)), strict=True
    ):
        np.testing.assert_array_equal(ours, plain)
