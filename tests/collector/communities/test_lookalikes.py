"""Which names look alike, and what a roster may not hold."""

from __future__ import annotations

import unicodedata

import pytest

from graphldp.collector.communities.community import check_roster
from graphldp.collector.communities.lookalikes import look
from graphldp.errors import ParameterError

ALIKE = [
    ("anna", "\u0430nn\u0430"),  # Cyrillic
    ("BOB", "\u0412\u041e\u0412"),
    ("cope", "\u0441\u043e\u0440\u0435"),
    ("Nik", "\u039dik"),  # Greek
    ("ann", "\uff41\uff4e\uff4e"),  # full width
    ("x2", "x\u00b2"),
    ("@ann", "\uff20ann"),
]
APART = [("l0", "lo"), ("user1", "userl"), ("cafe", "caf\u00e9"), ("\u0432\u043e\u0432\u0430", "BoBa"), ("o", "\u00f8")]


@pytest.mark.parametrize(("one", "other"), ALIKE)
def test_names_that_look_alike_are_not_in_one_roster(one: str, other: str) -> None:
    assert look(one) == look(other)
    with pytest.raises(ParameterError, match="names 2 and 3 look alike") as refused:
        check_roster(["zoe", one, other])
    assert one not in str(refused.value)  # who is in it is nobody's business


@pytest.mark.parametrize(("one", "other"), APART)
def test_names_that_can_be_told_apart_stay_apart(one: str, other: str) -> None:
    assert look(one) != look(other)
    check_roster([one, other])


def test_letters_that_look_alike_in_capitals_only() -> None:
    """By its look each of the two is another name, and to every client they are one."""
    with pytest.raises(ParameterError, match="names 1 and 2 are the same"):
        check_roster(["\u0410\u041d\u041d\u0410", "\u0430\u043d\u043d\u0430"])


def test_every_other_alphabet_is_mapped_to_a_latin_letter() -> None:
    from graphldp.collector.communities.lookalikes import _LOOKS

    for letter, latin in _LOOKS.items():
        assert not unicodedata.name(chr(letter)).startswith("LATIN")
        assert chr(latin).isascii()
        assert chr(letter).isupper() == chr(latin).isupper()


def test_a_million_names() -> None:
    names = [f"user {number}" for number in range(1_000_000)]
    names[-1] = "User 7"
    with pytest.raises(ParameterError, match="names 8 and 1,000,000 are the same"):
        check_roster(names)
