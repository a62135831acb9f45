"""Reports made ready by other processes, ahead of the one that trains on them."""

from __future__ import annotations

import math
import multiprocessing
import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import replace
from typing import TypeVar

from graphldp.errors import GraphLDPError
from graphldp.experiments.draws import Context

Item = TypeVar("Item")
Made = TypeVar("Made")

_AHEAD = 3  # tasks that are prepared ahead of the training, for each process: reports may take gigabytes


def prepared(
    make: Callable[[Item, Context], Made], tasks: Sequence[Sequence[Item]], context: Context
) -> Iterator[Made | GraphLDPError]:
    """What is made of each item, in order; by several processes where the context has them.

    Args:
        make: a function of a module, called with an item and a context of one process.
        tasks: items that share work follow each other in one task, which one process does.
        context: its ``workers`` say how many processes; with one, items are made as they are asked for.
    """
    alone = replace(context, workers=1, deadline=math.inf)
    if context.workers == 1:
        yield from (_made(make, item, alone) for task in tasks for item in task)
        return
    start = multiprocessing.get_context("spawn")  # torch and its threads do not survive a fork
    with ProcessPoolExecutor(context.workers, start, initializer=_one_thread) as pool:
        ahead: deque[Future[list[Made | GraphLDPError]]] = deque()
        try:
            for task in tasks:
                ahead.append(pool.submit(_all_made, make, task, alone))
                if len(ahead) > _AHEAD * context.workers:
                    yield from ahead.popleft().result()
            while ahead:
                yield from ahead.popleft().result()
        finally:
            pool.shutdown(cancel_futures=True)


def _one_thread() -> None:
    os.environ["GRAPHLDP_THREADS"] = "1"


def _all_made(
    make: Callable[[Item, Context], Made], task: Sequence[Item], context: Context
) -> list[Made | GraphLDPError]:
    return [_made(make, item, context) for item in task]


def _made(make: Callable[[Item, Context], Made], item: Item, context: Context) -> Made | GraphLDPError:
    try:
        return make(item, context)
    except GraphLDPError as error:
        return error
