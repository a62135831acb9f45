from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence

from graphldp.collector.intake import Ruling, Submission
from graphldp.collector.storage.writer import Writer

FULL = 1000


def some(count: int) -> list[Submission]:
    return [Submission(1, user, b"", b"") for user in range(count)]


def test_two_full_transactions_are_under_way_at_a_time() -> None:
    both = threading.Barrier(2, timeout=30)

    def accept(submissions: Sequence[Submission]) -> list[Ruling]:
        both.wait()
        return [Ruling.STORED] * len(submissions)

    async def submit() -> tuple[list[Ruling], list[Ruling]]:
        writer = Writer(accept, transactions=2)
        answers = await asyncio.gather(writer.submit(some(FULL)), writer.submit(some(FULL + 1)))
        writer.close()
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
        writer = Writer(accept, transactions=2)
        first = asyncio.create_task(writer.submit(some(1)))
        await asyncio.to_thread(begun.wait, 30)
        rest = [asyncio.create_task(writer.submit(some(2))) for _ in range(3)]
        await asyncio.sleep(0.01)
        go_on.set()
        await asyncio.gather(first, *rest)
        writer.close()

    asyncio.run(submit())
    assert sizes == [1, 6]
