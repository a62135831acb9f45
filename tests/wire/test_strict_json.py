from __future__ import annotations

import pytest

from graphldp.errors import WireError
from graphldp.wire import Choice, Invitation
from graphldp.wire.strict_json import read_object

ONCE = '{"server": "https://a.example", "community": "cats", "token": "2.x"}'


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "1", '{"a": NaN}', '{"a": -Infinity}', "[" * 100_000, b"\xff"])
def test_what_is_no_object_is_refused(text: str | bytes) -> None:
    with pytest.raises(WireError, match="is not"):
        read_object(text)


@pytest.mark.parametrize("text", ['{"a": 1, "a": 1}', '{"a": {"b": 1, "c": 2, "b": 3}}', '[{"a": 1, "a": 1}]'])
def test_a_field_that_stands_twice_is_refused(text: str) -> None:
    with pytest.raises(WireError, match="once"):
        read_object(text)


@pytest.mark.parametrize(
    "data", ['{"a": 1}'.encode("utf-16"), '{"a": 1}'.encode("utf-32-be"), b'{"a": "\xed\xa0\x80"}']
)
def test_bytes_are_utf_8(data: bytes) -> None:
    """As the browser reads them, which may begin with a mark of their order."""
    with pytest.raises(WireError, match="is not JSON"):
        read_object(data)
    assert read_object(b'\xef\xbb\xbf{"a": 1}') == {"a": 1}


@pytest.mark.attack("collector")
def test_an_infinite_epsilon_is_null_and_no_number() -> None:
    """A choice of ε = 1e400, which JSON can write and no float can hold.

    JSON has numbers that are too large for a float: a list must not be public by one of them.
    """
    fields = {"name": "all", **read_object('{"epsilon1": 1e400, "epsilon2": 1e400}')}
    with pytest.raises(WireError, match="null"):
        Choice.from_json(fields, "dprr")
    assert Choice.from_json(fields | {"epsilon1": None, "epsilon2": None}, "dprr").public


@pytest.mark.attack("collector")
def test_an_invitation_names_one_server() -> None:
    """An invitation that names two servers, one field twice."""
    assert Invitation.from_json(ONCE) == Invitation("https://a.example", "cats", "2.x")
    with pytest.raises(WireError, match="An invitation is JSON"):
        Invitation.from_json(ONCE.replace("{", '{"server": "https://b.example", '))
