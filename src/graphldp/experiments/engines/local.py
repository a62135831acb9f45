"""Local processes: each computes one group of cells at a time and hands over every row as it is finished."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess

from graphldp.experiments.cells import Row
from graphldp.experiments.compute import compute
from graphldp.experiments.draws import Context
from graphldp.experiments.trial import Work

_ATTEMPTS = 2


@dataclass
class _Worker:
    process: SpawnProcess
    pipe: Connection
    busy: bool = False
    left: dict[str, Work] = field(default_factory=dict)


class HereEngine:
    """This process, for classes that no other could load: one group after the other."""

    def run(self, groups: Sequence[list[Work]], context: Context) -> Iterator[Row]:
        """The rows of all groups, in their order."""
        for group in groups:
            yield from compute(group, context)


class LocalEngine:
    """Worker processes of this machine.

    Args:
        workers: how many.
        threads: of each.
    """

    def __init__(self, workers: int, threads: int = 1) -> None:
        self._count, self._threads = workers, threads
        self._spawn = multiprocessing.get_context("spawn")  # torch and its threads do not survive a fork

    def run(self, groups: Sequence[list[Work]], context: Context) -> Iterator[Row]:
        """Begin to compute groups of cells; rows come in the order in which they are finished.

        A group whose worker dies is tried once more without the cells that are done; then the rest has failed.
        """
        waiting, workers = deque(groups), list[_Worker]()
        self._hand_out(waiting, workers, context)
        return self._rows(waiting, workers, context)

    def _rows(self, waiting: deque[list[Work]], workers: list[_Worker], context: Context) -> Iterator[Row]:
        deaths: dict[str, int] = {}
        try:
            while waiting or any(worker.busy for worker in workers):
                self._hand_out(waiting, workers, context)
                for ready in wait([worker.pipe for worker in workers if worker.busy]):
                    worker = next(each for each in workers if each.pipe is ready)
                    try:
                        row: Row | None = worker.pipe.recv()
                    except (EOFError, OSError):
                        workers.remove(worker)
                        yield from _after_death(worker, deaths, waiting)
                        continue
                    if row is None:
                        worker.busy = False
                    else:
                        worker.left.pop(row.cell.id)
                        yield row
        finally:
            for worker in workers:
                worker.process.terminate()
            for worker in workers:
                worker.process.join()
                worker.pipe.close()

    def _hand_out(self, waiting: deque[list[Work]], workers: list[_Worker], context: Context) -> None:
        """Give groups that wait to workers who are idle or not yet started."""
        idle = [worker for worker in workers if not worker.busy]
        while waiting and (idle or len(workers) < self._count):
            if not idle:
                workers.append(self._start(context))
                idle.append(workers[-1])
            worker, group = idle.pop(), waiting.popleft()
            worker.busy, worker.left = True, {each.cell.id: each for each in group}
            worker.pipe.send(group)

    def _start(self, context: Context) -> _Worker:
        ours, theirs = self._spawn.Pipe()
        process = self._spawn.Process(target=_work, args=(theirs, context, self._threads), daemon=True)
        process.start()
        theirs.close()
        return _Worker(process, ours)


def _after_death(worker: _Worker, deaths: dict[str, int], waiting: deque[list[Work]]) -> Iterator[Row]:
    worker.process.join()
    worker.pipe.close()
    group = list(worker.left.values())
    if not group:
        return
    first = group[0].cell.id
    deaths[first] = deaths.get(first, 0) + 1
    if deaths[first] < _ATTEMPTS:
        waiting.appendleft(group)
        return
    note = f"the worker process died twice (exit code {worker.process.exitcode}), most likely for want of memory"
    for each in group:
        yield Row(each.cell, "failed", note=note)


def _work(pipe: Connection, context: Context, threads: int) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to answer
    os.environ["GRAPHLDP_THREADS"] = "1"
    import scipy.linalg  # noqa: F401 - has products of its own, which must be loaded to be counted
    import torch
    from threadpoolctl import threadpool_limits

    torch.set_num_threads(threads)
    try:
        with threadpool_limits(threads, user_api="blas"):  # more than there are cores for wait for each other
            while True:
                for row in compute(pipe.recv(), context):
                    pipe.send(row)
                pipe.send(None)
    except (EOFError, OSError):  # the parent is gone
        return
