"""How the work of the compiled loops is shared: members are cut into runs of about equal work, and threads take runs.

A user's draws depend on nobody else, so the cut leaves no trace in the result.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from graphldp.errors import bad_parameter

Run = tuple[int, int]


def thread_count() -> int:
    """``$GRAPHLDP_THREADS``, or the cores this process may use. The result never depends on it."""
    given = os.environ.get("GRAPHLDP_THREADS")
    if given is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if not given.isdecimal() or int(given) < 1:
        raise bad_parameter("GRAPHLDP_THREADS", "the environment", "a whole number ≥ 1", given)
    return int(given)


def runs_of(work: NDArray[np.float64]) -> list[Run]:
    """Cut the members into runs of about equal work, a few for each thread."""
    total = np.cumsum(work)
    if not len(total):
        return []
    pieces = int(np.clip(total[-1] / 1e5, 1, 16 * thread_count()))
    cuts = np.searchsorted(total, total[-1] * np.arange(1, pieces) / pieces)
    edges = np.unique(np.concatenate(([0], cuts, [len(work)])))
    return [(int(a), int(b)) for a, b in pairwise(edges)]


def in_threads(task: Callable[[int], None], numbers: Iterable[int]) -> None:
    """Do each task once, and raise what the first of them raised."""
    with ThreadPoolExecutor(thread_count()) as pool:
        for done in [pool.submit(task, number) for number in numbers]:
            done.result()
