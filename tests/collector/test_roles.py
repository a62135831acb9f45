"""Every action goes one way: role, log, action."""

from __future__ import annotations

import importlib
import inspect
import pkgutil

import pytest
from tests.collector.people import ALICE

from graphldp.collector import actions, tokens
from graphldp.collector.actions import administration as operators
from graphldp.collector.roles import Actor, Role, acting
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


@pytest.mark.attack("collector")
def test_an_action_is_logged_before_it_is_done_and_when_it_fails(store: Store) -> None:
    """Do something and leave no trace."""
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


PASTED = {
    "two lines": "ann knows bob\nbob knows cy",
    "too long": "x" * 65,
    "a key": tokens.new_secret(),
    "a token": f"7.{tokens.new_secret()}",
    "a key and an id": f"{tokens.new_secret()}/cats",
}


@pytest.mark.attack("collector")
@pytest.mark.parametrize("pasted", PASTED.values(), ids=PASTED)
def test_the_log_repeats_nothing_that_is_no_name(store: Store, pasted: str) -> None:
    """Put a member's data into the log by pasting it for an id. A token or a key, pasted where a community's id
    belongs.
    """
    with pytest.raises(ParameterError):
        paint(store, ALICE, pasted, "none")
    assert [each.about for each in store.audit_log.entries()] == ["?", "?"]


def test_the_log_keeps_long_ids(store: Store) -> None:
    id = "-".join(["a-club-of-cats"] * 4)
    paint(store, ALICE, id, "red")
    assert [each.about for each in store.audit_log.entries()] == [id]


@pytest.mark.attack("collector")
def test_the_log_says_who_was_given_which_role(store: Store) -> None:
    """Give somebody a higher role, unseen."""
    root = Actor("root", Role.ADMINISTRATOR, "command line")
    operators.add(store, root, "eve", Role.VIEWER)
    operators.set_role(store, root, "eve", Role.ADMINISTRATOR)
    operators.allow(store, root, "ann@example.org", "email", Role.OPERATOR)
    operators.disallow(store, root, "ann@example.org", "email")
    abouts = [each.about for each in store.audit_log.entries()]
    assert abouts == ["eve as viewer", "eve as administrator", "ann@example.org as operator", "ann@example.org"]


def test_an_action_on_many_communities_names_them_or_their_number(store: Store) -> None:
    @acting("test.count", Role.VIEWER)
    def count(store: Store, actor: Actor, ids: list[str]) -> int:
        return len(ids)

    count(store, ALICE, ["cats", "dogs"])
    count(store, ALICE, [f"cats-{place}" for place in range(100)])
    assert [each.about for each in store.audit_log.entries()] == ["cats, dogs", "100 communities"]


def test_roles_have_names() -> None:
    assert [Role.named(role.title) for role in Role] == list(Role)
    with pytest.raises(ParameterError, match="viewer, operator, administrator"):
        Role.named("owner")


@pytest.mark.attack("collector")
def test_no_action_goes_another_way() -> None:
    """Do something and leave no trace."""
    found = []
    for module in pkgutil.iter_modules(actions.__path__, f"{actions.__name__}."):
        for name, function in inspect.getmembers(importlib.import_module(module.name), inspect.isfunction):
            if list(inspect.signature(function).parameters)[:2] == ["store", "actor"]:
                found.append(name)
                assert inspect.unwrap(function) is not function, f"{module.name}.{name} is not decorated by @acting"
    assert {"create", "close", "delete", "export", "invite", "rotate"} <= set(found)
