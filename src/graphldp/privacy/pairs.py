"""The second round of ``ClosedPairs``: the cap on an answer, by released numbers alone, and what is answered.

All is whole numbers, so that a device's exact sampler applies. The proof is in ``docs/mechanisms/closed-pairs.md``.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

PAIR_SHARES = (0.25, 0.4, 0.35)  # of ε: degree, list, answer
LIST_PART = Fraction(8, 15)  # of what is left for list and answer together: a report has one number for both
PAIR_SLACK = 2.0  # how far a degree's noise is followed, in 1/ε₀: about one user in fifteen has more friends
ANSWER_DAYS = 60  # so long after a community has opened, devices drop the lists that wait for the question
PAIR_USERS = 2_000  # who can be asked live: all lists are half a megabyte, and each member reads them
_FINE = 16  # bits of a published probability
_NEARLY = 1e-9  # so that a quotient that is whole is not rounded up


def pair_cap(noisy_degree: ArrayLike, n: int, flip: float, slack: int) -> NDArray[np.int64]:
    """The cap C on the bits counted for one friend, 1 at least: those of ``far`` friends who all know her, on average.

    A published bit is wrong with probability ``flip``; she may have ``slack`` friends more than d*, a whole number.
    """
    far = np.minimum(np.maximum(np.asarray(noisy_degree, np.int64), 0) + slack, n - 1)
    right = (1 << _FINE) - round(flip * (1 << _FINE))
    return np.asarray(np.maximum(-(-2 * right * far >> _FINE), 1), np.int64)


def slack_of(epsilon0: float, slack: float, n: int) -> int:
    """The slack F: how many friends more than d* a user may have before her count loses something."""
    return max(1, math.ceil(min(slack / epsilon0, n) - _NEARLY))


def wrong_bits(both: float) -> float:
    """The probability that a bit of a noisy list is wrong, by what its user spends on list and answer together."""
    return 1 / (1 + math.exp(both * float(LIST_PART)))


def answer(among: NDArray[np.integer], cap: int) -> int:
    """The answer of a user, but for the noise.

    Args:
        among: for each two of her friends, how many of their two published bits say that they are friends.
        cap: C.
    """
    return capped(among, cap) - cap * len(among)


def capped(among: NDArray[np.integer], cap: int) -> int:
    """The sum of a symmetric matrix, of which each row and each column may give ``cap`` at most: a maximum flow."""
    given = among.sum(axis=1, dtype=np.int64)
    if given.max(initial=0) <= cap:
        return int(given.sum())
    flow = _Flow(among, cap)
    while flow.more():
        pass
    return int(flow.sent.sum())


class _Flow:
    """A flow from rows to columns, by Dinic's algorithm (1970). A column may give back, for a row to send elsewhere.

    Args:
        most: what each row may send to each column.
        cap: what each row may send, and each column take.
    """

    def __init__(self, most: NDArray[np.integer], cap: int) -> None:
        self.left, self.sent = most.astype(np.int8), np.zeros(most.shape, np.int8)
        self.sends, self.takes = np.full((2, len(most)), cap, np.int64)
        for row, room in enumerate(self.left):  # all that goes straight
            open_to = np.minimum(room, self.takes)
            given = np.clip(cap - (np.cumsum(open_to) - open_to), 0, open_to).astype(np.int8)
            self.sends[row] -= given.sum()
            self.takes -= given
            self.sent[row], self.left[row] = given, room - given

    def more(self) -> bool:
        """Send along all shortest ways that there are; False where there is none."""
        if not self._levels():
            return False
        further: tuple[dict[int, list[int]], ...] = {}, {}  # from each row, and from each column
        for row in np.flatnonzero(self.sends > 0).tolist():
            while self.sends[row] and self._one(row, further):
                self.sends[row] -= 1
        return True

    def _levels(self) -> bool:
        """How many steps each row and column is away from a row that has something to send."""
        self._row_level, self._column_level = np.full((2, len(self.sends)), -1)
        rows, level = self.sends > 0, 0
        self._row_level[rows] = 0
        while rows.any():
            columns = (self.left[rows] > 0).any(axis=0) & (self._column_level < 0)
            self._column_level[columns] = level + 1
            if (self.takes[columns] > 0).any():
                return True
            rows = (self.sent[:, columns] > 0).any(axis=1) & (self._row_level < 0)
            level += 2
            self._row_level[rows] = level
        return False

    def _one(self, row: int, further: tuple[dict[int, list[int]], ...]) -> bool:
        """Send one more from a row, by a way of rows and columns in turn; False where there is none left."""
        way = [row]
        while way:
            place, back = way[-1], len(way) % 2 == 0
            if back and self.takes[place]:
                break
            if place not in further[back]:
                further[back][place] = self._next(place, back=back)
            nexts = further[back][place]
            while nexts and not (self.sent[nexts[-1], place] if back else self.left[place, nexts[-1]]):
                nexts.pop()
            if nexts:
                way.append(nexts[-1])
            elif len(way) > 1:  # a dead end
                way.pop()
                further[not back][way[-1]].pop()
            else:
                return False
        self.takes[way[-1]] -= 1
        for step, (here, there) in enumerate(pairwise(way)):
            cell, change = ((there, here), -1) if step % 2 else ((here, there), 1)
            self.sent[cell] += change
            self.left[cell] -= change
        return True

    def _next(self, place: int, *, back: bool) -> list[int]:
        """Where a shortest way goes on from a row, or back from a column."""
        if back:
            return np.flatnonzero(
                (self.sent[:, place] > 0) & (self._row_level == self._column_level[place] + 1)
            ).tolist()
        return np.flatnonzero((self.left[place] > 0) & (self._column_level == self._row_level[place] + 1)).tolist()
