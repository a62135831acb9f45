"""The number of threads that an epoch takes on a CPU.

Threads wait for each other after every operation. On batches of small graphs an operation is over before a second
thread has begun, and on a machine that does other work too the waiting takes most of the time: three epochs on
IMDB-BINARY take many times as long with two threads as with one (``python -m benchmarks.speed threads`` measures it).
So one thread does small batches, and large ones take as many as torch was given.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

import torch

from graphldp.learn.engine.rows import compiles, passes_for

SMALL = 1 << 14
"""Users in a batch up to which one thread does the work: 64 graphs of 256 users each."""


def threads_for(users: float, given: int) -> int:
    """The number of the given threads to use on batches of so many users, a public number."""
    return 1 if users <= SMALL else given


@contextmanager
def threads_that_suit(users: float, device: torch.device, models: int, work: float) -> Iterator[None]:
    """Inside the block torch has the threads that suit some models, and afterwards those it had.

    Compiled passes share rows between threads themselves. Plain operations in their place have one thread, so that
    their sums do not depend on how many there are. The batches of all models have so many ``users``; for ``models`` and
    ``work`` see :func:`graphldp.learn.engine.rows.passes_for`.
    """
    given, passes = torch.get_num_threads(), passes_for(device, models, work)
    plain = models == 1 and passes is None and compiles(device)
    torch.set_num_threads(1 if plain else threads_for(users, given))
    try:
        with nullcontext() if passes is None else passes.small_products():
            yield
    finally:
        torch.set_num_threads(given)
