"""Friend counts with the real client and server, on both databases: from a roster with groups to the lab's reports."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
from benchmarks.services import Collector
from tests.collector.people import ALICE
from tests.values import some

from graphldp import wire
from graphldp.client.protocol import Client
from graphldp.collector.offers import PUBLIC, Split, offers
from graphldp.collector.storage import schema
from graphldp.collector.storage.copies.backup import back_up, sound
from graphldp.collector.storage.copies.export import export
from graphldp.collector.storage.copies.restoring import restore
from graphldp.collector.storage.copies.verify import verify
from graphldp.collector.storage.database import open_engine, transaction
from graphldp.collector.storage.store import Store
from graphldp.errors import ParameterError
from graphldp.privacy.hubs import LINKS_FROM, advised_for_nodes
from graphldp.wire import Invitation

N = 30
ROSTER = [f"bee {user}" for user in range(N)]
GROUPS = [("west", "east", "north")[user % 3] for user in range(N)]
FRIENDS = {0: [1, 2, 4, 5], 1: [0, 2], 2: [3, 6, 9]}
EPSILON = 4.5  # noise of 0 in most counts


def opened(store: Store, **changes: Any) -> Any:
    mechanism, choices = offers([EPSILON], None, N, Split(), groups=True)
    given = {"mechanism": mechanism, "choices": [*choices, PUBLIC], "groups": GROUPS} | changes
    return store.open_community("bees", ROSTER, **given)


def test_counts_go_from_devices_to_the_lab(database: str, tmp_path: Path) -> None:
    store = Store(open_engine(database))
    made = opened(store)
    assert (made.mechanism, made.group_names) == ("friend-counts", ("east", "north", "west"))
    tokens = store.invite("bees")
    sent = {}
    with Collector(database) as collector:
        for user, known in FRIENDS.items():
            file = tmp_path / f"{user}.txt"
            file.write_text("\n".join(ROSTER[other] for other in known))
            client = Client(tmp_path / f"home-{user}", pauses=(), timeout=60.0, tick=0.0)
            client.join(Invitation(collector.url, "bees", tokens[user]), accept=None)
            choice = "public" if user == 2 else "epsilon-4.5"
            drawn = client.report("bees", friends_file=file, choice=choice)
            assert drawn.acknowledged
            assert client.report("bees", resend=True).body == drawn.body
            sent[user] = drawn.report
        for counts in ((1, 2), (1, 2, 3, 4)):  # of another number of groups
            wrong = wire.Report("friend-counts", N, 3, EPSILON, 0.0, None, np.zeros(0, np.int32), counts=counts)
            answer = httpx.put(
                f"{collector.url}/v1/communities/bees/reports/3",
                content=wire.encode(wrong),
                headers={"content-type": wire.MEDIA_TYPE, "authorization": f"Bearer {tokens[3]}"},
            )
            assert answer.status_code == 422
            assert "groups; the community has 3" in answer.text
    reports = export(store, [store.community("bees")])
    assert np.flatnonzero(~some(reports.missing)).tolist() == [0, 1, 2]
    assert some(reports.friend_counts)[:3].tolist() == [
        list(some(sent[0].counts)),
        list(some(sent[1].counts)),
        [0, 0, 3],
    ]
    assert some(reports.groups).tolist() == [made.group_names.index(group) for group in GROUPS]
    assert reports.epsilon1[:3].tolist() == [EPSILON, EPSILON, np.inf]
    assert (reports.origin.name, reports.noise) == ("friend-counts", "discrete")
    assert reports.guarantee.epsilon[0] == pytest.approx(EPSILON)
    found = verify(store.engine)
    assert (found.reports, found.problems) == (3, [])
    store.close()


def test_groups_outlive_an_epoch_and_a_backup(database: str, tmp_path: Path) -> None:
    store = Store(open_engine(database))
    before = opened(store)
    after = store.open_epoch("bees")
    assert (after.group_names, store.groups(after)) == (before.group_names, store.groups(before))
    back_up(store.engine, tmp_path / "backup.db")
    with sound(tmp_path / "backup.db") as (backup, _):
        restore(backup, store.engine, ALICE)
    assert store.groups(store.community("bees")) == [before.group_names.index(group) for group in GROUPS]
    store.close()


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"groups": None}, "must say of each user"),
        ({"groups": GROUPS[:-1]}, "one for each of 30 users"),
        ({"groups": ["all"] * N}, "two groups or more"),
        ({"groups": ["", *GROUPS[1:]]}, "user 0 is not"),
        ({"groups": [*GROUPS[:-1], "a\u202eb"]}, "user 29 is not"),
        ({"groups": [f"group {user}" for user in range(N)]}, "at most 29"),
        ({"mechanism": "noisy-degrees"}, "not by noisy-degrees"),
    ],
)
def test_groups_that_are_no_partition_open_no_community(tmp_path: Path, changes: dict[str, Any], reason: str) -> None:
    store = Store.open(f"sqlite:///{tmp_path / 'collector.db'}")
    with pytest.raises(ParameterError, match=reason):
        opened(store, **changes)
    assert store.communities() == []
    store.close()


@pytest.mark.parametrize("column", ["groups", "group_names"])
def test_changed_groups_are_noticed(tmp_path: Path, column: str) -> None:
    store = Store.open(f"sqlite:///{tmp_path / 'collector.db'}")
    opened(store)
    table = schema.communities
    with transaction(store.engine, writes=True) as connection:
        value = {"groups": b"x", "group_names": ["east", "north", "wild"]}[column]
        connection.execute(table.update().values(**{column: value}))
    assert verify(store.engine).problems
    store.close()


def test_communities_of_other_groups_go_into_exports_of_their_own(tmp_path: Path) -> None:
    store = Store.open(f"sqlite:///{tmp_path / 'collector.db'}")
    opened(store)
    other, plain = ["a" if user % 2 else "b" for user in range(N)], [("ants", "rr"), ("bats", "friend-counts")]
    for id, mechanism in plain:
        _, choices = offers([1.0], mechanism, N, Split(), groups=mechanism == "friend-counts")
        groups = other if mechanism == "friend-counts" else None
        store.open_community(id, ROSTER, mechanism=mechanism, choices=choices, groups=groups)
        with pytest.raises(ParameterError, match="cannot share an export"):
            export(store, [store.community("bees"), store.community(id)])
    store.close()


def test_what_is_recommended_is_what_is_offered() -> None:
    assert offers([1.0, 2.0], None, N, Split(), groups=True)[0] == advised_for_nodes([1.0, 2.0]) == "friend-counts"
    assert offers([LINKS_FROM, 1.0], None, N, Split(), groups=True)[0] == "friend-counts"
    assert advised_for_nodes([LINKS_FROM]) == "rr"
    with pytest.raises(ParameterError, match="leave out the groups and choose the mechanism rr"):
        offers([LINKS_FROM], None, N, Split(), groups=True)
    with pytest.raises(ParameterError, match="say who is in which"):
        offers([1.0], "friend-counts", N, Split())
    (choice,) = offers([1.0], "friend-counts", N, Split(), groups=True)[1]
    assert (choice.epsilon1, choice.epsilon2) == (1.0, 0.0)
