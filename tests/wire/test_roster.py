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


def test_spoken_is_half_of_it_in_groups() -> None:
    digest = roster_digest(["ann"])
    assert spoken(digest).replace(" ", "") == digest[:32]
    assert {len(group) for group in spoken(digest).split(" ")} == {4}
