"""A sparse graph of users with similar public features, which costs no ε.

Counts of words are weighted by how rare a word is, any other features are standardised, and rows have length one. Each
user is joined with the users whose cosine with her is largest, found block by block: no n × n array is ever made.

Up to :data:`EXACT` users everybody is compared with everybody, which takes time n². Above, k-means puts the users into
√n cells, and those of a cell are compared with the users of the :data:`_CELLS` cells nearest to it: time n√n, and some
of the nearest are missed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from math import isqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

Matrix = Any  # dense or CSR: the operations used here are the same
Pairs = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]
NEIGHBOURS = 20
EXACT = 50_000
"""Users up to whom the nearest are found by comparing all."""
_CELLS = 24
_BLOCK = 256
_answered: dict[Any, sparse.csr_array[Any]] = {}


def is_sparse(matrix: Matrix) -> bool:
    """Whether a matrix is one of SciPy's sparse ones."""
    return bool(sparse.issparse(matrix))


def parts_of(matrix: Matrix) -> tuple[NDArray[Any], ...]:
    """The arrays that a matrix is made of."""
    return (matrix.data, matrix.indices, matrix.indptr) if is_sparse(matrix) else (matrix,)


def is_counts(features: Matrix) -> bool:
    """Whether features are counts or flags, as of words: none below 0, and most of them 0."""
    values = features.data if is_sparse(features) else features
    filled = features.nnz if is_sparse(features) else int(np.count_nonzero(features))
    return bool((values >= 0).all()) and filled <= features.shape[0] * features.shape[1] / 2


def scaled(features: Matrix) -> Matrix:
    """Rows of length one, in which rare words weigh more; a user without any feature keeps a row of zeros."""
    if is_counts(features):
        rows: Any = sparse.csr_array(features, dtype=np.float64)
        having = np.bincount(rows.indices[rows.data > 0], minlength=rows.shape[1])
        rare = np.log((1 + rows.shape[0]) / (1 + having)) + 1
        rows = sparse.csr_array((np.sign(rows.data) * rare[rows.indices], rows.indices, rows.indptr), shape=rows.shape)
        length = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).ravel())
        return sparse.csr_array(rows.multiply(1 / np.where(length > 0, length, 1)[:, None]))
    dense = np.asarray(features.toarray() if is_sparse(features) else features, np.float64)
    spread = dense.std(axis=0)
    dense = (dense - dense.mean(axis=0)) / np.where(spread > 0, spread, 1)
    length = np.linalg.norm(dense, axis=1, keepdims=True)
    return dense / np.where(length > 0, length, 1)


def similar_users(rows: Matrix, neighbours: int = NEIGHBOURS) -> sparse.csr_array[Any]:
    """A symmetric graph in which each user is joined with those most like her, weighted by their cosine.

    The search takes longer than anything else, and splits of one graph repeat it: the last answer is kept.
    """
    asked = b"".join(hashlib.sha256(part.tobytes()).digest() for part in parts_of(rows)), rows.shape, neighbours
    if asked not in _answered:
        found = _searched(rows, neighbours)
        _answered.clear()
        _answered[asked] = found
    return _answered[asked]


def _searched(rows: Matrix, neighbours: int) -> sparse.csr_array[Any]:
    count = rows.shape[0]
    parts: list[Pairs] = []
    for users, others in _compared(rows):
        columns = rows[others].T.tocsr() if is_sparse(rows) else rows[others].T
        for start in range(0, len(users), _BLOCK):
            some = users[start : start + _BLOCK]
            block, own = rows[some] @ columns, np.searchsorted(others, some)
            user, place, cosine = (_nearest_of_few if is_sparse(block) else _nearest)(block, own, neighbours)
            parts.append((some[user], others[place], cosine))
    one, two, cosine = (np.concatenate(each) for each in zip(*parts, strict=True))
    alike = cosine > 0
    graph = sparse.csr_array((cosine[alike], (one[alike], two[alike])), shape=(count, count))
    return sparse.csr_array(graph.maximum(graph.T))


def _compared(rows: Matrix) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Which users are compared with which others, both sorted: all with all, or those of a cell with the cells near."""
    count = rows.shape[0]
    if count <= EXACT:
        yield np.arange(count), np.arange(count)
        return
    from sklearn.cluster import MiniBatchKMeans

    means = MiniBatchKMeans(isqrt(count), n_init=1, max_iter=5, batch_size=8192, random_state=0).fit(rows)
    cell, centres = np.asarray(means.labels_, np.int64), np.asarray(means.cluster_centers_)
    order = np.argsort(cell, kind="stable")
    members = np.split(order, np.cumsum(np.bincount(cell, minlength=len(centres)))[:-1])
    apart = (centres**2).sum(axis=1) - 2 * centres @ centres.T
    for number, users in enumerate(members):
        near = np.argsort(apart[number], kind="stable")[:_CELLS]
        yield users, np.sort(np.concatenate([members[each] for each in np.union1d(near, number)]))


def _nearest(block: NDArray[np.float64], own: NDArray[np.int64], neighbours: int) -> Pairs:
    """The columns of the users nearest to each row's, with their cosines; ``own`` is each row's own column."""
    near, users = np.array(block), np.arange(len(block))
    near[users, own] = 0.0
    kept = min(neighbours, near.shape[1] - 1)
    best = np.argpartition(-near, max(kept - 1, 0), axis=1)[:, :kept]
    return np.repeat(users, kept), best.ravel(), np.take_along_axis(near, best, 1).ravel()


def _nearest_of_few(block: Any, own: NDArray[np.int64], neighbours: int) -> Pairs:
    """The same where most users have nothing in common, and are not looked at."""
    block = sparse.csr_array(block)
    found: list[NDArray[np.int64]] = []
    for row, (low, high) in enumerate(zip(block.indptr[:-1].tolist(), block.indptr[1:].tolist(), strict=True)):
        others = low + np.flatnonzero(block.indices[low:high] != own[row])
        if len(others) > neighbours:
            others = others[np.argpartition(-block.data[others], neighbours - 1)[:neighbours]]
        found.append(others)
    entries = np.concatenate(found)
    users = np.repeat(np.arange(len(found)), [len(each) for each in found])
    return users, block.indices[entries].astype(np.int64), block.data[entries]


def normalised(graph: sparse.csr_array[Any], loop: float) -> sparse.csr_array[Any]:
    """D^(−½)·(W + loop·I)·D^(−½), as graph convolutions have it (Kipf & Welling 2017)."""
    looped = sparse.csr_array(graph + loop * sparse.eye_array(graph.shape[0], format="csr"))
    scale = 1 / np.sqrt(np.asarray(looped.sum(axis=1)).ravel())
    return sparse.csr_array(sparse.diags_array(scale) @ looped @ sparse.diags_array(scale))
