"""The second round of ``ClosedPairs``: the cap on an answer, by released numbers alone, and what is answered.

All is whole numbers, so that a device's exact sampler applies. The proof is in ``docs/mechanisms/closed-pairs.md``.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import compress, pairwise

PAIR_SHARES = (0.25, 0.4, 0.35)  # of ε: degree, list, answer
LIST_PART = Fraction(8, 15)  # of what is left for list and answer together: a report has one number for both
PAIR_SLACK = 2.0  # how far a degree's noise is followed, in 1/ε₀: about one user in fifteen has more friends
ANSWER_DAYS = 60  # so long after a community has opened, devices drop the lists that wait for the question
PAIR_USERS = 2_000  # who can be asked live: all lists are half a megabyte, and each member reads them
_FINE = 16  # bits of a published probability
_NEARLY = 1e-9  # so that a quotient that is whole is not rounded up


def pair_cap(noisy_degree: int, n: int, flip: float, slack: int) -> int:
    """The cap C on the bits counted for one friend, 1 at least: those of ``far`` friends who all know her, on average.

    A published bit is wrong with probability ``flip``; she may have ``slack`` friends more than d*, a whole number.
    """
    far = min(max(noisy_degree, 0) + slack, n - 1)
    right = (1 << _FINE) - round(flip * (1 << _FINE))
    return max(-(-2 * right * far >> _FINE), 1)


def slack_of(epsilon0: float, slack: float, n: int) -> int:
    """The slack F: how many friends more than d* a user may have before her count loses something."""
    return max(1, math.ceil(min(slack / epsilon0, n) - _NEARLY))


def wrong_bits(both: float) -> float:
    """The probability that a bit of a noisy list is wrong, by what its user spends on list and answer together."""
    return 1 / (1 + math.exp(both * float(LIST_PART)))


def answer(among: Sequence[Sequence[int]], cap: int) -> int:
    """The answer of a user, but for the noise.

    Args:
        among: for each two of her friends, how many of their two published bits say that they are friends, in rows.
        cap: C.
    """
    return capped(among, cap) - cap * len(among)


def capped(among: Sequence[Sequence[int]], cap: int) -> int:
    """The sum of a symmetric matrix, of which each row and each column may give ``cap`` at most: a maximum flow."""
    given = [sum(row) for row in among]
    if max(given, default=0) <= cap:
        return sum(given)
    flow = _Flow(among, cap)
    while flow.more():
        pass
    return flow.total


class _Flow:
    """A flow from rows to columns, by Dinic's algorithm (1970). A column may give back, for a row to send elsewhere.

    Sets of rows and of columns are whole numbers, with a bit for each of them.

    Args:
        most: what each row may send to each column.
        cap: what each row may send, and each column take.
    """

    def __init__(self, most: Sequence[Sequence[int]], cap: int) -> None:
        self.left, self.total = [list(row) for row in most], 0
        self.sent = [[0] * len(row) for row in most]
        self.sends, self.takes = [cap] * len(most), [cap] * len(most)
        self.open = [_set(row) for row in most]  # to which columns each row may send
        self.back = [0] * len(most)  # from each column, to which rows
        for row, room in enumerate(most):  # all that goes straight
            for column in compress(range(len(room)), map(min, room, self.takes)):
                if not self.sends[row]:
                    break
                given = min(room[column], self.sends[row], self.takes[column])
                self._send(row, column, given)
                self.sends[row] -= given
                self.takes[column] -= given
                self.total += given

    def _send(self, row: int, column: int, given: int) -> None:
        """Move so much from a row to a column; less than nothing goes back."""
        self.sent[row][column] += given
        self.left[row][column] -= given
        self.open[row] = _with(self.open[row], column, present=self.left[row][column] > 0)
        self.back[column] = _with(self.back[column], row, present=self.sent[row][column] > 0)

    def more(self) -> bool:
        """Send along all shortest ways that there are; False where there is none."""
        if not self._levels():
            return False
        further: tuple[dict[int, list[int]], ...] = {}, {}  # from each row, and from each column
        for row in [row for row, left in enumerate(self.sends) if left]:
            while self.sends[row] and self._one(row, further):
                self.sends[row] -= 1
                self.total += 1
        return True

    def _levels(self) -> bool:
        """How many steps each row and column is away from a row that has something to send."""
        rows, taking = _set(self.sends), _set(self.takes)
        seen = [rows, 0]  # rows and columns
        self.levels, self.level_of = [rows], (dict.fromkeys(_places(rows), 0), dict[int, int]())
        while self.levels[-1]:
            side = len(self.levels) % 2  # 1: from rows to columns
            reached = 0
            for place in _places(self.levels[-1]):
                reached |= self.open[place] if side else self.back[place]
            reached &= ~seen[side]
            seen[side] |= reached
            self.level_of[side].update(dict.fromkeys(_places(reached), len(self.levels)))
            self.levels.append(reached)
            if side and reached & taking:
                return True
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
            while nexts and not (self.sent[nexts[-1]][place] if back else self.left[place][nexts[-1]]):
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
            if step % 2:
                self._send(there, here, -1)
            else:
                self._send(here, there, 1)
        return True

    def _next(self, place: int, *, back: bool) -> list[int]:
        """Where a shortest way goes on from a row, or back from a column."""
        level = self.level_of[back][place] + 1
        reached = self.levels[level] if level < len(self.levels) else 0
        return [*_places(reached & (self.back[place] if back else self.open[place]))]


def _set(counts: Sequence[int]) -> int:
    """The places at which there is something left."""
    return int("".join("1" if count else "0" for count in reversed(counts)), 2)


def _with(places: int, place: int, *, present: bool) -> int:
    return places | 1 << place if present else places & ~(1 << place)


def _places(places: int) -> Iterator[int]:
    """The members of a set, in order."""
    while places:
        lowest = places & -places
        yield lowest.bit_length() - 1
        places ^= lowest
