"""The way of reports into the store: checked, written in one transaction with all others that wait, then answered.

A server that commits each report alone is as slow as its disk. Here the next transaction takes all that arrived while
the last one was being flushed, so the busier the server, the larger the transaction; an answer is still given only
after the commit that holds the report. Where the database takes several transactions at a time, another one begins
beside the last as soon as enough waits to fill it, as a relay's batch does.

Somebody without a token learns nothing from an answer. A report with a wrong token, for a slot that is not there or for
a community that is not there goes the same way and gets the same answer: its token is looked up in the transaction that
would store it, and then the community is read anew. What is wrong with a report is found out only after the transaction
has said that its token is right.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Callable, Sequence
from typing import NamedTuple

from anyio import CapacityLimiter, to_thread

from graphldp.collector.community import Community
from graphldp.collector.storage.collecting.accepting import Outcome, Ruling, Submission
from graphldp.collector.storage.community_cache import CommunityCache
from graphldp.errors import StoreError
from graphldp.wire import LONGEST, reason, validate

_MOST = 1000  # reports per transaction
_NOWHERE = 0  # the key of no community
_UNSURE = (Ruling.UNKNOWN, Ruling.OUTDATED)


class SentReport(NamedTuple):
    """A report as it arrived."""

    community: str
    user: int
    token_hash: bytes
    body: bytes
    epoch: int | None


class ReportWriter:
    """Checks reports and stores them."""

    def __init__(self, cache: CommunityCache, batcher: TransactionBatcher) -> None:
        self._cache, self._batcher = cache, batcher
        self.one_reader = CapacityLimiter(1)  # two would only take the interpreter from each other

    async def write(self, reports: Sequence[SentReport]) -> list[Outcome]:
        """The outcome of each report; those that are stored are on disk."""
        known = [self._cache.known(each.community) for each in reports]
        rulings = await self._try(reports, known)
        unsure = [place for place, ruling in enumerate(rulings) if ruling in _UNSURE]
        if unsure:  # not read before, or a new epoch has opened since
            ids = {reports[place].community for place in unsure}
            found = await to_thread.run_sync(self._cache.read, *ids)
            moved = [p for p in unsure if _key(found.get(reports[p].community)) not in (_key(known[p]), _NOWHERE)]
            for place in moved:
                known[place] = found[reports[place].community]
            again = await self._try([reports[place] for place in moved], [known[place] for place in moved])
            for place, ruling in zip(moved, again, strict=True):
                rulings[place] = ruling
        return [
            await self._why(*each) if each[2] is Ruling.UNREADABLE else Outcome(each[2])
            for each in zip(reports, known, rulings, strict=True)
        ]

    async def _try(self, reports: Sequence[SentReport], communities: Sequence[Community | None]) -> list[Ruling]:
        def checked() -> list[Submission]:
            return [_checked(report, community) for report, community in zip(reports, communities, strict=True)]

        if sum(len(each.body) for each in reports) <= LONGEST:
            return await self._batcher.submit(checked())
        return await self._batcher.submit(await to_thread.run_sync(checked, limiter=self.one_reader))

    async def _why(self, report: SentReport, community: Community | None, ruling: Ruling) -> Outcome:
        """The outcome for one whose token is right and whose bytes are not."""
        if community is None or not _in_epoch(report, community):
            return Outcome(Ruling.OUTDATED)
        if len(report.body) > community.max_size:
            return Outcome(ruling, too_large=True)
        given = (community, report.user, report.body)
        return Outcome(ruling, await to_thread.run_sync(reason, *given, limiter=self.one_reader))


def _checked(report: SentReport, community: Community | None) -> Submission:
    if community is None or not _in_epoch(report, community):
        return Submission(_key(community), report.user, report.token_hash, None)
    good, degree = validate(community, report.user, report.body)
    return Submission(community.key, report.user, report.token_hash, report.body if good else None, degree)


def _in_epoch(report: SentReport, community: Community) -> bool:
    return report.epoch in (None, community.epoch)


def _key(community: Community | None) -> int:
    return _NOWHERE if community is None else community.key


class TransactionBatcher:
    """The threads that write: everything that waits goes into one transaction with one fsync."""

    def __init__(
        self, accept: Callable[[Sequence[Submission]], list[Ruling]], transactions: int = 1, seconds: float = 10.0
    ) -> None:
        self._accept, self._seconds = accept, seconds
        self._fresh: list[_Waiting] = []  # the event loop's own; the rest is shared with the threads
        self._waiting: deque[_Waiting] = deque()
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
        """Rulings on reports, once they are on disk.

        Raises:
            StoreError: when the database could not take them, or not in time; the same reports may be sent again.
        """
        if not submissions:
            return []
        these = _Waiting(submissions)
        self._fresh.append(these)
        if len(self._fresh) == 1:
            these.loop.call_soon(self._hand_over)
        try:
            async with asyncio.timeout(self._seconds):
                return await these.done
        except TimeoutError:
            self._drop(these)
            raise StoreError("The database takes too long.") from None

    def _drop(self, these: _Waiting) -> None:
        """Forget reports that still wait: while a database hangs, others would join them without end."""
        with self._changed:
            if these in self._waiting:
                self._waiting.remove(these)
                self._count -= len(these.submissions)

    def _hand_over(self) -> None:
        """Pass on all that arrived in one turn of the event loop: one wake-up instead of one per request."""
        with self._changed:
            if self._closing:
                _fail(self._fresh, StoreError("The collector is shutting down."))
            self._waiting.extend(self._fresh)
            self._count += sum(len(each.submissions) for each in self._fresh)
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
        while batch := self._next():
            try:
                rulings = self._accept([submission for each in batch for submission in each.submissions])
            except Exception as error:
                failure = error if isinstance(error, StoreError) else StoreError("The database cannot be used now.")
                batch[0].loop.call_soon_threadsafe(_fail, batch, failure)
            else:
                batch[0].loop.call_soon_threadsafe(_answer, batch, rulings)
            with self._changed:
                self._under_way -= 1

    def _next(self) -> list[_Waiting]:
        """The reports that the next transaction takes; none where the batcher is closed."""
        with self._changed:
            while not self._worth_one() and not self._closing:
                self._changed.wait()
            batch: list[_Waiting] = []
            count = 0
            while self._waiting and (not batch or count + len(self._waiting[0].submissions) <= _MOST):
                batch.append(self._waiting.popleft())
                count += len(batch[-1].submissions)
            self._count -= count
            self._under_way += 1
            if self._worth_one():
                self._changed.notify()
            return batch

    def _worth_one(self) -> bool:
        """Whether what waits is worth a transaction: beside another one, only what fills it."""
        return self._count >= (_MOST if self._under_way else 1)


class _Waiting:
    """Reports of one request, and the future of their rulings."""

    def __init__(self, submissions: Sequence[Submission]) -> None:
        self.submissions = submissions
        self.loop = asyncio.get_running_loop()
        self.done: asyncio.Future[list[Ruling]] = self.loop.create_future()


def _answer(batch: list[_Waiting], rulings: list[Ruling]) -> None:
    start = 0
    for each in batch:
        stop = start + len(each.submissions)
        if not each.done.done():  # cancelled where its client went away
            each.done.set_result(rulings[start:stop])
        start = stop


def _fail(batch: list[_Waiting], failure: StoreError) -> None:
    for each in batch:
        if not each.done.done():
            each.done.set_exception(failure)
