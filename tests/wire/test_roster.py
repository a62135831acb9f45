"""A roster's digest, and the rule of its names.

Every character and many rosters, by the vectors that the browser client reads too.
"""

from __future__ import annotations

import json
import unicodedata
from hashlib import sha256
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from tools.characters import VERSION, texts

from graphldp.collector.community import check_roster
from graphldp.errors import ParameterError, WireError
from graphldp.wire import check_names, is_shown, plain, roster_digest, spoken
from graphldp.wire.roster import _LOOKS, check_name, look

VECTORS = json.loads((Path(__file__).parent / "vectors" / "names.json").read_text("utf-8"))
CHARACTERS = [chr(point) for point in range(0x110000)]
LONGER = "bob" + " " * 100_000


def test_every_character_is_shown_and_looks_as_the_vectors_have_it() -> None:
    shown = [each for each in CHARACTERS if is_shown(each)]
    assert sha256(bytes(map(is_shown, CHARACTERS))).hexdigest() == VECTORS["shown"]
    for name, function in (("plain", plain), ("looks", look)):
        assert sha256("".join(f"{function(each)}\n" for each in shown).encode()).hexdigest() == VECTORS[name]


def test_nothing_hidden_is_shown_by_this_python_either() -> None:
    assert all(each.isprintable() for each in CHARACTERS if is_shown(each))


def test_the_characters_are_those_of_their_version() -> None:
    """On a Python with another version of Unicode the files stay as they are."""
    if unicodedata.unidata_version == VERSION:
        assert all(path.read_text("utf-8") == text for path, text in texts().items())


@pytest.mark.parametrize("case", VECTORS["valid"], ids=lambda case: repr(case["roster"])[:40])
def test_rosters_that_every_reader_takes(case: dict[str, Any]) -> None:
    check_names(case["roster"])
    check_roster(case["roster"])


@pytest.mark.attack("device")
@pytest.mark.parametrize("case", VECTORS["invalid"], ids=lambda case: case["name"])
def test_rosters_that_no_reader_takes(case: dict[str, Any]) -> None:
    """A roster with a name that hides something, or with two names that look alike."""
    for check, error in ((check_names, WireError), (check_roster, ParameterError)):
        with pytest.raises(error) as refused:
            check(case["roster"])
        assert str(refused.value) == case["reason"]


def test_a_long_name_is_refused_by_its_length_alone() -> None:
    with pytest.raises(WireError, match="name 2 does not have 1 to 200 characters"):
        check_names(["ann", LONGER])
    with pytest.raises(WireError, match="A name does not have 1 to 200 characters"):
        check_name(LONGER)


def test_letters_that_look_alike_in_capitals_only() -> None:
    """By its look each of the two is another name, and to every client they are one."""
    with pytest.raises(ParameterError, match="names 1 and 2 are the same"):
        check_roster(["\u0410\u041d\u041d\u0410", "\u0430\u043d\u043d\u0430"])


def test_no_letter_looks_like_one_that_looks_like_another() -> None:
    assert not _LOOKS.keys() & set(_LOOKS.values())
    assert not any(chr(letter).isascii() for letter in _LOOKS)


def test_a_million_names() -> None:
    names = [f"user {number}" for number in range(1_000_000)]
    names[-1] = "User 7"
    with pytest.raises(ParameterError, match="names 8 and 1,000,000 are the same"):
        check_roster(names)


def test_the_digest_is_of_lengths_and_bytes() -> None:
    data = b"\0\0\0\0\0\0\0\x03ann" + b"\0\0\0\0\0\0\0\x06D\xc3\xb6rte"
    assert roster_digest(["ann", "Dörte"]) == sha256(data).hexdigest()


@pytest.mark.attack("device")
def test_no_two_rosters_share_a_digest() -> None:
    # All rosters of up to three names over an alphabet that has what joined names used to be joined by.
    """Two rosters with one digest, by names with line feeds."""
    names = ["", "a", "\n", "a\n", "\na", "a\na", "\0", "\0\0\0\0\0\0\0\1a"]
    rosters = [list(some) for size in range(4) for some in product(names, repeat=size)]
    assert len({roster_digest(each) for each in rosters}) == len(rosters)


def test_the_digest_covers_the_groups() -> None:
    data = b"\0\0\0\0\0\0\0\x03ann" + b"\0\0\0\0\0\0\0\x03bob" + b"\xff" * 8
    data += b"\0\0\0\0\0\0\0\x01N" + b"\0\0\0\0\0\0\0\x01S" + b"\xff" * 8 + bytes(15) + b"\x01"
    assert roster_digest(["ann", "bob"], ["N", "S"], [0, 1]) == sha256(data).hexdigest()


def test_no_two_partitions_share_a_digest() -> None:
    """Rosters of up to two names in up to two groups: another name, another order or another group shows."""
    names = ["a", "\n", "\0\0\0\0\0\0\0\1a"]
    rosters = [list(some) for size in (1, 2, 3, 4) for some in product(names, repeat=size)]
    digests = [roster_digest(each) for each in rosters]
    for roster in rosters[: 3 + 9]:
        for groups in product(range(2), repeat=len(roster)):
            digests += [roster_digest(roster, called, groups) for called in (["a", "b"], ["b", "a"], ["a", "\n", "b"])]
    assert len(set(digests)) == len(digests)


def test_spoken_is_half_of_it_in_groups() -> None:
    digest = roster_digest(["ann"])
    assert spoken(digest).replace(" ", "") == digest[:32]
    assert {len(group) for group in spoken(digest).split(" ")} == {4}
