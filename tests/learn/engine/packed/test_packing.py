"""Dense lists are packed as bits; what the kernels make of them is tested where there is a GPU."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from tests.learn.samples import random_lists

from graphldp.learn.engine.gin import ModelSpec
from graphldp.learn.engine.packed import packing
from graphldp.learn.engine.packed.store import Dense, join

SIZES = [70, 5, 130, 64, 1]  # below, at and above whole words


@pytest.mark.parametrize("at_once", [1, 1 << 25])
def test_a_dense_list_is_a_bit_for_each_pair(at_once: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packing, "_as_dense", lambda *_: True)  # where there is no GPU nothing reads bits
    monkeypatch.setattr(packing, "_ENTRIES_AT_ONCE", at_once)  # graphs are packed apart and joined, or all at once
    lists, device = random_lists(np.random.default_rng(3), SIZES, 0.5), torch.device("cpu")
    store = packing.build(lists, ModelSpec(2, layers=5), device, torch.float32)
    (bits,) = join([store, store], device).rounds[4].matrices
    assert isinstance(bits, Dense)
    assert bits.size.tolist() == SIZES * 2
    assert len(bits.words) == 2 * sum(n * -(-n // 64) for n in SIZES)
    for graph, begin in enumerate(bits.begin.tolist()):
        n, own = SIZES[graph % 5], lists[graph % 5]
        expected = np.eye(n, dtype=np.uint8)  # she herself, and her list
        expected[np.repeat(np.arange(n), own.degrees), own.indices] = 1
        rows = bits.words[begin : begin + n * -(-n // 64)].numpy().view(np.uint8).reshape(n, -1)
        told = np.unpackbits(rows, axis=1, bitorder="little")
        np.testing.assert_array_equal(told[:, :n], expected)
        assert not told[:, n:].any()
