"""Witnesses with the real client and server: a deal that nobody chooses, anew in each epoch, and what it tells."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from zlib import compress

import numpy as np
import pytest
from benchmarks.services import Collector
from tests.collector.people import ALICE
from tests.values import some

from graphldp.client.protocol import Client
from graphldp.collector.offers import PUBLIC, Split, offers
from graphldp.collector.storage import schema
from graphldp.collector.storage.copies.backup import back_up, sound
from graphldp.collector.storage.copies.export import export, export_in_batches
from graphldp.collector.storage.copies.restoring import restore
from graphldp.collector.storage.copies.verify import verify
from graphldp.collector.storage.database import transaction
from graphldp.collector.storage.store import Store
from graphldp.errors import ParameterError
from graphldp.learn.tables.witness_sums import witness_profile, witness_sums
from graphldp.wire import Invitation, roster_digest
from graphldp.wire.deal import GROUPS, dealt_groups

N = 20
ROSTER = [f"bee {user}" for user in range(N)]
NAMES = tuple(str(number) for number in range(1, GROUPS + 1))


@pytest.fixture
def database(tmp_path: Path) -> str:
    """SQLite: what is stored is one more column of a table that both databases are tested with."""
    return f"sqlite:///{tmp_path / 'collector.db'}"


@pytest.fixture
def store(database: str) -> Iterator[Store]:
    opened = Store.open(database)
    yield opened
    opened.close()


def open_bees(store: Store, id: str = "bees", *epsilons: float) -> Any:
    mechanism, choices = offers(epsilons or (1.0, 2.0), None, N, Split(), witnesses=True)
    return store.open_community(id, ROSTER, mechanism=mechanism, choices=[*choices, PUBLIC], dealt=True)


def test_witnesses_go_from_devices_to_the_lab_and_into_the_next_epoch(
    store: Store, database: str, tmp_path: Path
) -> None:
    made = open_bees(store)
    assert (made.mechanism, made.group_names, made.dealt) == ("friend-counts", NAMES, True)
    groups, tokens = some(store.groups(made)), store.invite("bees")
    assert groups == dealt_groups("bees", 1, ROSTER, GROUPS)
    file = tmp_path / "friends.txt"
    file.write_text("bee 3\nbee 4\nbee 5\n")
    sent = {}
    with Collector(database) as collector:
        clients = {user: Client(tmp_path / f"home-{user}", pauses=(), timeout=60.0, tick=0.0) for user in (0, 1)}
        for user, choice in ((0, "epsilon-2"), (1, "public")):
            clients[user].join(Invitation(collector.url, "bees", tokens[user]), accept=None)
            sent[user] = clients[user].report("bees", friends_file=file, choice=choice)
            assert sent[user].acknowledged
        first = export(store, [made])
        after = store.open_epoch("bees")
        again = clients[0].report("bees", friends_file=file, choice="epsilon-2", new_epoch=True)
        assert again.acknowledged
    assert len(some(sent[0].report.counts)) == GROUPS
    assert first.origin.parameters == {"dealt": GROUPS, "least": 1.0}
    counts = some(first.friend_counts)
    assert counts[0].tolist() == list(some(sent[0].report.counts))
    assert counts[1].tolist() == np.bincount(np.array(groups)[[3, 4, 5]], minlength=GROUPS).tolist()
    assert some(first.groups).tolist() == groups
    assert (after.dealt, after.epoch, after.group_names) == (True, 2, NAMES)
    assert store.groups(after) == dealt_groups("bees", 2, ROSTER, GROUPS) != groups
    assert after.roster_digest == roster_digest(ROSTER, NAMES, some(store.groups(after))) != made.roster_digest
    assert verify(store.engine).problems == []


def test_the_bound_is_that_of_the_smallest_offer_whoever_came(store: Store) -> None:
    """Nobody has chosen ε = 0.5; a liar could have. The others stay in n, and add nothing."""
    made = open_bees(store, "bees", 0.5, 2.0)
    reports = export(store, [made])
    assert witness_profile(reports)[0, :3].tolist() == [N, GROUPS, pytest.approx(1 / np.tanh(0.25))]
    assert not witness_sums(reports).any()
    open_bees(store, "ants", 0.25)
    both = [store.community("bees"), store.community("ants")]
    assert [each.origin.parameters["least"] for each in export_in_batches(store, both, N)] == [0.25, 0.25]


def test_a_deal_outlives_a_backup(store: Store, tmp_path: Path) -> None:
    before = open_bees(store)
    back_up(store.engine, tmp_path / "backup.db")
    with sound(tmp_path / "backup.db") as (backup, _):
        restore(backup, store.engine, ALICE)
    after = store.community("bees")
    assert replace(after, key=before.key, opened_at=before.opened_at) == before
    assert verify(store.engine).problems == []


def test_groups_that_were_not_dealt_are_noticed(store: Store) -> None:
    """Two users exchanged, with the digest that belongs to it."""
    made = open_bees(store)
    table, groups = schema.communities, some(store.groups(made))
    other = next(user for user in range(N) if groups[user] != groups[0])
    groups[0], groups[other] = groups[other], groups[0]
    changed = {"groups": compress(bytes(groups)), "roster_digest": roster_digest(ROSTER, NAMES, groups)}
    with transaction(store.engine, writes=True) as connection:
        connection.execute(table.update().values(**changed))
    assert verify(store.engine).problems == ["bees, epoch 1: the groups are not those of the deal."]


def test_dealt_and_chosen_groups_are_not_exported_together(store: Store) -> None:
    open_bees(store, "bees", 1.0)
    mechanism, choices = offers([1.0], None, N, Split(), groups=True)
    own = [NAMES[user % GROUPS] for user in range(N)]
    store.open_community("ants", ROSTER, mechanism=mechanism, choices=choices, groups=own)
    with pytest.raises(ParameterError, match="cannot share an export"):
        export(store, [store.community("bees"), store.community("ants")])


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"groups": ["a", "b"] * (N // 2)}, "2ε"),
        ({"mechanism": "noisy-degrees"}, "must be friend-counts, or left out"),
        ({"n": GROUPS - 1}, f"needs {GROUPS} users or more"),
    ],
)
def test_what_cannot_be_dealt_opens_no_community(store: Store, changes: dict[str, Any], said: str) -> None:
    n = changes.get("n", N)
    given = {"mechanism": "friend-counts", "groups": None} | {k: v for k, v in changes.items() if k != "n"}
    _, choices = offers([1.0], None, N, Split(), witnesses=True)
    with pytest.raises(ParameterError, match=said):
        store.open_community("bees", ROSTER[:n], choices=choices, dealt=True, **given)
    mechanism = None if given["mechanism"] == "friend-counts" else given["mechanism"]
    with pytest.raises(ParameterError, match=said):
        offers([1.0], mechanism, n, Split(), groups=given["groups"] is not None, witnesses=True)
    assert store.communities() == []
