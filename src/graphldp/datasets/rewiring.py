"""The compiled loops behind :func:`graphldp.synthesize`: friendships are exchanged, and every degree stays.

An exchange makes a–d and c–b of the friendships a–b and c–d. Where b and d are of one group (or a and c), every pair of
groups keeps its number of friendships, too.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

Ints = NDArray[np.int64]


@njit(cache=True)
def _below(state: NDArray[np.uint64], limit: int) -> np.int64:
    """A random number (splitmix64) below a limit, off by less than 2⁻³² for one below 2³²."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    word = state[0]
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    word ^= word >> np.uint64(31)
    return np.int64(word % np.uint64(limit))


@njit(cache=True)
def untangle(one: Ints, two: Ints, block: Ints, users: int, tries: int, state: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Exchange the friendships of a user with herself and those that are there twice; say which ones are right then.

    Args:
        one: an end of each friendship.
        two: the other end; changed.
        block: where the friendships between each two groups begin, and where the last ones end.
        users: how many there are.
        tries: for each of them, half within its block.
        state: of the random numbers; changed.
    """
    right = np.zeros(len(one), np.bool_)
    there = {np.int64(-1)}
    for edge in range(len(one)):
        a, b = min(one[edge], two[edge]), max(one[edge], two[edge])
        if a != b and a * users + b not in there:
            there.add(a * users + b)
            right[edge] = True
    for group in range(len(block) - 1):
        for edge in range(block[group], block[group + 1]):
            for attempt in range(0 if right[edge] else tries):
                near = attempt < tries // 2
                low, high = (block[group], block[group + 1]) if near else (0, len(one))
                other = low + _below(state, high - low)
                a, b, c, d = one[edge], two[edge], one[other], two[other]
                if not right[other] or a == d or c == b:
                    continue
                first, second = min(a, d) * users + max(a, d), min(c, b) * users + max(c, b)
                if first == second or first in there or second in there:
                    continue
                there.discard(min(c, d) * users + max(c, d))
                there.add(first)
                there.add(second)
                two[edge], two[other] = d, b
                right[edge] = True
                break
    return right


@njit(cache=True)
def _adjacent(indptr: Ints, friends: Ints, a: int, b: int) -> bool:
    if indptr[a + 1] - indptr[a] > indptr[b + 1] - indptr[b]:
        a, b = b, a
    found = False
    for place in range(indptr[a], indptr[a + 1]):
        found |= friends[place] == b
    return found


@njit(cache=True)
def _put(indptr: Ints, friends: Ints, user: int, old: int, new: int) -> None:
    for place in range(indptr[user], indptr[user + 1]):
        if friends[place] == old:
            friends[place] = new
            return


@njit(cache=True)
def _common(indptr: Ints, friends: Ints, mark: Ints, stamp: int, a: int, b: int) -> int:
    """How many friends two users share; ``stamp`` was never used before."""
    for place in range(indptr[a], indptr[a + 1]):
        mark[friends[place]] = stamp
    count = 0
    for place in range(indptr[b], indptr[b + 1]):
        count += mark[friends[place]] == stamp
    return count


@njit(cache=True)
def triangles(indptr: Ints, friends: Ints) -> int:
    """The number of triangles of a graph whose lists are in any order."""
    users = len(indptr) - 1
    mark = np.full(users, -1, np.int64)
    count = 0
    for a in range(users):
        for place in range(indptr[a], indptr[a + 1]):
            mark[friends[place]] = a
        for place in range(indptr[a], indptr[a + 1]):
            b = friends[place]
            if b < a:
                for third in range(indptr[b], indptr[b + 1]):
                    count += friends[third] < b and mark[friends[third]] == a
    return count


@njit(cache=True)
def close(indptr: Ints, friends: Ints, group: Ints, wanted: float, tries: int, state: NDArray[np.uint64]) -> int:
    """Exchange friendships until there are so many triangles, or no tries are left; say how many there are.

    To have more, two friends v, w of a user become friends, and so do a friend x of v and a friend y of w. To have
    fewer, two friendships at random are exchanged. An exchange that leads away from the number is none.

    Args:
        indptr: of the graph's lists.
        friends: the lists, in any order; changed.
        group: of each user.
        wanted: triangles.
        tries: exchanges to consider.
        state: of the random numbers; changed.
    """
    owner = np.empty(len(friends), np.int64)
    for user in range(len(indptr) - 1):
        owner[indptr[user] : indptr[user + 1]] = user
    mark = np.full(len(indptr) - 1, -1, np.int64)
    found, stamp = triangles(indptr, friends), 0
    for _ in range(tries if len(friends) else 0):
        if abs(wanted - found) < 1:
            break
        place = _below(state, len(friends))
        user, a = owner[place], friends[place]
        if found < wanted:  # a–b and c–d become a–d and c–b, so d is to be another friend of the user
            d = friends[indptr[user] + _below(state, indptr[user + 1] - indptr[user])]
            b = friends[indptr[a] + _below(state, indptr[a + 1] - indptr[a])]
            c = friends[indptr[d] + _below(state, indptr[d + 1] - indptr[d])]
        else:
            b = user
            other = _below(state, len(friends))
            c, d = owner[other], friends[other]
        if a in (c, d) or b in (c, d) or (group[b] != group[d] and group[a] != group[c]):
            continue
        if _adjacent(indptr, friends, a, d) or _adjacent(indptr, friends, c, b):
            continue
        lost = _common(indptr, friends, mark, stamp, a, b) + _common(indptr, friends, mark, stamp + 1, c, d)
        for old, new, which in ((b, d, a), (c, a, d), (d, b, c), (a, c, b)):
            _put(indptr, friends, which, old, new)
        # the new friendships share no triangle: it would have three of their four ends, and a–c or b–d would be new
        gained = _common(indptr, friends, mark, stamp + 2, a, d) + _common(indptr, friends, mark, stamp + 3, c, b)
        stamp += 4
        change = gained - lost
        if abs(wanted - found - change) < abs(wanted - found):
            found += change
            continue
        for old, new, which in ((d, b, a), (a, c, d), (b, d, c), (c, a, b)):
            _put(indptr, friends, which, old, new)
    return found
