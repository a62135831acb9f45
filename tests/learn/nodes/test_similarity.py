"""Who resembles whom: against every pair, dense or sparse, and without an n × n array."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from graphldp.learn.nodes import similarity
from graphldp.learn.nodes.similarity import is_counts, is_sparse, normalised, scaled, similar_users

RNG = np.random.default_rng(3)
WORDS = (RNG.random((40, 30)) < 0.2).astype(np.float64)
NUMBERS = RNG.normal(size=(40, 5)) * [1, 10, 100, 1, 0]


@pytest.mark.parametrize("features", [WORDS, sparse.csr_array(WORDS), NUMBERS, sparse.csr_array(NUMBERS)])
def test_the_nearest_by_cosine(features: Any) -> None:
    rows = scaled(features)
    dense = rows.toarray() if is_sparse(rows) else rows
    assert np.linalg.norm(dense, axis=1) == pytest.approx(1.0)
    cosine = dense @ dense.T
    np.fill_diagonal(cosine, 0.0)
    wanted = np.zeros_like(cosine)
    for user, row in enumerate(cosine):
        for other in np.argsort(-row)[:3]:
            wanted[user, other] = wanted[other, user] = max(row[other], 0.0)
    assert similar_users(rows, 3).toarray() == pytest.approx(wanted)


@pytest.mark.parametrize("words", [False, True])
def test_many_users_are_compared_with_the_cells_near_them(words: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Most of the nearest are found, by a small part of all comparisons."""
    rng = np.random.default_rng(5)
    kind = rng.integers(0, 30, 3000)
    chance = np.where(rng.random((30, 60)) < 0.2, 0.7, 0.02)[kind]
    features = (rng.random((3000, 60)) < chance).astype(float) if words else chance + rng.normal(0, 0.1, (3000, 60))
    rows = scaled(features)
    exact = similar_users(rows, 5)
    monkeypatch.setattr(similarity, "EXACT", 2999)
    monkeypatch.setattr(similarity, "_CELLS", 10)
    monkeypatch.setattr(similarity, "_answered", {})
    compared = sum(len(users) * len(others) for users, others in similarity._compared(rows))
    assert compared < 3000**2 / 2
    found = similar_users(rows, 5)
    assert found.minimum(exact).sum() > 0.8 * exact.sum()
    assert abs(found - found.T).max() == 0
    one, two = found.nonzero()
    assert found.data == pytest.approx(np.asarray((rows[one] * rows[two]).sum(axis=1)).ravel())
    assert not found.diagonal().any()


def test_rare_words_weigh_more() -> None:
    words = np.array([[1, 1, 0], [1, 0, 0], [1, 0, 0], [1, 0, 0], [1, 0, 0], [0, 0, 0]])
    rows = scaled(words).toarray()
    assert rows[0, 1] > rows[0, 0] > 0
    assert not rows[5].any()
    assert is_counts(words)
    assert not is_counts(NUMBERS)


def test_the_kept_answer_is_that_of_the_same_question() -> None:
    rows = scaled(NUMBERS)
    first = similar_users(rows, 3)
    assert similar_users(rows.copy(), 3) is first
    moved = rows.copy()
    moved[0] = moved[1]
    assert similar_users(moved, 3)[[0], [1]] == pytest.approx(1.0)
    assert np.array_equal(similar_users(rows, 3).toarray(), first.toarray())
    assert similar_users(rows, 4).nnz > first.nnz


def test_one_user_resembles_nobody() -> None:
    assert similar_users(scaled(np.ones((1, 2)))).nnz == 0


def test_convolution_s_scaling() -> None:
    graph = sparse.csr_array(np.array([[0.0, 2.0], [2.0, 0.0]]))
    assert normalised(graph, 1.0).toarray() == pytest.approx(np.array([[1, 2], [2, 1]]) / 3)


def test_no_square_array_is_made() -> None:
    rows = scaled(np.random.default_rng(0).normal(size=(5000, 3)))
    tracemalloc.start()
    similar_users(rows, 5)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 5000 * 5000 * 8 / 2
