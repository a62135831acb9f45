from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from graphldp.wire.codes import varints

NUMBERS = st.integers(0, (1 << 28) - 1)


@given(NUMBERS, st.binary(max_size=3), st.binary(max_size=3))
def test_a_number_comes_back_wherever_it_stands(number: int, before: bytes, after: bytes) -> None:
    data = varints.write(number)
    assert varints.read(before + data + after, len(before)) == (number, len(before) + len(data))


@given(st.binary(max_size=6))
def test_what_is_read_is_what_would_have_been_written(data: bytes) -> None:
    value, end = varints.read(data, 0)
    if end > 0:
        assert varints.write(value) == data[:end]
    elif end == varints.CUT:
        assert len(data) < varints.MOST_BYTES
        assert all(byte >= 0x80 for byte in data)
    elif end == varints.LARGE:
        assert all(byte >= 0x80 for byte in data[: varints.MOST_BYTES])
    else:
        assert end == varints.PADDED
        assert data[data.index(0) - 1] >= 0x80  # a last byte of zero, after another


def test_the_edges_of_each_length() -> None:
    assert [len(varints.write((1 << 7 * k) - 1)) for k in range(1, 5)] == [1, 2, 3, 4]
    assert [len(varints.write(1 << 7 * k)) for k in range(4)] == [1, 2, 3, 4]
    assert varints.read(b"\x80\x80\x80\x80\x01", 0) == (0, varints.LARGE)
    assert varints.read(b"\x80\x00", 0) == (0, varints.PADDED)
    assert varints.read(b"\x80", 0) == varints.read(b"", 0) == (0, varints.CUT)


def test_folding_walks_out_from_zero() -> None:
    assert [varints.fold(value) for value in (0, -1, 1, -2, 2)] == [0, 1, 2, 3, 4]
    assert all(varints.unfold(varints.fold(value)) == value for value in (0, -1, 5, -(1 << 27), (1 << 27) - 1))
