"""MultiBit: a few of a user's private numbers, one noisy bit for each (Sajadmanesh & Gatica-Perez, CCS 2021).

A user draws m of her d numbers at random, and for each sends one bit, high or low:

    Pr(bit = 1) = 1/(e^(ε/m) + 1) + u·(e^(ε/m) − 1)/(e^(ε/m) + 1),   u = (x − low)/(high − low)

The server makes an estimate that is right on average, for every number, also for those that were not drawn:

    x' = (low + high)/2 ± (d/m)·(high − low)/2·(e^(ε/m) + 1)/(e^(ε/m) − 1),   + where the bit is 1, − where it is 0

and (low + high)/2 where nothing was told. Two rows of one user may differ in all of their numbers: ε holds for the
whole row. The proof is in ``docs/mechanisms/multi-bit.md``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphldp.errors import DataError, Described, bad_parameter, check_whole
from graphldp.graphs import GraphSet
from graphldp.mechanisms.base import DrawnLists, Mechanism, no_lists
from graphldp.mechanisms.drawing.rows import UserRows
from graphldp.mechanisms.drawing.streams import Key, Stream, first_words, philox, to_uniform
from graphldp.neighbour_lists.attributes import Attributes
from graphldp.privacy import Budget
from graphldp.reports import NoisyColumns

Floats = NDArray[np.float64]
Places = NDArray[np.intp]
_WORTH = 2.18  # the ε per number at which the estimate has the smallest variance (Proposition 3.5 of the paper)
_WORDS_AT_ONCE = 1 << 22


@dataclass(frozen=True, eq=False, repr=False)
class MultiBit(Mechanism):
    """Noisy bits of the private columns of a user's features. No list is sent.

    Args:
        epsilon: ε of every user, or one per user; ``inf`` is a user whose features are public and exact.
        low: the smallest value, one for all private columns or one for each. Public: it must not be read
            off the data. A number below it counts as it.
        high: the largest value, in the same form and as public.
        sampled: m; by default the whole part of ε/2.18, at least 1 and at most d.

    Example::

        graphs = graphs.with_features(ages, public=False)
        reports = gl.MultiBit(epsilon=1.0, low=0, high=100).randomize(graphs, rng=7)
        reports.columns.features  # [users, private columns], unbiased
    """

    low: float | tuple[float, ...] = field(default=0.0, kw_only=True)
    high: float | tuple[float, ...] = field(default=1.0, kw_only=True)
    sampled: int | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("low", "high"):
            given = np.asarray(getattr(self, name))
            if given.dtype.kind not in "iuf" or given.ndim > 1 or not given.size or not np.isfinite(given).all():
                raise bad_parameter(name, "MultiBit", "a finite number, or one for each column", Described("other"))
            value = tuple(given.tolist()) if given.ndim else float(given)
            object.__setattr__(self, name, value)
        ends = np.asarray(self.low), np.asarray(self.high)
        if all(each.ndim for each in ends) and len(ends[0]) != len(ends[1]):
            raise bad_parameter("high", "MultiBit", f"as many numbers as low ({len(ends[0])})", len(ends[1]))
        if not np.all(ends[0] < ends[1]):
            raise bad_parameter("high", "MultiBit", "above low", self.high)
        if self.sampled is not None:
            check_whole(self.sampled, "sampled", "MultiBit")

    def budget(self, n_max: int | None = None) -> Budget:
        """All of ε on the features."""
        return Budget(0.0, 0.0, features=self.epsilon)

    def draw(self, graphs: GraphSet, budget: Budget, key: Key) -> DrawnLists:
        """Draw which numbers every user tells of, and the bits."""
        told = self.tell(graphs.attributes, UserRows.of(graphs), np.asarray(budget.features), key)
        return DrawnLists(*no_lists(graphs), columns=NoisyColumns(told))

    def tell(self, about: Attributes | None, rows: UserRows, epsilon: Floats, key: Key) -> NDArray[np.floating[Any]]:
        """The estimates of private columns that some users tell; their lists are not looked at."""
        features, private = _private_columns(about)
        columns = len(private)
        low, high = self._ranges(columns)
        noisy = np.empty((len(rows), columns), features.dtype)
        for start, stop in _runs(len(rows), columns):
            true = _dense(features[start:stop][:, private])
            spent = epsilon[start:stop, None]
            told = self._told(spent, columns)
            graph, user = (each[start:stop].astype(np.uint64) for each in (rows.graph, rows.user))
            drawn = first_words(key, Stream.CHOICE, graph, user, columns)
            who, which = _smallest(drawn, told[:, 0].astype(np.int64))
            odds = np.exp(-spent / told)
            flip = odds / (1 + odds)
            share = np.clip((true[who, which] - low[which]) / (high - low)[which], 0.0, 1.0)
            words = philox(key, Stream.BITS, graph[who], user[who], which.astype(np.uint64))
            sent = np.zeros(true.shape)
            sent[who, which] = np.where(to_uniform(words) < chance(share, flip[who, 0]), 1, -1)
            noisy[start:stop] = np.where(np.isinf(spent), true, estimate(sent, flip, columns / told, low, high))
        return noisy

    def _told(self, epsilon: Any, columns: int) -> Any:
        """The number m of columns that each user tells of."""
        if self.sampled is None:
            finite = np.where(np.isinf(epsilon), 1.0, epsilon)
            return np.clip(np.floor(finite / _WORTH), 1, columns)
        if self.sampled > columns:
            raise bad_parameter("sampled", "MultiBit", f"at most the {columns} private columns", self.sampled)
        return np.full_like(epsilon, self.sampled)

    def _ranges(self, columns: int) -> tuple[Floats, Floats]:
        for name in ("low", "high"):
            given = np.size(getattr(self, name))
            if np.ndim(getattr(self, name)) and given != columns:
                raise bad_parameter(name, "MultiBit", f"one number for each of {columns} private columns", given)
        return np.broadcast_to(self.low, columns), np.broadcast_to(self.high, columns)


def chance(share: Any, flip: Any) -> Any:
    """Pr(bit = 1) by u and 1/(e^(ε/m) + 1): plain arithmetic, on floats for the sampler, on rationals for the tests."""
    return flip + share * (1 - 2 * flip)


def estimate(sent: Any, flip: Any, of_each: Any, low: Any, high: Any) -> Any:
    """x': ``sent`` is 1 or −1 for a bit, 0 where nothing was told; ``flip`` is 1/(e^(ε/m) + 1), ``of_each`` is d/m."""
    return (low + high) / 2 + sent * (of_each * (high - low) / 2 / (1 - 2 * flip))


def _private_columns(about: Attributes | None) -> tuple[Any, NDArray[np.int64]]:
    if about is None or about.features is None:
        raise DataError("MultiBit needs features: graphs.with_features(features).")
    private = np.flatnonzero(~about.public_features)
    if not len(private):
        raise DataError("MultiBit is for private features, and all of these are public.")
    return about.features, private


def _dense(rows: Any) -> Floats:
    return np.asarray(rows.toarray() if hasattr(rows, "toarray") else rows, np.float64)


def _runs(users: int, columns: int) -> Iterator[tuple[int, int]]:
    """Users whose words fit into memory together."""
    yield from pairwise([*range(0, users, max(_WORDS_AT_ONCE // columns, 1)), users])


def _smallest(words: NDArray[np.uint64], counts: NDArray[np.int64]) -> tuple[Places, Places]:
    """Row and column of the smallest words of each row, as many as its count says."""
    found = np.zeros(words.shape, np.bool_)
    for count in np.unique(counts):
        some = np.flatnonzero(counts == count)
        found[some[:, None], np.argpartition(words[some], count - 1, axis=1)[:, :count]] = True
    who, which = np.nonzero(found)
    return who, which
