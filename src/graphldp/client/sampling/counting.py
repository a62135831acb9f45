"""Friends counted by public group, drawn exactly.

The law is that of ``FriendCounts``: z_l = (friends in group l) + N_l, with one discrete Laplace noise of ε for each
group. A friend is in one group, so one friend more or less changes one count by one: the vector costs ε as a whole,
however many groups there are. Each group costs the same work, whoever is in it. ``docs/mechanisms/friend-counts.md``
has the proof.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from graphldp.client.sampling.entropy import Entropy
from graphldp.client.sampling.laplace import discrete_laplace
from graphldp.errors import DataError


def partition(groups: Sequence[int] | None, n: int) -> list[int]:
    """The number of each user's group, where each of n users is in one and none of the groups is empty."""
    if groups is None:
        raise DataError("Friends are counted by public groups, and there are none.")
    found = list(groups)
    if len(found) != n or {type(group) for group in found} != {int} or set(found) != set(range(max(found) + 1)):
        raise DataError("Each user must be in one public group, numbered from 0, and none of them may be empty.")
    return found


def true_counts(friends: Iterable[int], groups: Sequence[int], count: int) -> list[int]:
    """How many friends are in each of so many groups; this never leaves the device."""
    found = [0] * count
    for friend in friends:
        found[groups[friend]] += 1
    return found


def noisy_counts(friends: Iterable[int], groups: Sequence[int], epsilon: Fraction, entropy: Entropy) -> list[int]:
    """Draw one noise for each group, in the order of their numbers, and add it."""
    counts = true_counts(friends, groups, max(groups) + 1)
    return [count + discrete_laplace(epsilon, entropy) for count in counts]
