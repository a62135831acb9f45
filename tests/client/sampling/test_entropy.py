from __future__ import annotations

from collections import Counter
from contextlib import suppress

import pytest

from graphldp.client.sampling.entropy import Entropy


class Once:
    """A source with an end."""

    def __init__(self, data: bytes) -> None:
        self.left = iter([data])

    def take(self, size: int) -> bytes:
        return next(self.left)[:size]


@pytest.mark.parametrize("bound", [1, 2, 3, 7, 100, 129, 255, 256])
def test_numbers_are_exactly_uniform(bound: int) -> None:
    # Every first byte once: the accepted ones spread evenly over all numbers, whatever was rejected.
    hits: Counter[int] = Counter()
    for byte in range(256):
        once = Once(bytes([byte]))
        with suppress(StopIteration):
            hits[Entropy(_source=once.take).below(bound)] += 1
    assert set(hits) == set(range(bound))
    assert len(set(hits.values())) == 1


def test_large_bounds_stay_below() -> None:
    entropy = Entropy()
    assert all(0 <= entropy.below(10**9 + 7) < 10**9 + 7 for _ in range(100))


def test_words_take_the_high_bits() -> None:
    entropy = Entropy(_source=lambda size: bytes(range(240, 240 + size)))
    assert list(entropy.words(4, 3)) == [7, 7, 7, 7]
    assert list(entropy.words(2, 8)) == [240, 241]
    assert list(entropy.words(1, 64)) == [int.from_bytes(bytes(range(240, 248)), "little")]
