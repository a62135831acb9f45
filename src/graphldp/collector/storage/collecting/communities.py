"""Communities as the database has them: one row for each epoch, frozen when it opens. The latest one counts."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Row, Select, bindparam, case, delete, func, insert, literal, null, select, update
from sqlalchemy.exc import IntegrityError

from graphldp.collector.community import (
    Community,
    check_community,
    check_inquiry,
    check_pairs,
    check_retention,
    check_roster,
    check_witnesses,
    number_groups,
)
from graphldp.collector.storage import schema
from graphldp.collector.storage.counters import next_key
from graphldp.collector.storage.database import upsert
from graphldp.errors import ChangedError, ParameterError, bad_parameter
from graphldp.privacy.hubs import HUB_TIMES, LIST_TIMES, hub_from
from graphldp.privacy.pairs import ANSWER_DAYS
from graphldp.wire import WITH_EDGES, WITH_HUBS, Choice, Inquiry, roster_digest
from graphldp.wire.deal import GROUPS, dealt_groups, dealt_names
from graphldp.wire.layout import LAYOUTS

_OPERATORS_LOCK = 0x6772_6F70  # the first half of PostgreSQL's advisory locks of this kind; a community is the second

_LONG = ("roster", "groups", "question", "listed")  # read where they are needed


def without_rosters() -> Select[Any]:
    """A query of all that makes a community, from every row: of each epoch."""
    return select(*(column for column in schema.communities.c if column.name not in _LONG))


def _latest() -> Select[Any]:
    table, newer = schema.communities, schema.communities.alias()
    newest = select(func.max(newer.c.epoch)).where(newer.c.id == table.c.id).scalar_subquery()
    return without_rosters().where(table.c.epoch == newest).order_by(table.c.key)


LATEST = _latest()
FIND = LATEST.where(schema.communities.c.id.in_(bindparam("ids", expanding=True)))


def to_community(row: Row[Any]) -> Community:
    """A community from its row."""
    fields = {name: value for name, value in row._mapping.items() if name not in _LONG}
    choices = tuple(Choice.from_json(each, fields["mechanism"]) for each in fields["choices"])
    names = tuple(fields["group_names"] or ())
    inquiry = Inquiry.from_json(fields["inquiry"] or {})
    return Community(**(fields | {"choices": choices, "group_names": names, "inquiry": inquiry}))


def lock(connection: Connection, id: str, seen: str | None = None) -> Community:
    """A community in its latest epoch, for a writing transaction: until it ends, no other operator changes it.

    SQLite's writing transactions exclude each other anyway. PostgreSQL's begin by waiting for this lock, and look up
    the latest epoch only then.

    Raises:
        ChangedError: where somebody else has changed it since.
    """
    hold(connection, id)
    row = connection.execute(FIND, {"ids": [id]}).one_or_none()
    if row is None:
        raise bad_parameter("community", "the collector", "the id of a community", id)
    found = to_community(row)
    if seen not in (None, found.version):
        raise ChangedError(
            f"Somebody else changed the community '{id}' since you looked at it. Nothing was done: look again."
        )
    return found


def hold(connection: Connection, id: str) -> None:
    """Keep other operators from an id until a writing transaction ends, whether a community has it or not."""
    if connection.dialect.name == "postgresql":
        connection.execute(select(func.pg_advisory_xact_lock(_OPERATORS_LOCK, func.hashtext(id))))


_ASKED = ("question", "question_digest", "asked_at", "busy_from", "listed")
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
    dealt: bool,
    inquiry: Inquiry | None,
) -> dict[str, Any]:
    """The row of a new community, after checking what it says; see :meth:`.store.Store.open_community`."""
    check_community(id, name or id, mechanism, choices, label)
    check_retention(retention_days)
    check_inquiry(inquiry)
    check_roster(roster)
    check_pairs(mechanism, choices, len(roster))
    if dealt:
        check_witnesses(mechanism, len(roster), groups=groups is not None)
        group_names, numbers = dealt_names(GROUPS), dealt_groups(id, 1, roster, GROUPS)
    else:
        group_names, numbers = number_groups(mechanism, groups, len(roster))
    return {
        "id": id,
        "name": name or id,
        "n": len(roster),
        "mechanism": mechanism,
        "choices": [choice.to_json() for choice in choices],
        "roster": zlib.compress("\n".join(roster).encode()),
        "epoch": 1,
        "label": label,
        "hub_from": _hub_from(len(roster), mechanism),
        "group_names": list(group_names) if group_names else None,
        "dealt": dealt,
        **_frozen(roster, group_names, numbers),
        "retention_days": retention_days,
        "keeps_models": keeps_models,
        "inquiry": inquiry.to_json() if inquiry else None,
        "opened_at": datetime.now(UTC),
        "answer_until": _answer_until(mechanism),
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
        key = next_key(connection, schema.communities)
        connection.execute(insert(schema.communities).values(**row, key=key))
    except IntegrityError:
        raise ParameterError(f"There is a community '{id}' already.") from None
    _mark_deleted(connection, id, row["epoch"], key)


def add_epoch(connection: Connection, id: str, epoch: int, seen: str | None, inquiry: Inquiry | None) -> None:
    """Add a community's next epoch, close the one before, and let its invitations count for the new one."""
    table, slots, now = schema.communities, schema.slots, datetime.now(UTC)
    copied = [column for column in table.c if column.name not in _OF_ONE_EPOCH]
    old = lock(connection, id, seen)
    if old.epoch != epoch:  # two who renew at once mean one epoch: each costs the users their ε again
        raise ParameterError(f"Epoch {old.epoch} of '{id}' was opened a moment ago.")
    row = connection.execute(select(*copied).where(table.c.key == old.key)).one()
    new = dict(row._mapping) | {"epoch": old.epoch + 1, "opened_at": now, "name": old.called}
    new["answer_until"] = _answer_until(old.mechanism)
    if inquiry is not None:
        check_inquiry(inquiry)
        new["inquiry"] = inquiry.to_json()
    if old.dealt:
        names = zlib.decompress(row.roster).decode().split("\n")
        new |= _frozen(names, old.group_names, dealt_groups(id, old.epoch + 1, names, len(old.group_names)))
        _deal_again(connection, id, old.roster_digest, new["roster_digest"])
    key = next_key(connection, table)
    connection.execute(insert(table).values(**new, key=key))
    _mark_deleted(connection, id, old.epoch + 1, key)
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


def _frozen(roster: Sequence[str], group_names: Sequence[str], numbers: Sequence[int]) -> dict[str, Any]:
    """The groups of users, and the digest of all that members pin of people."""
    groups = zlib.compress(bytes(numbers)) if group_names else None
    return {"roster_digest": roster_digest(roster, group_names, numbers), "groups": groups}


def keep_deletion(connection: Connection, slot: tuple[str, int, int], roster_digest: str, deleted_on: date) -> None:
    """Keep a deletion for when an epoch is opened again that is not there.

    Args:
        connection: a writing transaction.
        slot: the community's id, the epoch and the user.
        roster_digest: of the people that it is among: of that epoch, or of the one before it.
        deleted_on: its day.
    """
    row = dict(zip(("id", "epoch", "user", "roster_digest"), (*slot, roster_digest), strict=True))
    new = upsert(connection, schema.tombstones).values(**row, deleted_on=deleted_on)
    connection.execute(new.on_conflict_do_nothing())


def _deal_again(connection: Connection, id: str, before: str, now: str) -> None:
    """Keep deletions for the same people by the digest of their next deal; some may be kept by it already."""
    dead = schema.tombstones
    of_them = (dead.c.id == id, dead.c.roster_digest == before)
    copied = select(dead.c.id, dead.c.epoch, dead.c.user, literal(now), dead.c.deleted_on).where(*of_them)
    columns = [column.name for column in dead.c]
    connection.execute(upsert(connection, dead).from_select(columns, copied).on_conflict_do_nothing())
    connection.execute(delete(dead).where(*of_them))


def _mark_deleted(connection: Connection, id: str, epoch: int, key: int) -> None:
    """Mark the slots whose report was deleted in this epoch before a restore took the epoch away: they take none."""
    dead, reports, table = schema.tombstones, schema.reports, schema.communities
    digest = select(table.c.roster_digest).where(table.c.key == key).scalar_subquery()
    these = (dead.c.id == id, dead.c.epoch == epoch, dead.c.roster_digest == digest)  # not of who came in their place
    day = dead.c.deleted_on
    found = select(literal(key), dead.c.user, day, day, day).where(*these)
    columns = ["community", "user", "received_on", "deleted_on", "erased_on"]
    connection.execute(insert(reports).from_select(columns, found))
    connection.execute(delete(dead).where(*these))


def _hub_from(n: int, mechanism: str) -> int | None:
    """The noisy degree from which on users are hubs, frozen when a community opens."""
    if mechanism not in WITH_HUBS:
        return None
    return hub_from(n, LIST_TIMES if mechanism in WITH_EDGES else HUB_TIMES)


def _answer_until(mechanism: str) -> date | None:
    """The last day on which devices keep lists for a second question that is put to all, frozen when an epoch opens."""
    return datetime.now(UTC).date() + timedelta(days=ANSWER_DAYS) if LAYOUTS[mechanism].asks_all else None
