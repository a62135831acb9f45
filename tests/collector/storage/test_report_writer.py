from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence

import pytest

from graphldp.collector.storage.collecting.accepting import Ruling, Submission
from graphldp.collector.storage.report_writer import TransactionBatcher
from graphldp.errors import StoreError

FULL = 1000


def some(count: int) -> list[Submission]:
    return [Submission(1, user, b"", b"") for user in range(count)]


def test_two_full_transactions_are_under_way_at_a_time() -> None:
    both = threading.Barrier(2, timeout=60)

    def accept(submissions: Sequence[Submission]) -> list[Ruling]:
        both.wait()
        return [Ruling.STORED] * len(submissions)

    async def submit() -> tuple[list[Ruling], list[Ruling]]:
        batcher = TransactionBatcher(accept, transactions=2)
        answers = await asyncio.gather(batcher.submit(some(FULL)), batcher.submit(some(FULL + 1)))
        batcher.close()
        return answers

    assert list(asyncio.run(submit())) == [[Ruling.STORED] * FULL, [Ruling.STORED] * (FULL + 1)]


def test_what_does_not_fill_a_transaction_waits_for_the_last_one() -> None:
    sizes: list[int] = []
    begun, go_on = threading.Event(), threading.Event()

    def accept(submissions: Sequence[Submission]) -> list[Ruling]:
        sizes.append(len(submissions))
        begun.set()
        assert go_on.wait(30)
        return [Ruling.STORED] * len(submissions)

    async def submit() -> None:
        batcher = TransactionBatcher(accept, transactions=2)
        first = asyncio.create_task(batcher.submit(some(1)))
        await asyncio.to_thread(begun.wait, 30)
        rest = [asyncio.create_task(batcher.submit(some(2))) for _ in range(3)]
        await asyncio.sleep(0.01)
        go_on.set()
        await asyncio.gather(first, *rest)
        batcher.close()

    asyncio.run(submit())
    assert sizes == [1, 6]


@pytest.mark.attack("storage")
def test_a_database_that_hangs_is_answered_for_and_gathers_nothing() -> None:
    """Let the database hang, and send reports without end: each is refused in time, and none waits in memory."""
    begun, go_on = threading.Event(), threading.Event()
    taken: list[int] = []

    def accept(submissions: Sequence[Submission]) -> list[Ruling]:
        taken.append(len(submissions))
        begun.set()
        assert go_on.wait(30)
        return [Ruling.STORED] * len(submissions)

    async def submit() -> None:
        batcher = TransactionBatcher(accept, seconds=0.05)
        first = asyncio.create_task(batcher.submit(some(1)))
        await asyncio.to_thread(begun.wait, 30)
        told = await asyncio.gather(first, *(batcher.submit(some(5)) for _ in range(200)), return_exceptions=True)
        assert {type(each) for each in told} == {StoreError}
        assert (len(batcher._waiting), batcher._count) == (0, 0)
        go_on.set()
        assert await batcher.submit(some(2)) == [Ruling.STORED] * 2
        batcher.close()

    asyncio.run(submit())
    assert taken == [1, 2]
