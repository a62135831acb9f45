"""The deal: everybody can repeat it, groups are of one size, and nobody's place is likelier than another."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from graphldp.errors import ParameterError
from graphldp.wire.deal import deal, deal_seed
from graphldp.wire.roster import roster_digest

VECTORS = json.loads((Path(__file__).parent / "vectors" / "deals.json").read_text("utf-8"))
ALARM = 1e-6


@pytest.mark.parametrize("vector", VECTORS, ids=lambda each: f"{each['n']} to {each['groups']}")
def test_a_deal_is_what_every_client_makes_of_it(vector: dict[str, object]) -> None:
    """The vectors, which the browser's client reads too."""
    seed = deal_seed(str(vector["community"]), int(str(vector["epoch"])), str(vector["roster_digest"]))
    assert seed.hex() == vector["seed"]
    assert deal(seed, int(str(vector["n"])), int(str(vector["groups"]))) == vector["deal"]


def test_the_deal_is_by_order_of_keys() -> None:
    """As the description says it, with whole numbers of Python's."""
    seed, n, groups = b"seed", 11, 4
    blocks = [sha256(seed + block.to_bytes(8, "big")).digest() for block in range(3)]
    keys = [int.from_bytes(blocks[i // 4][8 * (i % 4) : 8 * (i % 4) + 8], "big") for i in range(n)]
    found = [0] * n
    for place, slot in enumerate(sorted(range(n), key=keys.__getitem__)):
        found[slot] = place % groups
    assert deal(seed, n, groups) == found


@pytest.mark.parametrize(("n", "groups"), [(0, 2), (1, 2), (5, 8), (16, 16), (17, 16), (1000, 7)])
def test_sizes_differ_by_at_most_one(n: int, groups: int) -> None:
    sizes = np.bincount(deal(b"any", n, groups), minlength=groups)
    assert len(sizes) == groups
    assert sizes.sum() == n
    assert np.ptp(sizes) <= 1


def test_every_group_is_as_likely_for_every_user() -> None:
    """χ² over the groups of each of eight users, by 2,000 seeds."""
    dealt = np.stack([deal(b"%d" % seed, 8, 4) for seed in range(2000)])
    counts = np.stack([np.bincount(dealt[:, user], minlength=4) for user in range(8)])
    assert stats.chi2.sf(((counts - 500) ** 2 / 500).sum(), df=8 * 3) > ALARM


def test_who_renames_or_renews_gets_another_deal() -> None:
    names = ["ann", "bob"]
    seeds = {
        deal_seed(*each)
        for each in (
            ("a", 1, roster_digest(names)),
            ("b", 1, roster_digest(names)),
            ("a", 2, roster_digest(names)),
            ("a", 1, roster_digest(names[::-1])),
        )
    }
    assert len(seeds) == 4


@pytest.mark.parametrize("groups", [1, 0, -3, 257, 2.5, True, "16"])
def test_what_is_no_number_of_groups_is_refused(groups: object) -> None:
    with pytest.raises(ParameterError, match="'groups' parameter of deal must be a whole number from 2 to 256"):
        deal(b"any", 10, groups)  # type: ignore[arg-type]
