"""Deletion of a community for good: its roster, invitations, reports, answers, labels and flags, in every epoch.

What stays is its id, which no other community gets, and the trainings that it was part of. Where its members were
promised that models go with their reports, the models that learned from it are withdrawn, and a training that has read
its reports keeps nothing. A restore of an older backup deletes it again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import ColumnElement, Connection, Table, delete, func, insert, select, update

from graphldp.collector.storage import schema
from graphldp.collector.storage.collecting.communities import hold, lock
from graphldp.collector.storage.collecting.retention import withdraw_models
from graphldp.collector.storage.database import StorePart, take_time, transaction
from graphldp.collector.storage.scrubbing import scrub
from graphldp.errors import bad_parameter

_OF_COMMUNITIES = (schema.flags, schema.predictions, schema.answers, schema.reports, schema.slots)
_WRITTEN_ANEW = (*(table.name for table in _OF_COMMUNITIES), "communities")


@dataclass(frozen=True)
class Belongings:
    """Counts of what goes with a community, over all of its epochs."""

    users: int = 0
    epochs: int = 0
    invitations: int = 0
    reports: int = 0
    answers: int = 0
    labels: int = 0
    flags: int = 0


class Removals(StorePart):
    """Deletions of communities."""

    def belongings(self, id: str) -> Belongings:
        """The counts of what would go with a community; none for one that was deleted."""
        with transaction(self.engine, snapshot=True) as connection:
            return _belongings(connection, id, _keys(connection, id))

    def delete(self, id: str, seen: str | None = None) -> Belongings:
        """Delete a community, and take it out of the database's files.

        To delete one that was deleted before is not an error: its bytes are then looked after once more. ``seen`` is
        its version when the operator looked at it.
        """
        with transaction(self.engine, writes=True) as connection:
            hold(connection, id)
            take_time(connection)
            # before its rows, as a training that keeps what it learned does
            connection.execute(select(schema.clock.c.key).with_for_update())
            keys = _keys(connection, id, locked=True)
            if keys and seen is not None:
                lock(connection, id, seen)
            found = _belongings(connection, id, keys)
            remove(connection, id, keys)
            if keys:
                row = {"id": id, "deleted_at": datetime.now(UTC)}
                connection.execute(insert(schema.gone).values(**row))
        self.erase()
        return found

    def erase(self) -> bool:
        """Take deleted communities out of the database's files, where some may still be there."""
        table = schema.gone
        with transaction(self.engine) as connection:
            waiting = connection.execute(select(table.c.id).where(table.c.erased_at.is_(None))).scalars().all()
        if waiting:
            scrub(self.engine, *_WRITTEN_ANEW)
            with transaction(self.engine, writes=True) as connection:
                connection.execute(update(table).where(table.c.id.in_(waiting)).values(erased_at=datetime.now(UTC)))
        return bool(waiting)


def remove(connection: Connection, id: str, keys: Sequence[int]) -> None:
    """Delete the rows of a community's epochs, and all that belongs to them."""
    communities, tombstones = schema.communities, schema.tombstones
    promised = select(communities.c.key).where(communities.c.key.in_(keys), communities.c.keeps_models.is_(False))
    for key in connection.execute(promised).scalars().all():
        withdraw_models(connection, key, datetime.now(UTC))
    connection.execute(delete(tombstones).where(tombstones.c.id == id))  # none of its epochs opens again
    for table in _OF_COMMUNITIES:
        connection.execute(delete(table).where(table.c.community.in_(keys)))
    connection.execute(delete(communities).where(communities.c.key.in_(keys)))


def _keys(connection: Connection, id: str, *, locked: bool = False) -> Sequence[int]:
    """The keys of a community's epochs. Locked, no server stores a report there until the transaction ends."""
    table = schema.communities
    query = select(table.c.key).where(table.c.id == id).order_by(table.c.key)
    return connection.execute(query.with_for_update() if locked else query).scalars().all()


def _belongings(connection: Connection, id: str, keys: Sequence[int]) -> Belongings:
    table, gone, slots, reports = schema.communities, schema.gone, schema.slots, schema.reports
    if not keys:
        if connection.execute(select(gone.c.id).where(gone.c.id == id)).scalar() is None:
            raise bad_parameter("community", "the collector", "the id of a community", id)
        return Belongings()

    def count(what: ColumnElement[int], of: Table) -> int:
        return int(connection.execute(select(what).where(of.c.community.in_(keys))).scalar_one())

    return Belongings(
        users=connection.execute(select(table.c.n).where(table.c.key == keys[-1])).scalar_one(),
        epochs=len(keys),
        invitations=count(func.count(slots.c.user.distinct()), slots),
        reports=count(func.count(reports.c.body), reports),
        answers=count(func.count(schema.answers.c.user), schema.answers),
        labels=count(func.count(schema.predictions.c.label), schema.predictions),
        flags=count(func.count(schema.flags.c.user), schema.flags),
    )
