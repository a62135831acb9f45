from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from graphldp.errors import DataError, ParameterError
from graphldp.learn.selection import folds, split
from graphldp.neighbour_lists.labels import NO_LABEL


def test_sizes_are_exact_and_classes_keep_their_share() -> None:
    labels = np.repeat([0, 1], 1000)
    parts = split(labels, seed=3)
    assert [len(part) for part in parts] == [1500, 200, 300]
    assert [int(labels[part].sum()) for part in parts] == [750, 100, 150]


@given(
    counts=st.lists(st.integers(3, 60), min_size=2, max_size=6),
    ratios=st.sampled_from([(0.75, 0.10, 0.15), (0.65, 0.15, 0.20), (0.5, 0.5), (1 / 3, 1 / 3, 1 / 3)]),
    seed=st.integers(0, 2**64),
)
def test_parts_hold_every_graph_once_and_every_class(counts: list[int], ratios: tuple[float, ...], seed: int) -> None:
    labels = np.repeat(np.arange(len(counts)) * 7 - 3, counts)
    total = len(labels)
    assume(min(int(r * total) for r in ratios) >= len(counts))  # else a part cannot hold every class
    parts = split(labels, ratios, seed)
    assert sorted(np.concatenate(parts).tolist()) == list(range(total))
    for part, ratio in zip(parts, ratios, strict=True):
        assert part.dtype == np.int64
        assert (np.diff(part) > 0).all()
        assert abs(len(part) - ratio * total) < 1
        assert len(np.unique(labels[part])) == len(counts)


@given(counts=st.lists(st.integers(2, 40), min_size=2, max_size=5), seed=st.integers(0, 2**64))
def test_folds_hold_out_every_graph_once_and_each_class_in_proportion(counts: list[int], seed: int) -> None:
    labels = np.repeat(np.arange(len(counts)), counts)
    found = folds(labels, seed)
    assert len(found) == min(5, *counts)
    assert sorted(np.concatenate([unseen for _, unseen in found]).tolist()) == list(range(len(labels)))
    for seen, unseen in found:
        assert sorted([*seen.tolist(), *unseen.tolist()]) == list(range(len(labels)))
        share = np.bincount(labels[unseen], minlength=len(counts)) - np.array(counts) / len(found)
        assert (abs(share) < 1).all()


def test_a_graph_without_a_label_is_in_no_part() -> None:
    with pytest.raises(DataError, match=r"1 of 9 graphs have no label.*graphs\[graphs\.labelled\]"):
        split([0, 0, 0, 0, 1, 1, 1, 1, NO_LABEL])


def test_seed_decides() -> None:
    labels = np.tile([0, 1, 2], 50)
    same, again, other = split(labels, seed=1), split(labels, seed=1), split(labels, seed=2)
    assert all(np.array_equal(a, b) for a, b in zip(same, again, strict=True))
    assert not np.array_equal(same[0], other[0])


def test_labels_may_be_words() -> None:
    labels = np.array(["web", "ml"] * 10)
    train, test = split(labels, (0.5, 0.5))
    assert (labels[train] == "web").sum() == (labels[test] == "web").sum() == 5


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (None, "needs labels"),
        ([1] * 20, "at least two classes"),
        ([], "at least two classes"),
        ([0] * 20 + [1], "Class 1 has 1"),
        ([0] * 20 + [1, 1], "Class 1 has 2"),
        ([[0, 1], [1, 0]], "flat"),
        (list(range(4)) * 3, "too small for 4 classes"),
    ],
)
def test_bad_labels(labels: Any, message: str) -> None:
    with pytest.raises(DataError, match=message) as refused:
        split(labels)
    assert "graph" not in str(refused.value)  # they may be users


@pytest.mark.parametrize("ratios", [(0.5, 0.4), (1.2, -0.2), (1.0,), (0.5, 0.5, 0.0), (float("nan"), 1.0), "ab", None])
def test_bad_ratios(ratios: Any) -> None:
    with pytest.raises(ParameterError, match=r"The 'ratios' parameter of split must be"):
        split([0, 1] * 10, ratios)


@pytest.mark.parametrize("seed", [-1, 1.5, True, "0"])
def test_bad_seed(seed: Any) -> None:
    with pytest.raises(ParameterError, match=r"The 'seed' parameter of split"):
        split([0, 1] * 10, seed=seed)
