"""How communities and their epochs open: the rows that are frozen from then on."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, case, insert, literal, null, select, update
from sqlalchemy.exc import IntegrityError

from graphldp.collector.communities.community import check_community, check_retention, check_roster, number_groups
from graphldp.collector.storage import schema
from graphldp.collector.storage.collecting.communities import hold, lock, new_key
from graphldp.errors import ParameterError
from graphldp.privacy.hubs import HUB_TIMES, LIST_TIMES, hub_from
from graphldp.wire import WITH_EDGES, WITH_HUBS, Choice, roster_digest

_ASKED = ("question", "question_digest", "asked_at", "busy_from")
_OF_ONE_EPOCH = ("key", "epoch", "opened_at", "closed_at", "title", *_ASKED)


def first_epoch(
    id: str,
    roster: Sequence[str],
    *,
    mechanism: str,
    choices: Sequence[Choice],
    name: str | None,
    label: int | None,
    groups: Sequence[str] | None,
    retention_days: int | None,
    keeps_models: bool,
) -> dict[str, Any]:
    """The row of a new community, after checking what it says; see :meth:`.store.Store.open_community`."""
    check_community(id, name or id, mechanism, choices, label)
    check_retention(retention_days)
    check_roster(roster)
    group_names, numbers = number_groups(mechanism, groups, len(roster))
    return {
        "id": id,
        "name": name or id,
        "n": len(roster),
        "mechanism": mechanism,
        "choices": [choice.to_json() for choice in choices],
        "roster": zlib.compress("\n".join(roster).encode()),
        "roster_digest": roster_digest(roster, group_names, numbers),
        "epoch": 1,
        "label": label,
        "hub_from": _hub_from(len(roster), mechanism),
        "group_names": list(group_names) if group_names else None,
        "groups": zlib.compress(bytes(numbers)) if group_names else None,
        "retention_days": retention_days,
        "keeps_models": keeps_models,
        "opened_at": datetime.now(UTC),
    }


def add_community(connection: Connection, row: dict[str, Any]) -> None:
    """Add a new community's row, unless its id is or was taken."""
    id = row["id"]
    hold(connection, id)
    if connection.execute(select(schema.gone.c.id).where(schema.gone.c.id == id)).scalar() is not None:
        raise ParameterError(
            f"The community '{id}' was deleted. Its members' clients still know that id: take another."
        )
    try:
        connection.execute(insert(schema.communities).values(**row, **new_key(connection)))
    except IntegrityError:
        raise ParameterError(f"There is a community '{id}' already.") from None


def add_epoch(connection: Connection, id: str, epoch: int, seen: str | None) -> None:
    """Add a community's next epoch, close the one before, and let its invitations count for the new one.

    Args:
        connection: of a writing transaction.
        id: the community.
        epoch: the one that is to be the last before it.
        seen: its version when the operator looked at it.
    """
    table, slots, now = schema.communities, schema.slots, datetime.now(UTC)
    copied = [column for column in table.c if column.name not in _OF_ONE_EPOCH]
    old = lock(connection, id, seen)
    if old.epoch != epoch:  # two who renew at once mean one epoch: each costs the users their ε again
        raise ParameterError(f"Epoch {old.epoch} of '{id}' was opened a moment ago.")
    row = connection.execute(select(*copied).where(table.c.key == old.key)).one()
    new = dict(row._mapping) | {"epoch": old.epoch + 1, "opened_at": now, "name": old.called}
    new |= new_key(connection)
    key = connection.execute(insert(table).values(**new).returning(table.c.key)).scalar_one()
    connection.execute(update(table).where(table.c.key == old.key, table.c.closed_at.is_(None)).values(closed_at=now))
    # who has reported has taken her invitation: it does not expire any more
    used = select(schema.reports.c.user).where(schema.reports.c.community == old.key)
    until = case((slots.c.user.in_(used), null()), else_=slots.c.expires_at)
    invited = select(literal(key), slots.c.user, slots.c.token_hash, slots.c.invited_at, until)
    connection.execute(
        insert(slots).from_select(
            ["community", "user", "token_hash", "invited_at", "expires_at"],
            invited.where(slots.c.community == old.key),
        )
    )


def _hub_from(n: int, mechanism: str) -> int | None:
    """From where on its users are hubs, frozen when it opens."""
    if mechanism not in WITH_HUBS:
        return None
    return hub_from(n, LIST_TIMES if mechanism in WITH_EDGES else HUB_TIMES)
