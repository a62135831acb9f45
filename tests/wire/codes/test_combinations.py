from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np
import pytest

from graphldp.errors import WireError
from graphldp.wire.codes.combinations import pack, sets, unpack


def test_every_set_has_its_number_and_every_number_its_set() -> None:
    for size in range(9):
        for m in range(size + 1):
            numbers = []
            for positions in combinations(range(size), m):
                data = pack(np.array(positions, np.int64), size)
                assert unpack(data, m, size).tolist() == list(positions)
                assert len(data) == sets(size, m).width
                assert int.from_bytes(data) == sum(comb(p, place + 1) for place, p in enumerate(positions))
                numbers.append(int.from_bytes(data))
            assert sorted(numbers) == list(range(comb(size, m)))


@pytest.mark.parametrize(
    ("data", "said"), [(b"", "cut short"), (b"\0\0", "mean nothing"), (bytes((10,)), "beyond that of the last")]
)
def test_what_was_not_written_here_is_refused(data: bytes, said: str) -> None:
    assert unpack(bytes((9,)), 2, 5).tolist() == [3, 4]
    with pytest.raises(WireError, match=said):
        unpack(data, 2, 5)
