"""Keys with roles, that rotate and expire."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import update
from tests.collector.people import ALICE

from graphldp.collector.actions import administration as operators
from graphldp.collector.roles import Actor, Role
from graphldp.collector.storage import schema
from graphldp.collector.storage.database import transaction
from graphldp.collector.storage.store import Store
from graphldp.errors import ForbiddenError, ParameterError


def test_a_key_has_a_role_that_counts_at_once(store: Store) -> None:
    key = store.operators.add("bob", Role.VIEWER)
    secret = store.operators.log_in(key, 1.0)
    assert secret is not None
    assert store.operators.keyed(key) == Actor("bob", Role.VIEWER, "api")
    store.operators.set_role("bob", Role.ADMINISTRATOR)
    session = store.operators.session(secret)
    assert session is not None
    assert session.actor == Actor("bob", Role.ADMINISTRATOR, "dashboard")
    assert store.operators.keyed(secret) is None  # a session is no key


@pytest.mark.attack("collector")
def test_a_rotated_key_opens_nothing_and_its_sessions_end(store: Store) -> None:
    """Go on using a key or a session after it was rotated, expired or removed."""
    old = store.operators.add("bob")
    secret = store.operators.log_in(old, 1.0)
    assert secret is not None
    new = store.operators.rotate("bob", days=1)
    assert store.operators.session(secret) is None
    assert store.operators.keyed(old) is None
    assert store.operators.log_in(old, 1.0) is None
    assert store.operators.keyed(new) == Actor("bob", Role.OPERATOR, "api")


@pytest.mark.attack("collector")
def test_an_expired_key_opens_nothing_and_its_sessions_end(store: Store) -> None:
    """Go on using a key or a session after it was rotated, expired or removed."""
    key = store.operators.add("bob", days=1)
    secret = store.operators.log_in(key, 100.0)
    assert secret is not None
    assert store.operators.session(secret) is not None
    over = datetime.now(UTC) - timedelta(seconds=1)
    with transaction(store.engine, writes=True) as connection:
        connection.execute(update(schema.operators).values(expires_at=over))
    assert store.operators.session(secret) is None
    assert store.operators.keyed(key) is None
    assert store.operators.log_in(key, 1.0) is None


@pytest.mark.parametrize("days", [0.0, -1.0, float("nan"), float("inf"), 1e9])
def test_a_lifetime_that_is_none_is_refused(store: Store, days: float) -> None:
    with pytest.raises(ParameterError, match="'expires' parameter"):
        store.operators.add("bob", days=days)
    assert store.operators.all() == []


@pytest.mark.parametrize("name", ["", "bob ", " bob", "bob\u00a0", "bob\n", "b" * 65, "oidc:bob"])
def test_a_name_that_reads_like_another_is_refused(store: Store, name: str) -> None:
    """A form drops spaces at both ends of a field; the command line takes a word as it is."""
    with pytest.raises(ParameterError, match="'name' parameter of an operator"):
        store.operators.add(name)
    assert store.operators.all() == []


def test_only_administrators_say_who_may(store: Store) -> None:
    key = operators.add(store, ALICE, "bob")
    bob = store.operators.keyed(key)
    assert bob is not None
    with pytest.raises(ForbiddenError):
        operators.add(store, bob, "cy")
    with pytest.raises(ForbiddenError):
        operators.rotate(store, bob, "bob")
    with pytest.raises(ForbiddenError):
        operators.set_role(store, bob, "bob", Role.ADMINISTRATOR)
    with pytest.raises(ForbiddenError):
        operators.remove(store, bob, "bob")
    assert store.operators.keyed(key) == bob
    assert [(each.actor, each.action, each.outcome) for each in store.audit_log.entries()] == [
        ("alice", "operator.add", "begun"),
        *(("bob", f"operator.{what}", "forbidden") for what in ("add", "rotate", "role", "remove")),
    ]


def test_logging_in_is_written_down_and_no_key_is(store: Store) -> None:
    key = store.operators.add("bob")
    assert store.operators.log_in("x" * 43, 1.0) is None  # strangers cannot fill the log
    secret = store.operators.log_in(key, 1.0)
    (entry,) = store.audit_log.entries()
    assert (entry.actor, entry.action, entry.way) == ("bob", "operator.log-in", "dashboard")
    assert key not in str(entry)
    assert str(secret) not in str(entry)
