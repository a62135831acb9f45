"""Blocks go where the tables say, and a batch has a little more room than it needs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphldp.learn.engine.packed.layout import GRADES, lay_out, room_for


@given(st.lists(st.integers(0, 5000), min_size=1, max_size=20), st.integers(1, 400))
def test_a_room_holds_its_batch_and_is_not_much_larger(sizes: list[int], share: int) -> None:
    needed = np.array([sizes, [each // share for each in sizes]])
    room = room_for(needed, np.array([100_000, 100_000 // share]))
    assert (room >= needed).all()
    loosest = np.maximum(needed[0], (needed[1] + 1) * (share + 1))
    assert (room[0] <= np.ceil(2 ** (1 / GRADES) * np.maximum(loosest, 1))).all()


@pytest.mark.parametrize(("models", "spare"), [(1, 0.19), (16, 0.05), (128, 0.02)])
def test_few_rooms_serve_many_batches(models: int, spare: float) -> None:
    sizes = np.random.default_rng(0).normal(14_000, 2_000, size=(1, 1000, models)).sum(2).astype(np.int64)
    room = room_for(sizes, np.array([400_000]), models)
    assert len(np.unique(room)) <= 8
    assert (room <= (1 + spare) * sizes + 1).all()


def test_a_part_that_the_store_has_not_takes_no_room() -> None:
    room = room_for(np.array([[5, 9], [0, 0]]), np.array([100, 0]))
    assert (room[0] >= [5, 9]).all()
    assert (room[1] == 0).all()


def test_the_last_block_takes_the_rest_of_the_room() -> None:
    pointers, ids = np.array([0, 3, 10, 14]), np.array([[[2, 0], [1, 3]]])  # 3: nobody
    plain, roomy = lay_out(pointers, ids, 8), lay_out(pointers, ids, 8, np.array([40]))
    assert plain[0, 0].tolist() == [4, 3, 1, 7, 0, 1, 0]
    assert roomy[0, 0].tolist() == [4, 3, 1, 7, 0, 25, 0]
    assert plain[2, 0].tolist() == [0, 4, 7, 8, 15, 15, 16]
    assert roomy[2, 0].tolist() == [0, 4, 7, 8, 15, 15, 40]
    assert (plain[1] == roomy[1]).all()
    assert (plain[1] + plain[2])[0, [0, 1, 3]].tolist() == [10, 0, 3]  # where graphs 2, 0 and 1 begin
