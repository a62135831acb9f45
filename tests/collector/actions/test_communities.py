"""What operators do, one function each; and two of them at once."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.collector.people import open_bees, open_cats

from graphldp.collector.actions import communities as actions
from graphldp.collector.actions.inviting import Invited, invite, mail_merge
from graphldp.collector.roles import Actor, Role
from graphldp.collector.storage.store import Store
from graphldp.errors import ChangedError

ALICE = Actor("alice", Role.OPERATOR, "dashboard")
BOB = Actor("bob", Role.OPERATOR, "api")

CHANGES: dict[str, Callable[[Store, Actor, str | None], object]] = {
    "rename": lambda store, who, seen: actions.rename(store, who, "bees", "Wasps", seen=seen),
    "label": lambda store, who, seen: actions.label(store, who, "bees", "3", seen=seen),
    "trust": lambda store, who, seen: actions.trust(store, who, "bees", seen=seen),
    "close": lambda store, who, seen: actions.close(store, who, "bees", seen=seen),
    "ask": lambda store, who, seen: actions.ask(store, who, "bees", seen=seen, min_reports=1),
    "renew": lambda store, who, seen: actions.renew(store, who, "bees", seen=seen),
    "delete": lambda store, who, seen: actions.delete(store, who, "bees", seen=seen),
}


@pytest.mark.attack("collector")
@pytest.mark.parametrize("first", [each for each in CHANGES if each != "delete"])
def test_who_comes_second_is_told_and_changes_nothing(store: Store, first: str) -> None:
    """Two operators at once: one acts on a page that the other has outdated.

    Two operators look at the same page; one of them acts.
    """
    open_bees(store)
    seen = store.community("bees").version
    CHANGES[first](store, ALICE, seen)
    after = store.community("bees")
    assert after.version != seen
    for second, change in CHANGES.items():
        with pytest.raises(ChangedError, match="Nothing was done"):
            change(store, BOB, seen)
        assert store.community("bees") == after, second
    CHANGES["rename"](store, BOB, after.version)
    assert store.community("bees").called == "Wasps"


def test_a_version_changes_with_what_operators_change_and_with_nothing_else(store: Store) -> None:
    cats, _ = open_cats(store)
    open_cats(store, "dogs", label=1)
    store.invite("cats", [3])
    assert store.community("cats").version == cats.version
    assert store.community("dogs").version != cats.version


def test_nobody_is_invited_where_the_invitations_are_not_handed_over(store: Store) -> None:
    open_cats(store)
    old = invite(store, ALICE, "cats", server="https://reports.example.org", users=[4])

    def full(_: object) -> None:
        raise OSError("the disk is full")

    with pytest.raises(OSError, match="full"):
        invite(store, BOB, "cats", server="https://reports.example.org", users=[4], hand_over=full)
    assert store.holder(store.community("cats"), old[0].invitation.token) == 4


def test_a_mail_merge_has_no_formulas(store: Store) -> None:
    (made,) = _invited(store)
    named = [Invited(made.user, name, made.link, made.invitation) for name in ("@ann", " =1+1", "bo")]
    lines = mail_merge(named).splitlines()
    assert [line.split(",")[1] for line in lines] == ["name", "'@ann", "' =1+1", "bo"]
    assert made.link in lines[3]


def _invited(store: Store) -> list[Invited]:
    open_cats(store)
    return invite(store, ALICE, "cats", server="https://reports.example.org", users=[1])
