"""How many threads an epoch takes on a CPU.

Threads wait for each other after every operation. On batches of small graphs an operation is over before a second
thread has begun, and on a machine that does other work too the waiting takes most of the time: three epochs on
IMDB-BINARY take many times as long with two threads as with one (``python -m benchmarks.threads`` measures it). So one
thread does small batches, and large ones take as many as torch was given.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from graphldp.learn.engine.members import Member

SMALL = 1 << 14
"""Users in a batch up to which one thread does the work: 64 graphs of 256 users each."""


def threads_for(users: float, given: int) -> int:
    """How many of the given threads to use on batches of so many users, a public number."""
    return 1 if users <= SMALL else given


def users_in_a_batch(members: Iterable[Member]) -> float:
    """The mean number of users in a batch of all trainings that run beside each other."""
    return sum(
        float(each.train_set.store.sizes[each.train_set.ids].mean()) * min(each.options.batch_size, len(each.train_set))
        for each in members
    )


@contextmanager
def threads_of(members: Iterable[Member]) -> Iterator[None]:
    """Inside the block torch has the threads that suit these trainings, and afterwards those it had."""
    given = torch.get_num_threads()
    torch.set_num_threads(threads_for(users_in_a_batch(members), given))
    try:
        yield
    finally:
        torch.set_num_threads(given)
