from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphldp.errors import WireError
from graphldp.wire.reader import MOST_BYTES, Reader, varint, zigzag

NUMBERS = st.integers(0, (1 << 28) - 1)


def reader(data: bytes) -> Reader:
    return Reader(data, "report")


@given(NUMBERS, st.binary(max_size=3), st.binary(max_size=3))
def test_a_number_comes_back_wherever_it_stands(number: int, before: bytes, after: bytes) -> None:
    parts = reader(before + varint(number) + after)
    assert parts.take(len(before)) == before
    assert parts.varint("n") == number
    assert parts.rest() == after


def why_not(data: bytes) -> str | None:
    """Why bytes do not begin with a number, or None where they do."""
    last = next((place for place, byte in enumerate(data[:MOST_BYTES]) if byte < 0x80), None)
    if last is None:
        return "cut short" if len(data) < MOST_BYTES else "too large"
    return "more bytes than it needs" if last and not data[last] else None


@given(st.binary(max_size=6))
def test_what_is_read_is_what_would_have_been_written(data: bytes) -> None:
    parts = reader(data)
    if (why := why_not(data)) is None:
        assert varint(parts.varint("n")) == data[: parts.at]
    else:
        with pytest.raises(WireError, match=why):
            parts.varint("n")


def test_the_edges_of_each_length() -> None:
    assert [len(varint((1 << 7 * k) - 1)) for k in range(1, 5)] == [1, 2, 3, 4]
    assert [len(varint(1 << 7 * k)) for k in range(4)] == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("data", "why"),
    [(b"\x80\x80\x80\x80\x01", "too large"), (b"\x80\x00", "more bytes"), (b"\x80", "cut short"), (b"", "cut short")],
)
def test_what_is_no_number(data: bytes, why: str) -> None:
    with pytest.raises(WireError, match=why):
        reader(data).varint("n")


def test_numbers_of_either_sign_walk_out_from_zero() -> None:
    assert [zigzag(value)[0] for value in (0, -1, 1, -2, 2)] == [0, 1, 2, 3, 4]
    for value in (0, -1, 5, -(1 << 27), (1 << 27) - 1):
        assert reader(zigzag(value)).signed("count") == value
