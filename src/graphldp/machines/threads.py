"""The sharing of the compiled loops' work: members are cut into runs of about equal work, and threads take runs.

A user's draws depend on nobody else, so the cut leaves no trace in the result.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from graphldp.errors import bad_parameter
from graphldp.machines.local import cores

Run = tuple[int, int]
T = TypeVar("T")
_MEMBERS = 32_768  # whose numbers, a few of each, fit into a core's own cache


def thread_count() -> int:
    """``$GRAPHLDP_THREADS``, or the cores this process may use. The result never depends on it."""
    given = os.environ.get("GRAPHLDP_THREADS")
    if given is None:
        return cores()
    if not given.isdecimal() or int(given) < 1:
        raise bad_parameter("GRAPHLDP_THREADS", "the environment", "a whole number ≥ 1", given)
    return int(given)


def pieces_of(work: float) -> int:
    """Into how many pieces to cut work: a few for each thread, and none so large that its result is."""
    return int(np.clip(work / 1e5, 1, max(16 * thread_count(), work / 5e5)))


def runs_of(work: NDArray[np.float64]) -> list[Run]:
    """Cut the members into runs of about equal work."""
    total = np.cumsum(work)
    if not len(total):
        return []
    pieces = pieces_of(total[-1])
    cuts = np.searchsorted(total, total[-1] * np.arange(1, pieces) / pieces)
    edges = np.unique(np.concatenate(([0], cuts, [len(work)])))
    return [(int(a), int(b)) for a, b in pairwise(edges)]


def cut_finer(runs: Sequence[Run], work: Sequence[float]) -> list[Run]:
    """Cut runs, each of them evenly, into pieces of about equal work."""
    total, pieces = sum(work), []
    share = total / pieces_of(total) if total else 1.0
    for (start, stop), each in zip(runs, work, strict=True):
        count = min(max(round(each / share), 1), stop - start)
        pieces += [
            (start + (stop - start) * i // count, start + (stop - start) * (i + 1) // count) for i in range(count)
        ]
    return pieces


def in_order(task: Callable[[Run], T], runs: Sequence[Run]) -> Iterator[T]:
    """Do the task on each run once, and give what it returns in the order of the runs, or raise what it raised."""
    if len(runs) < 2:
        yield from map(task, runs)
        return
    with ThreadPoolExecutor(thread_count()) as pool:
        yield from pool.map(task, runs)


def in_threads(task: Callable[[Run], None], runs: Sequence[Run]) -> None:
    """Do the task on each run once, and raise what the first of them raised."""
    for _ in in_order(task, runs):
        pass


def even_runs(count: int) -> list[Run]:
    """Cut ``count`` members who are all the same work."""
    return [(start, min(start + _MEMBERS, count)) for start in range(0, count, _MEMBERS)]
