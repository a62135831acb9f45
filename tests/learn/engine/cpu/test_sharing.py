"""Passes that threads share, and work that is done ahead."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from graphldp.learn.engine.cpu.sharing import ahead, shared


@pytest.fixture(autouse=True)
def threads() -> Iterator[None]:
    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)


@pytest.mark.parametrize("number", [1, 2, 5])
@pytest.mark.parametrize("rows", [0, 1, 16, 1000])
def test_every_tile_has_its_turn_once(rows: int, number: int) -> None:
    torch.set_num_threads(number)
    turns = np.zeros(-(-rows // 16), int)

    def work(first: int, last: int, turns: NDArray[np.int64]) -> None:
        turns[first:last] += 1

    shared(work, 16)(rows, turns)
    assert (turns == 1).all()


def test_a_thread_that_has_not_begun_is_not_waited_for() -> None:
    torch.set_num_threads(2)
    free = threading.Event()
    kept = ahead(lambda late: not late or free.wait(60), [False, True])
    next(kept)  # from now on the only other thread waits
    turns: list[int] = []
    shared(lambda first, last: turns.extend(range(first, last)), 1)(40)
    assert turns == list(range(40))
    assert list(ahead(abs, range(5))) == list(range(5))
    free.set()
    assert list(kept) == [True]


def test_what_fails_in_another_thread_is_told() -> None:
    torch.set_num_threads(2)
    both = threading.Barrier(2)

    def work(first: int, last: int) -> None:
        if first <= 10:  # the first two parts: each thread has one
            both.wait(60)
        if threading.current_thread() is not threading.main_thread():
            raise RuntimeError("a tile failed")

    with pytest.raises(RuntimeError, match="a tile failed"):
        shared(work, 1)(40)


@pytest.mark.parametrize("number", [1, 2, 5])
def test_work_ahead_is_done_in_order_and_one_at_a_time(number: int) -> None:
    torch.set_num_threads(number)
    busy = threading.Lock()

    def work(value: int) -> int:
        assert busy.acquire(blocking=False)
        try:
            return value * value
        finally:
            busy.release()

    assert list(ahead(work, range(50))) == [value * value for value in range(50)]
    assert list(ahead(work, [])) == []
