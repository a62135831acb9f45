"""What is sealed: one form, one length for a community, and nothing else that opens."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("graphldp.client.sending.sealing", reason="needs the client, and so POSIX's locks")
from graphldp.client.sending.sealing import seal
from graphldp.collector.storage.operating.sealing_keys import Opener, UnknownKeyError
from graphldp.errors import WireError
from graphldp.wire import Inner, Sealed, inner_size, key_id, max_size

VECTORS = json.loads((Path(__file__).parent / "vectors" / "sealed.json").read_text("utf-8"))
PUBLIC = bytes.fromhex(VECTORS["public_key"])
OPENER = Opener({key_id(PUBLIC): ec.derive_private_key(int(VECTORS["private_key"], 16), ec.SECP256R1())})


def inner(vector: dict[str, Any]) -> Inner:
    return Inner(**(vector["inner"] | {"body": bytes.fromhex(vector["inner"]["body"])}))


def test_the_key_is_named_by_its_digest() -> None:
    assert key_id(PUBLIC).hex() == VECTORS["key_id"]


@pytest.mark.parametrize("vector", VECTORS["valid"], ids=lambda v: v["name"])
def test_valid_vectors(vector: dict[str, Any]) -> None:
    expected, community, n = inner(vector), vector["community"], vector["n"]
    assert expected.encode(n).hex() == vector["plaintext"]
    assert OPENER.open(community, bytes.fromhex(vector["sealed"])) == expected
    again = seal(expected, community=community, n=n, public=PUBLIC)
    assert again.hex() != vector["sealed"]
    assert len(again) == len(bytes.fromhex(vector["sealed"]))
    assert OPENER.open(community, again) == expected


@pytest.mark.attack("device")
@pytest.mark.parametrize("vector", VECTORS["invalid"], ids=lambda v: v["name"])
def test_invalid_vectors(vector: dict[str, Any]) -> None:
    """A message sealed to a wrong or retired key, damaged, or with something else inside."""
    with pytest.raises(UnknownKeyError if vector.get("unknown_key") else WireError):
        OPENER.open(vector["community"], bytes.fromhex(vector["sealed"]))


@pytest.mark.attack("device")
@given(st.data(), st.integers(2, 3000))
def test_all_that_is_sealed_in_a_community_has_one_length(data: st.DataObject, n: int) -> None:
    """A relay that looks at lengths."""
    made = Inner(
        data.draw(st.sampled_from(["report", "answer"])),
        data.draw(st.integers(1, 2**31 - 1)),
        data.draw(st.integers(0, n - 1)),
        data.draw(st.from_regex("[!-~]{1,64}", fullmatch=True)),
        data.draw(st.binary(max_size=max_size(n))),
    )
    encoded = made.encode(n)
    assert len(encoded) == inner_size(n)
    assert Inner.decode(encoded) == made


@given(st.binary(max_size=300) | st.binary(min_size=74, max_size=300).map(lambda rest: b"\xe4" + rest))
def test_any_bytes_are_refused_or_are_what_is_written_again(data: bytes) -> None:
    with suppress(WireError):
        assert Sealed.decode(data).encode() == data
    with suppress(WireError):
        found = Inner.decode(data)
        size = len(data.rstrip(b"\0"))  # zeros at the end are the community's, not the message's
        assert found.encode(found.user + 1)[:size] == data[:size]


def test_what_does_not_fit_is_not_sealed() -> None:
    for token, body in (("x" * 65, b""), ("x", b"x" * 200), ("ü", b""), ("", b"")):
        with pytest.raises(WireError):
            Inner("report", 1, 2, token, body).encode(50)
