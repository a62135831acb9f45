"""Group commit: everything that waits goes into one transaction with one fsync.

A server that commits each report alone is as slow as its disk. Here the next transaction takes all that arrived while
the last one was being flushed, so the busier the server, the larger the transaction; an answer is still given only
after the commit that holds the report. Where the database takes several transactions at a time, another one begins
beside the last as soon as enough waits to fill it, as a relay's batch does.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Callable, Sequence

from graphldp.collector.intake import Ruling, Submission
from graphldp.errors import StoreError

_MOST = 1000  # reports per transaction


class Writer:
    """The threads that write.

    Args:
        accept: takes submissions in one durable transaction, as :meth:`graphldp.collector.storage.store.Store.accept`
            does.
        transactions: how many of them may be under way at a time.
    """

    def __init__(self, accept: Callable[[Sequence[Submission]], list[Ruling]], transactions: int = 1) -> None:
        self._accept = accept
        self._fresh: list[_Job] = []  # the event loop's own; the rest is shared with the threads
        self._waiting: deque[_Job] = deque()
        self._count = 0  # reports that wait
        self._under_way = 0  # transactions
        self._changed = threading.Condition()
        self._closing = False
        self._threads = [
            threading.Thread(target=self._run, name=f"graphldp-writer-{place}", daemon=True)
            for place in range(transactions)
        ]
        for thread in self._threads:
            thread.start()

    async def submit(self, submissions: Sequence[Submission]) -> list[Ruling]:
        """Verdicts on reports, once they are on disk.

        Raises:
            StoreError: when the database could not take them; the same reports may be sent again.
        """
        if not submissions:
            return []
        job = _Job(submissions)
        self._fresh.append(job)
        if len(self._fresh) == 1:
            job.loop.call_soon(self._hand_over)
        return await job.done

    def _hand_over(self) -> None:
        """Pass on all that arrived in one turn of the event loop: one wake-up instead of one per request."""
        with self._changed:
            if self._closing:
                _fail(self._fresh, StoreError("The collector is shutting down."))
            self._waiting.extend(self._fresh)
            self._count += sum(len(job.submissions) for job in self._fresh)
            if self._worth_one():
                self._changed.notify()
        self._fresh = []

    def close(self) -> None:
        """Write what waits, then end the threads."""
        with self._changed:
            self._closing = True
            self._changed.notify_all()
        for thread in self._threads:
            thread.join()

    def _run(self) -> None:
        while jobs := self._next():
            try:
                rulings = self._accept([each for job in jobs for each in job.submissions])
            except Exception as error:
                failure = error if isinstance(error, StoreError) else StoreError("The database cannot be used now.")
                jobs[0].loop.call_soon_threadsafe(_fail, jobs, failure)
            else:
                jobs[0].loop.call_soon_threadsafe(_answer, jobs, rulings)
            with self._changed:
                self._under_way -= 1

    def _next(self) -> list[_Job]:
        with self._changed:
            while not self._worth_one() and not self._closing:
                self._changed.wait()
            jobs: list[_Job] = []
            count = 0
            while self._waiting and (not jobs or count + len(self._waiting[0].submissions) <= _MOST):
                jobs.append(self._waiting.popleft())
                count += len(jobs[-1].submissions)
            self._count -= count
            self._under_way += 1
            if self._worth_one():
                self._changed.notify()
            return jobs

    def _worth_one(self) -> bool:
        """Whether what waits is worth a transaction: beside another one, only what fills it."""
        return self._count >= (_MOST if self._under_way else 1)


class _Job:
    """Reports, and who waits for them."""

    def __init__(self, submissions: Sequence[Submission]) -> None:
        self.submissions = submissions
        self.loop = asyncio.get_running_loop()
        self.done: asyncio.Future[list[Ruling]] = self.loop.create_future()


def _answer(jobs: list[_Job], rulings: list[Ruling]) -> None:
    start = 0
    for job in jobs:
        stop = start + len(job.submissions)
        if not job.done.done():  # cancelled where its client went away
            job.done.set_result(rulings[start:stop])
        start = stop


def _fail(jobs: list[_Job], failure: StoreError) -> None:
    for job in jobs:
        if not job.done.done():
            job.done.set_exception(failure)
