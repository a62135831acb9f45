"""How a pass over rows is shared between threads."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from itertools import pairwise
from typing import Any

import scipy.linalg  # noqa: F401 - the products of compiled code are scipy's, which must be loaded to be counted
import torch
from numba.extending import overload
from threadpoolctl import ThreadpoolController

from graphldp.learn.engine.cpu.passes import tiles_of


def _share(work: Callable[..., None], rows: int, *arrays: Any) -> None:
    """A pass over all tiles of so many rows, in equal parts for as many threads as torch has."""
    tiles, threads = tiles_of(rows), torch.get_num_threads()
    if min(threads, tiles) < 2:
        work(0, tiles, *arrays)
        return
    parts = list(pairwise(tiles * part // threads for part in range(threads + 1)))
    others = [_pool(os.getpid(), threads).submit(work, *part, *arrays) for part in parts[1:]]
    work(*parts[0], *arrays)
    for each in others:
        each.result()


def shared(work: Callable[..., None]) -> Callable[..., None]:
    """A pass over all tiles of so many rows: called from Python it is shared, and in compiled code one thread's."""

    def everywhere(rows: int, *arrays: Any) -> None:
        _share(work, rows, *arrays)

    @overload(everywhere)
    def _compiled(rows: int, *arrays: Any) -> Callable[..., None]:
        def alone(rows: int, *arrays: Any) -> None:
            work(0, tiles_of(rows), *arrays)

        return alone

    return everywhere


@contextmanager
def small_products() -> Iterator[None]:
    """Inside the block each product of matrices is one thread's: a tile is over before a second one has begun."""
    with _controller().limit(limits=1, user_api="blas"):
        yield


@cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()


@cache
def _pool(process: int, threads: int) -> ThreadPoolExecutor:
    """Threads of a process, by its number: one that was forked has none of the threads of the other."""
    return ThreadPoolExecutor(threads)
