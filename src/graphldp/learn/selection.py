"""Stratified splits: which graphs train, which stop the training early, which are read once at the end.

The paper (Section 5.1) divides REDDIT-MULTI-5K and REDDIT-BINARY into 75 %, 10 % and 15 % and Github StarGazers into
65 %, 15 % and 20 %, ten times at random. Here a part has exactly the size that its ratio asks for (largest remainder),
each class has its share of every part, and no class is absent from a part.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from graphldp.datasets.registry import DEFAULT_SPLIT, split_ratios
from graphldp.errors import DataError, bad_parameter, check_whole
from graphldp.neighbour_lists import NeighbourLists
from graphldp.neighbour_lists.labels import check_labelled

_STREAM = 0x5B117  # keeps the split's draws apart from noise drawn with the same seed


def split(
    labels: ArrayLike | None, ratios: Sequence[float] = DEFAULT_SPLIT, seed: int = 0
) -> tuple[NDArray[np.int64], ...]:
    """Divide graphs, or the users of one, at random into parts, each class in proportion.

    Args:
        labels: one for each graph or user, of any type that sorts.
        ratios: the parts' shares, positive and adding up to 1.
        seed: the same seed gives the same parts.

    Returns:
        For each part the sorted positions of what is in it, int64. Together they hold everything once.

    Example::

        train, val, test = gl.split(reports.labels, ratios=(0.75, 0.10, 0.15), seed=0)
        clf.fit(reports.subset(train), validation=reports.subset(val)).score(reports.subset(test))
    """
    shares = _check_ratios(ratios)
    check_whole(seed, "seed", "split", 0)
    codes, counts = _check_labels(labels, len(shares))
    table = _share_out(counts, _largest_remainder(shares * len(codes), len(codes)))
    rng = np.random.default_rng(np.random.SeedSequence([_STREAM, int(seed)]))
    parts: list[list[NDArray[np.int64]]] = [[] for _ in shares]
    for code, row in enumerate(table):
        members = rng.permutation(np.flatnonzero(codes == code))
        for part, chosen in zip(parts, np.split(members, np.cumsum(row)[:-1]), strict=True):
            part.append(chosen)
    return tuple(np.sort(np.concatenate(part)).astype(np.int64) for part in parts)


def folds(labels: ArrayLike | None, seed: int = 0, most: int = 5) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Divide graphs into folds, each class in proportion, so that each graph is held out once.

    For each fold the positions to learn from, and those held out; fewer than ``most`` where a class has fewer graphs.
    """
    codes, counts = _check_labels(labels, 2)
    rng = np.random.default_rng(np.random.SeedSequence([_STREAM, 1, int(seed)]))
    order = np.concatenate([rng.permutation(np.flatnonzero(codes == code)) for code in range(len(counts))])
    fold = np.empty(len(codes), np.int64)
    fold[order] = np.arange(len(codes)) % min(most, int(counts.min()))
    return [(np.flatnonzero(fold != each), np.flatnonzero(fold == each)) for each in range(int(fold.max()) + 1)]


def split_dataset(
    graphs: NeighbourLists, seed: int, ratios: Sequence[float] | None = None
) -> tuple[NDArray[np.int64], ...]:
    """Training, validation and test graphs at one seed: what every command and experiment means by its split.

    The graphs' name says which dataset they are of, whose shares are taken (:func:`split_ratios`) if none are given.
    """
    return split(graphs.labels, split_ratios(graphs.name) if ratios is None else ratios, seed)


def _check_ratios(ratios: Sequence[float]) -> NDArray[np.float64]:
    try:
        shares = np.asarray(ratios, dtype=np.float64)
    except (TypeError, ValueError):
        shares = np.zeros(0)
    good = shares.ndim == 1 and len(shares) >= 2 and (shares > 0).all() and abs(shares.sum() - 1.0) < 1e-9
    if not good:
        raise bad_parameter("ratios", "split", "two or more positive numbers that add up to 1", ratios)
    return np.asarray(shares / shares.sum())


def _check_labels(labels: ArrayLike | None, parts: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    if labels is None:
        raise DataError("A stratified split needs labels, one for each of what is split. There are none.")
    given = np.asarray(labels)
    if given.ndim != 1:
        raise DataError(f"Labels must be flat, one for each of what is split. Got shape {given.shape} instead.")
    check_labelled(given)
    classes, codes, counts = np.unique(given, return_inverse=True, return_counts=True)
    if len(classes) < 2:
        raise DataError(f"Labels must name at least two classes. Got {len(classes)} instead.")
    if counts.min() < parts:
        raise DataError(
            f"Every class needs at least {parts} labels, one for each part of the split. "
            f"Class {classes[counts.argmin()]} has {counts.min()}."
        )
    return codes, counts


def _largest_remainder(quota: NDArray[np.float64], total: int) -> NDArray[np.int64]:
    """Whole numbers that add up to total, each its quota rounded up or down, the largest fractions up."""
    quota = np.round(quota, 9)  # 0.15 · 2000 is 300, not 299.99999999999994
    floor = np.floor(quota).astype(np.int64)
    up = np.argsort(floor - quota, kind="stable")[: total - floor.sum()]
    floor[up] += 1
    return floor


def _share_out(counts: NDArray[np.int64], sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """How many graphs of each class go to each part: rows add up to counts, columns to sizes, no cell is 0."""
    if (short := sizes < len(counts)).any():
        raise DataError(
            f"A part of {sizes[short].min()} is too small for {len(counts)} classes: give it a larger ratio."
        )
    table = np.zeros((len(counts), len(sizes)), np.int64)
    left = counts.copy()
    for part, size in enumerate(sizes[:-1]):
        table[:, part] = _largest_remainder(left * (size / left.sum()), int(size))
        left -= table[:, part]
    table[:, -1] = left
    for one, part in np.argwhere(table == 0):
        # a rare class was rounded away: swap one of its graphs with one of the class that the part has most of
        donor, other = table[one].argmax(), table[:, part].argmax()
        table[one, part] += 1
        table[one, donor] -= 1
        table[other, part] -= 1
        table[other, donor] += 1
    return table
