"""The call ``gl.statistics``: rows of every community, and of all together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from graphldp.errors import DataError, bad_parameter
from graphldp.estimates.degrees import bar_edges, degree_rows
from graphldp.estimates.groups import Counts, count_rows, group_rows, shown_groups
from graphldp.estimates.lists import ListSums, countable, list_rows, read_lists
from graphldp.estimates.noise import NoisyNumbers, spread
from graphldp.estimates.pairs import PairSums, pair_rows, read_pairs
from graphldp.estimates.rows import POOLED, Estimate, Statistics
from graphldp.estimates.samples import Sample
from graphldp.intervals import LEAST
from graphldp.reports import Reports

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def statistics(
    reports: Reports | Sequence[Reports],
    *,
    groups: Sequence[str] | None = None,
    communities: Sequence[str] | None = None,
    bars: Sequence[int] | None = None,
    least: int = LEAST,
) -> Statistics:
    """Say what communities look like, with errors.

    Args:
        reports: of one community or of many; of several mechanisms, one ``Reports`` for each.
        groups: the groups' names; their numbers by default.
        communities: the communities' names, in the order of their graphs; their ids by default.
        bars: the last degrees of the histogram's bars but the last one, as in [0, 4, 9] for 0, 1 to 4, 5 to 9 and 10 or
            more. Chosen before anybody looks, intervals hold as they stand; by default bars fit what was sent.
        least: reports that a number must rest on: a community, a group or a bar with fewer is not shown. Two at least,
            since one says nothing of how users differ.

    Returns:
        Rows of each community; of several, first those of all together. What can be said depends on what was sent:
        degrees, friend counts by group, lists by RR, ARR or Blink, or both rounds of ClosedPairs.

    Example::

        found = gl.statistics(gl.NoisyDegrees(epsilon=1.0).randomize(graphs, rng=7))
        found["share without a friend"].value
        print(found)
    """
    given = tuple(reports) if isinstance(reports, Sequence) else (reports,)
    for each in given:
        if not isinstance(each, Reports):
            raise bad_parameter("reports", "statistics", "Reports", type(each).__name__)
        _check(each)
    if isinstance(least, bool) or not isinstance(least, int) or least < 1:
        raise bad_parameter("least", "statistics", "a whole number ≥ 1", least)
    if bars is not None and not (len(bars) and list(bars) == sorted({*bars}) and all(type(bar) is int for bar in bars)):
        raise bad_parameter("bars", "statistics", "rising whole numbers", bars)
    least = max(least, 2)
    names = _names(given, communities)
    labels = _group_names(given, groups)
    read = [one for each in given for one in _read(each, least)]
    shown = [(name, one) for name, one in zip(names, read, strict=True) if one.reported >= least]
    if not shown:
        most = max((one.reported for one in read), default=0)
        raise DataError(
            f"Statistics need reports of {least} users of one community (least={least}); the most here are {most}."
        )
    notes = []
    if len(shown) < len(read):
        left = len(read) - len(shown)
        few = f"{left:,} {'community' if left == 1 else 'communities'}"
        notes.append(f"Not shown: {few} with fewer than {least} reports.")
    rows: list[Estimate] = []
    whole = _joined([one for _, one in shown]) if len(shown) > 1 else shown[0][1]
    if len(read) > 1:
        rows += (replace(row, community=POOLED) for row in whole.rows(labels, least, bars))
    for name, one in shown:
        rows += (replace(row, community=name) for row in one.rows(labels, least, bars))
    hidden = [] if not whole.counts or not whole.mixed else whole.hidden(least)
    if hidden:
        notes.append(f"Not shown: {', '.join(labels[g] for g in hidden)}, of whom fewer than {least} reported.")
        if not any(row.name == "E–I index" for row in rows):
            notes.append("Not shown: indices of mixing. Hardly anybody of some groups reported.")
    numbers = whole.numbers
    degrees = None if numbers is None else (numbers.sent, numbers.epsilon, whole.top)
    return Statistics(tuple(rows), tuple(notes), degrees)


@dataclass(frozen=True)
class _Read:
    """The reports of one community, or of several.

    Args:
        sample: who reported.
        pairs: of users who may be friends.
        top: the largest degree that there can be.
        numbers: the noisy degrees.
        counts: friends by group, in each community.
        mixed: whether the groups are the operator's own, and not dealt by chance.
        lists: the sums of lists.
        closed: those of answers about pairs of friends.
    """

    sample: Sample
    pairs: float
    top: int
    numbers: NoisyNumbers | None
    counts: tuple[Counts, ...]
    mixed: bool
    lists: ListSums | None
    closed: PairSums | None

    @property
    def reported(self) -> int:
        """Users who reported."""
        return len(self.sample.stratum)

    def hidden(self, least: int) -> list[int]:
        """Groups of which too few reported, and which are not empty."""
        sizes = sum(each.sizes for each in self.counts)
        return sorted({*np.flatnonzero(sizes).tolist()} - {*shown_groups(self.counts, least)})

    def rows(self, names: Sequence[str], least: int, bars: Sequence[int] | None) -> Iterator[Estimate]:
        """The rows of all that can be said."""
        if self.numbers is not None:
            edges = bar_edges(self.numbers, self.top, least) if bars is None else bars
            yield from degree_rows(self.numbers, self.sample, self.pairs, edges)
        elif self.counts:
            yield from count_rows(self.counts, self.sample, self.pairs)
        if self.counts and self.mixed:
            yield from group_rows(self.counts, self.sample, names, least)
        if self.lists is not None and self.closed is not None:
            yield from pair_rows(self.closed, self.lists)
        elif self.lists is not None:
            yield from list_rows(self.lists, self.pairs, alone=self.numbers is None)


def _check(reports: Reports) -> None:
    """Refuse reports that nothing can be read off."""
    if reports.directed:
        raise DataError("Statistics are derived for undirected graphs: who is whose friend is so both ways.")
    if reports.noisy_degree is None and reports.friend_counts is None and not countable(reports):
        raise DataError(
            f"Statistics need noisy degrees, friend counts by group, or lists by RR, ARR or Blink; "
            f"these come from {reports.origin}."
        )
    if reports.n_max < 2:
        raise DataError("Statistics need a community of two users or more.")


def _read(reports: Reports, least: int) -> Iterator[_Read]:
    """The reports of each graph."""
    present = np.ones(reports.num_users, np.bool_) if reports.missing is None else ~reports.missing
    groups = np.zeros(reports.num_users, np.int64) if reports.groups is None else reports.groups
    counted, mixed = reports.friend_counts, not _dealt(reports)
    for graph, (start, stop) in enumerate(pairwise(reports.graph_ptr.tolist())):
        here = slice(start, stop)
        users, n = start + np.flatnonzero(present[here]), stop - start
        counts = () if counted is None else (_counts(reports, users, groups[here]),)
        enough = len(users) >= least
        numbers = NoisyNumbers.of(reports, users, n) if enough and reports.noisy_degree is not None else None
        lists = read_lists(reports, graph) if enough and countable(reports) else None
        sample = Sample.of(groups[here], present[here], least)
        closed = None if numbers is None else read_pairs(reports, graph, numbers, sample, least)
        yield _Read(sample, n * (n - 1) / 2, max(n - 1, 0), numbers, counts, mixed, lists, closed)


def _counts(reports: Reports, users: Ints, groups: Ints) -> Counts:
    sizes = np.bincount(groups, minlength=reports.num_groups).astype(np.float64)
    noise = 2 * spread(reports.epsilon1[users])
    return Counts(np.asarray(reports.friend_counts)[users], noise, np.asarray(reports.groups)[users], sizes)


def _joined(parts: Sequence[_Read]) -> _Read:
    """Several communities as one."""
    numbers = [part.numbers for part in parts if part.numbers is not None]
    lists = [part.lists for part in parts if part.lists is not None]
    closed = [part.closed for part in parts if part.closed is not None]
    return _Read(
        Sample.joined([part.sample for part in parts]),
        sum(part.pairs for part in parts),
        max(part.top for part in parts),
        NoisyNumbers.joined(numbers) if len(numbers) == len(parts) else None,
        tuple(count for part in parts for count in part.counts) if all(part.counts for part in parts) else (),
        all(part.mixed for part in parts),
        sum(lists[1:], lists[0]) if len(lists) == len(parts) else None,
        sum(closed[1:], closed[0]) if len(closed) == len(parts) else None,
    )


def _dealt(reports: Reports) -> bool:
    """Whether groups were dealt by chance, and are not the operator's own."""
    return "dealt" in reports.origin.parameters


def _names(given: Sequence[Reports], communities: Sequence[str] | None) -> list[str]:
    ids = [str(id) for each in given for id in each.graph_ids.tolist()]
    if communities is None:
        return ids
    if len(communities) != len(ids):
        raise bad_parameter("communities", "statistics", f"{len(ids)} names", f"{len(communities)}")
    return [str(name) for name in communities]


def _group_names(given: Sequence[Reports], groups: Sequence[str] | None) -> list[str]:
    if len({each.num_groups for each in given if each.friend_counts is not None and not _dealt(each)}) > 1:
        raise DataError("Friend counts of several surveys must be by the same groups: ask for one survey at a time.")
    count = max((each.num_groups for each in given), default=0)
    if groups is None:
        return [str(number) for number in range(count)]
    if len(groups) != count or len(set(groups)) != count:
        raise bad_parameter("groups", "statistics", f"{count} different names", f"{len(groups)}")
    return [str(name) for name in groups]
