"""How many threads an epoch takes on a CPU.

Threads wait for each other after every operation. On batches of small graphs an operation is over before a second
thread has begun, and on a machine that does other work too the waiting takes most of the time: three epochs on
IMDB-BINARY take many times as long with two threads as with one (``python -m benchmarks.threads`` measures it). So one
thread does small batches, and large ones take as many as torch was given.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING

import torch

from graphldp.learn.engine.rows import passes_for

if TYPE_CHECKING:
    from graphldp.learn.engine.stacking.members import Member

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


def one_thread_a_product(device: torch.device, models: int) -> AbstractContextManager[None]:
    """Inside the block compiled passes have one thread for each product of matrices: they share rows themselves."""
    passes = passes_for(device, models)
    return nullcontext() if passes is None else passes.small_products()


@contextmanager
def threads_of(members: Sequence[Member]) -> Iterator[None]:
    """Inside the block torch has the threads that suit these trainings, and afterwards those it had."""
    given = torch.get_num_threads()
    torch.set_num_threads(threads_for(users_in_a_batch(members), given))
    try:
        with one_thread_a_product(members[0].train_set.device, len(members)):
            yield
    finally:
        torch.set_num_threads(given)
