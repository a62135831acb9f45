"""How a pass over rows is shared between threads.

On a busy machine a thread may have to wait for a core at any time. So threads do not get equal parts of a pass: each
takes some tiles, then some more, fewer and fewer, until all are taken. Who has not begun by then is not waited for.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from typing import Any, TypeVar

import scipy.linalg  # noqa: F401 - the products of compiled code are scipy's, which must be loaded to be counted
import torch
from numba.extending import overload
from threadpoolctl import ThreadpoolController

_S = TypeVar("_S")
_T = TypeVar("_T")


def _share(work: Callable[..., None], tiles: int, *arrays: Any) -> None:
    """A pass over all tiles, by as many threads as torch has."""
    threads = torch.get_num_threads()
    if min(threads, tiles) < 2:
        work(0, tiles, *arrays)
        return
    parts = iter(_parts(tiles, threads))  # of a list: threads take its members one by one

    def turn() -> None:
        for first, last in parts:
            work(first, last, *arrays)

    others = [_beside(turn) for _ in range(threads - 1)]
    turn()
    for each in others:
        if not each.cancel():
            each.result()


@cache
def _parts(tiles: int, threads: int) -> list[tuple[int, int]]:
    """First tile and the one after the last of each part: half of a fair share of what is left."""
    parts, first = list[tuple[int, int]](), 0
    while first < tiles:
        last = first + max((tiles - first) // (2 * threads), 1)
        parts.append((first, last))
        first = last
    return parts


def ahead(work: Callable[[_S], _T], given: Iterable[_S]) -> Iterator[_T]:
    """What work makes of one after the other; with several threads, of the next one while the last one is in use."""
    if torch.get_num_threads() == 1:
        yield from map(work, given)
        return
    others = iter(given)
    for first in others:
        made = work(first)
        for each in others:
            coming = _beside(work, each)
            yield made
            made = work(each) if coming.cancel() else coming.result()
        yield made


def _beside(work: Callable[..., _T], *args: Any) -> Future[_T]:
    """Some work in another thread, as soon as one has nothing else to do."""
    return _pool(os.getpid(), torch.get_num_threads() - 1).submit(work, *args)


def shared(work: Callable[..., None], tile: int) -> Callable[..., None]:
    """A pass over all rows, ``tile`` at a time: called from Python it is shared, in compiled code one thread's."""

    def everywhere(rows: int, *arrays: Any) -> None:
        _share(work, -(-rows // tile), *arrays)

    @overload(everywhere)
    def _compiled(rows: int, *arrays: Any) -> Callable[..., None]:
        def alone(rows: int, *arrays: Any) -> None:
            work(0, -(-rows // tile), *arrays)

        return alone

    return everywhere


@contextmanager
def small_products() -> Iterator[None]:
    """Inside the block each product of matrices has one thread: it takes less time than starting a second one."""
    with _controller().limit(limits=1, user_api="blas"):
        yield


@cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()


@cache
def _pool(process: int, threads: int) -> ThreadPoolExecutor:
    """Threads of a process, by its number: one that was forked has none of the threads of the other."""
    return ThreadPoolExecutor(threads)
