"""Communities to fill a collector with: threads of two kinds, and every user's report, drawn by the mechanism.

All of it follows from the seed and a community's number, so that a fill that was cut off goes on where it was.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import graphldp as gl
from graphldp import wire
from graphldp.collector.offers import Split, offers
from graphldp.graphs import GraphSet
from graphldp.reports import Reports
from graphldp.wire.reader import varint, zigzag

CHUNK = 100  # communities that are drawn together
PREFIX = "large-"


@dataclass(frozen=True)
class Population:
    """The users of a benchmark: how many there are, and how they report.

    Args:
        reports: how many, one for each user.
        communities: how many they are shared out to: an even number.
        epsilon: what each user spends, by the mechanism that is recommended at it.
        late: users of each community who report over HTTP instead of being filled in.
    """

    reports: int
    communities: int
    epsilon: float
    late: int

    def __post_init__(self) -> None:
        if self.communities % 2 or self.late > self.reports // self.communities // 2:
            raise SystemExit("An even number of communities, please, and half the users of the smallest may be late.")

    def chunks(self) -> range:
        """The first community of each chunk."""
        return range(0, self.communities, CHUNK)

    def sizes(self, start: int) -> list[int]:
        """The users of each community of a chunk: from half the mean to one and a half, a pair has twice the mean."""
        mean, rng, found = self.reports // self.communities, np.random.default_rng((1, start)), list[int]()
        for more in rng.integers(0, mean // 2, CHUNK // 2):
            found += [mean + int(more), mean - int(more)]
        return found[: self.communities - start]


@dataclass(frozen=True)
class Group:
    """A community of the benchmark.

    Args:
        id: what stands in its address.
        label: its class.
        degrees: the noisy degree of each user.
        body: the bytes that a user sends.
    """

    id: str
    label: int
    degrees: list[int]
    body: Callable[[int], bytes]

    @property
    def n(self) -> int:
        """The number of its users."""
        return len(self.degrees)


def draw(population: Population, start: int) -> Iterator[Group]:
    """The communities of a chunk."""
    graphs = _threads(population.sizes(start), start)
    mechanism, (choice,) = offers([population.epsilon], None, 2, Split())
    law = gl.NoisyDegrees if mechanism == "noisy-degrees" else gl.HubLists
    reports = law(epsilon=population.epsilon, noise="discrete").randomize(graphs, rng=start)
    for place in range(graphs.num_graphs):
        yield _group(f"{PREFIX}{start + place}", reports.subset([place]), mechanism, choice)


def _group(id: str, reports: Reports, mechanism: str, choice: wire.Choice) -> Group:
    assert reports.noisy_degree is not None
    assert reports.labels is not None
    degrees, indptr = reports.noisy_degree.astype(np.int64).tolist(), reports.indptr.tolist()
    n, without = len(degrees), choice.spent(mechanism)[0]

    def encoded(user: int, listed: NDArray[np.int32]) -> bytes:
        spent = choice.epsilons if len(listed) else without
        return wire.encode(wire.Report(mechanism, n, user, *spent, degrees[user], listed))

    # most users have no list, and their reports differ in two numbers: ten times as fast as to check each field anew
    plain = encoded(n - 1, reports.indices[:0])
    tail = zigzag(degrees[n - 1])
    head, _, middle = plain.removesuffix(tail).partition(varint(n) + varint(n - 1))

    def body(user: int) -> bytes:
        if indptr[user] < indptr[user + 1]:
            return encoded(user, reports.indices[indptr[user] : indptr[user + 1]])
        return b"".join((head, varint(n), varint(user), middle, zigzag(degrees[user])))

    assert body(0) == encoded(0, reports.indices[indptr[0] : indptr[1]])
    return Group(id, int(reports.labels[0]), degrees, body)


def _threads(sizes: list[int], start: int) -> GraphSet:
    """Threads as :func:`graphldp.synthetic.threads` has them, of these sizes: hub and spoke, or a tree of replies."""
    rng, count = np.random.default_rng((0, start)), len(sizes)
    labels = np.arange(count) // 2 % 2
    share = rng.beta(np.where(labels == 1, 2.0, 6.0), np.where(labels == 1, 7.0, 3.0))
    graph = np.repeat(np.arange(count), sizes)
    first = np.repeat(np.cumsum(sizes) - sizes, sizes)
    user = np.arange(len(graph))
    local = user - first
    to_hub = rng.random(len(user)) < share[graph]
    partner = np.where(to_hub, first, first + (rng.random(len(user)) * local).astype(np.int64))
    replies = local > 0
    return GraphSet.from_edges(user[replies], partner[replies], np.array(sizes), labels, name="large")
