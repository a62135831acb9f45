"""The deal: which of G groups each user of a community is in, by a shuffle that everybody can repeat.

Users are put into the order of their keys and dealt to the groups one after the other, so that the sizes of groups
differ by at most one. Four keys of eight bytes each are one digest:

    key of slot i = bytes 8·(i mod 4) … 8·(i mod 4) + 7 of SHA-256(seed ‖ ⌊i/4⌋ as eight bytes, big-endian)

Keys are compared as whole numbers, the slots of equal ones as they stand in the roster. The seed is the digest of the
community's id, its epoch and its roster, so a client makes the deal again and refuses another one. Privacy does not
rest on it: counts by any groups cost ε, of one person each, too. Nor does what is certified of labels.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from hashlib import sha256
from numbers import Integral

from graphldp.errors import bad_parameter
from graphldp.wire.layout import MAX_GROUPS
from graphldp.wire.roster import roster_digest

GROUPS = 12
"""Into how many groups users are dealt at every ε: more are too many for small communities, fewer hide hubs."""
_KEYS = 4  # in a digest
_MARK = b"graphldp deal\0"


def deal_seed(community: str, epoch: int, names_digest: str) -> bytes:
    """The seed of a community's deal.

    Args:
        community: its id.
        epoch: which collection this is of the same people.
        names_digest: of the roster without groups, see :func:`graphldp.wire.roster.roster_digest`.
    """
    name = community.encode()
    head = _MARK + len(name).to_bytes(8, "big") + name + epoch.to_bytes(8, "big")
    return sha256(head + bytes.fromhex(names_digest)).digest()


def deal(seed: bytes, n: int, groups: int) -> list[int]:
    """The number of each user's group, by slot.

    Args:
        seed: of the shuffle.
        n: how many users are dealt. Where they are fewer than groups, some groups stay empty.
        groups: to how many groups.
    """
    check_dealt(groups, "deal")
    blocks = (sha256(seed + block.to_bytes(8, "big")).digest() for block in range(-(-n // _KEYS)))
    keys = [key for block in blocks for key in struct.unpack(">4Q", block)][:n]
    found = [0] * n
    for place, slot in enumerate(sorted(range(n), key=keys.__getitem__)):
        found[slot] = place % groups
    return found


def dealt_groups(community: str, epoch: int, names: Sequence[str], groups: int) -> list[int]:
    """The number of the group that each user of a community is in by the deal of an epoch."""
    return deal(deal_seed(community, epoch, roster_digest(names)), len(names), groups)


def dealt_names(groups: int) -> tuple[str, ...]:
    """What groups of a deal are called: by their numbers, from 1 on."""
    return tuple(str(number + 1) for number in range(groups))


def check_dealt(groups: object, owner: str, name: str = "groups") -> None:
    """Refuse what is no number of groups to deal users into."""
    if isinstance(groups, bool) or not isinstance(groups, Integral) or not 2 <= int(groups) <= MAX_GROUPS:
        raise bad_parameter(name, owner, f"a whole number from 2 to {MAX_GROUPS}", groups)
