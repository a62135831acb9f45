from __future__ import annotations

from hashlib import sha256
from itertools import product

from graphldp.wire import roster_digest, spoken


def test_the_digest_is_of_lengths_and_bytes() -> None:
    data = b"\0\0\0\0\0\0\0\x03ann" + b"\0\0\0\0\0\0\0\x06D\xc3\xb6rte"
    assert roster_digest(["ann", "Dörte"]) == sha256(data).hexdigest()


def test_no_two_rosters_share_a_digest() -> None:
    # All rosters of up to three names over an alphabet that has what joined names used to be joined by.
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
