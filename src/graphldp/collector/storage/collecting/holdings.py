"""Which slots hold a report, by epoch, and how reports leave for good.

A client that was told 201 asks for the epochs that are held for its slot, and sends its kept bytes again where a
restore lost them. A deleted report counts as held: its slot takes no other, so there is nothing to send.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, Engine, Row, Table, delete, func, select, tuple_, update
from sqlalchemy.dialects import postgresql, sqlite

from graphldp.collector.storage import schema
from graphldp.collector.storage.collecting.communities import lock, to_community
from graphldp.collector.storage.collecting.second_round import asked_slots
from graphldp.collector.storage.database import transaction
from graphldp.collector.storage.scrubbing import scrub
from graphldp.errors import bad_parameter

WITH_REPORTS = ("reports", "answers", "flags", "predictions")
"""The tables from which something is deleted when a report is: labels go with the models that learned from it."""


@dataclass(frozen=True)
class Holding:
    """The slots of one epoch.

    Args:
        epoch: which one.
        invited: slots that have a token.
        held: slots whose report is here.
        deleted: slots whose report was here and is deleted.
        asked: slots whose report says that they are asked a second question.
        answered: slots whose answer to it is here.
    """

    epoch: int
    invited: list[int]
    held: list[int]
    deleted: list[int]
    asked: list[int] = field(default_factory=list)
    answered: list[int] = field(default_factory=list)


class Holdings:
    """Which reports are held, and which were deleted.

    Args:
        engine: a migrated database.
    """

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    def epochs(self, id: str, user: int, of: Table = schema.reports) -> list[int]:
        """The epochs in which a slot of a community has had its report, or has its answer.

        Args:
            id: the community.
            user: the slot.
            of: the table of either.
        """
        table = schema.communities
        query = (
            select(table.c.epoch)
            .join(of, of.c.community == table.c.key)
            .where(table.c.id == id, of.c.user == user)
            .order_by(table.c.epoch)
        )
        with transaction(self.engine) as connection:
            return list(connection.execute(query).scalars())

    def totals(self) -> tuple[int, int]:
        """How many communities there are, each epoch counted, and how many reports are held."""
        with transaction(self.engine) as connection:
            communities = connection.execute(select(func.count()).select_from(schema.communities)).scalar_one()
            return communities, connection.execute(select(func.count(schema.reports.c.body))).scalar_one()

    def of(self, id: str) -> list[Holding]:
        """The slots of a community, epoch by epoch; none for an id that is no community's."""
        table, slots, reports, answers = schema.communities, schema.slots, schema.reports, schema.answers
        found = []
        with transaction(self.engine) as connection:
            for row in connection.execute(select(table).where(table.c.id == id).order_by("epoch")).all():
                key, community = row.key, to_community(row)
                invited = select(slots.c.user).where(slots.c.community == key).order_by("user")
                taken = select(reports.c.user, reports.c.deleted_at).where(reports.c.community == key).order_by("user")
                states = connection.execute(taken).all()
                held, deleted = (
                    [row.user for row in states if (row.deleted_at is None) == here] for here in (True, False)
                )
                told = select(answers.c.user).where(answers.c.community == key).order_by("user")
                lists = [list(connection.execute(query).scalars()) for query in (invited, told)]
                asked = asked_slots(connection, community)
                found.append(Holding(community.epoch, lists[0], held, deleted, asked, lists[1]))
        return found

    def delete(self, id: str, user: int, epoch: int | None = None) -> list[int]:
        """Delete a slot's report, and its answer, in one epoch or in all of them, and from the database's files.

        The slot stays taken. What was deleted before is not an error: its bytes are then looked after once more.

        Returns:
            The epochs whose report was there until now.

        Raises:
            StoreError: where the report is deleted but its bytes are still in a file.
        """
        with transaction(self.engine, writes=True) as connection:
            lock(connection, id)
            rows = [row for row in _rows(connection, id, user) if epoch in (None, row.epoch)]
            if not rows:
                raise bad_parameter("user", "delete-report", "a slot that holds a report", user)
            present = [row for row in rows if row.deleted_at is None]
            _delete(connection, [row.key for row in present], user)
        self._erase(self._unerased())
        return [row.epoch for row in present]

    def withdraw(self, id: str, user: int, epoch: int | None = None) -> None:
        """Delete what a slot has sent up to an epoch, and take no report of that epoch from it any more.

        The slot is marked also where it is empty: a report may be on its way, and whoever carries it must not be able
        to bring it later. The bytes leave the database's files with the next :meth:`erase`, since to write a table anew
        for each user who withdraws would keep all others waiting.

        Args:
            id: the community.
            user: the slot; whose token came with the request was looked at before.
            epoch: the latest epoch that is meant; by default the community's own. A later one is left alone, so that a
                request that is repeated after it opened does not take its slot.
        """
        table, reports = schema.communities, schema.reports
        with transaction(self.engine, writes=True) as connection:
            latest = lock(connection, id).epoch  # an operator may be about to delete the community
            last = latest if epoch is None else epoch
            _delete(connection, [row.key for row in _rows(connection, id, user) if row.epoch <= last], user)
            newest = select(table.c.key).where(table.c.id == id, table.c.epoch <= last).order_by(table.c.epoch.desc())
            key, now = connection.execute(newest.limit(1)).scalar_one(), datetime.now(UTC)
            row = {"community": key, "user": user, "received_on": now.date(), "deleted_at": now}
            upsert = postgresql.insert if connection.dialect.name == "postgresql" else sqlite.insert
            # one statement: a report that another server stores at this moment is deleted too
            connection.execute(
                upsert(reports)
                .values(**row)
                .on_conflict_do_update(
                    index_elements=[reports.c.community, reports.c.user],
                    set_=_GONE | {"deleted_at": func.coalesce(reports.c.deleted_at, now)},
                )
            )

    def erase(self) -> bool:
        """Take deleted reports out of the database's files, where some may still be there.

        Raises:
            StoreError: where the database is too busy; what is deleted stays so.
        """
        waiting = self._unerased()
        if waiting:
            self._erase(waiting)
        return bool(waiting)

    def _unerased(self) -> list[tuple[int, int]]:
        table = schema.reports
        query = select(table.c.community, table.c.user).where(
            table.c.deleted_at.is_not(None), table.c.erased_at.is_(None)
        )
        with transaction(self.engine) as connection:
            return [(row.community, row.user) for row in connection.execute(query)]

    def _erase(self, slots: Sequence[tuple[int, int]]) -> None:
        """Take what was deleted out of the files, and note it for the slots that were deleted before this began."""
        scrub(self.engine, *WITH_REPORTS)
        table, now = schema.reports, datetime.now(UTC)
        with transaction(self.engine, writes=True) as connection:
            for start in range(0, len(slots), _MANY):
                these = tuple_(table.c.community, table.c.user).in_(slots[start : start + _MANY])
                connection.execute(update(table).where(these).values(erased_at=now))


_MANY = 1000  # rows per statement
_GONE: dict[str, Any] = {"body": None, "noisy_degree": None}


def _rows(connection: Connection, id: str, user: int) -> Sequence[Row[Any, Any, Any]]:
    """What is known of a slot's reports, epoch by epoch."""
    reports, table = schema.reports, schema.communities
    query = select(table.c.key, table.c.epoch, reports.c.deleted_at).join(reports, reports.c.community == table.c.key)
    return connection.execute(query.where(table.c.id == id, reports.c.user == user).order_by(table.c.epoch)).all()


def _delete(connection: Connection, keys: Sequence[int], user: int) -> None:
    """Delete a slot's reports, answers and flags. What was deleted before keeps its moment."""
    reports = schema.reports
    of_slot = (reports.c.community.in_(keys), reports.c.user == user, reports.c.deleted_at.is_(None))
    connection.execute(update(reports).where(*of_slot).values(**_GONE, deleted_at=datetime.now(UTC)))
    for other in (schema.flags, schema.answers):
        connection.execute(delete(other).where(other.c.community.in_(keys), other.c.user == user))
