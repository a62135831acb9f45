"""Every action goes one way: role, log, action."""

from __future__ import annotations

import pytest
from tests.collector.people import ALICE

from graphldp.collector.acting import acting
from graphldp.collector.roles import Actor, Role
from graphldp.collector.storage.store import Store
from graphldp.errors import ForbiddenError, ParameterError


@acting("test.paint", Role.OPERATOR)
def paint(store: Store, actor: Actor, id: str, colour: str) -> str:
    assert store.audit_log.entries()[-1].outcome == "begun"  # on disk before anything is done
    if colour == "none":
        raise ParameterError("No colour.")
    return f"{id} is {colour}"


def told(store: Store) -> list[tuple[str, str | None, str]]:
    return [(each.actor, each.about, each.outcome) for each in store.audit_log.entries()]


def test_an_action_is_logged_before_it_is_done_and_when_it_fails(store: Store) -> None:
    assert paint(store, ALICE, "cats", "red") == "cats is red"
    with pytest.raises(ParameterError, match="No colour"):
        paint(store, ALICE, "cats", "none")
    assert told(store) == [("alice", "cats", "begun"), ("alice", "cats", "begun"), ("alice", "cats", "failed")]


@pytest.mark.parametrize("role", Role)
def test_a_role_may_what_those_below_it_may(store: Store, role: Role) -> None:
    actor = Actor("bob", role, "api")
    if role >= Role.OPERATOR:
        paint(store, actor, "cats", "red")
    else:
        with pytest.raises(ForbiddenError, match="takes an operator, and you are signed in as viewer"):
            paint(store, actor, "cats", "red")
    assert told(store) == [("bob", "cats", "begun" if role >= Role.OPERATOR else "forbidden")]


@pytest.mark.parametrize("pasted", ["ann knows bob\nbob knows cy", "x" * 65])
def test_the_log_repeats_nothing_that_is_no_name(store: Store, pasted: str) -> None:
    with pytest.raises(ParameterError):
        paint(store, ALICE, pasted, "none")
    assert [each.about for each in store.audit_log.entries()] == ["?", "?"]


def test_roles_have_names() -> None:
    assert [Role.named(role.title) for role in Role] == list(Role)
    with pytest.raises(ParameterError, match="viewer, operator, administrator"):
        Role.named("owner")
