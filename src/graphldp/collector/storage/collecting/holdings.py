"""The slots that hold a report, by epoch, and the deletion of reports for good.

A client that was told 201 asks for the epochs that are held for its slot, and sends its kept bytes again where a
restore lost them. A deleted report counts as held: its slot takes no other, so there is nothing to send.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Table, func, select, tuple_, update

from graphldp.collector.storage import schema
from graphldp.collector.storage.collecting.communities import keep_deletion, lock, to_community
from graphldp.collector.storage.collecting.retention import GONE, delete_reports
from graphldp.collector.storage.collecting.second_round import asked_slots
from graphldp.collector.storage.database import StorePart, portions, transaction, upsert
from graphldp.collector.storage.scrubbing import scrub
from graphldp.errors import bad_parameter

WITH_REPORTS = ("reports", "answers", "flags", "predictions")
"""The tables from which something is deleted when a report is: labels go with the models that learned from it."""

_LOST = 10  # epochs that a restore may have taken away; a thief of a token could close a slot for good otherwise


@dataclass(frozen=True)
class Holding:
    """The slots of one epoch that have a token, a report, a deleted report, a second question, and its answer."""

    epoch: int
    invited: list[int]
    held: list[int]
    deleted: list[int]
    asked: list[int] = field(default_factory=list)
    answered: list[int] = field(default_factory=list)


class Holdings(StorePart):
    """The reports that are held, and those that were deleted."""

    def epochs(self, id: str, user: int, of: Table = schema.reports) -> list[int]:
        """The epochs in which a slot has had its report or, with the table of answers, has its answer."""
        table = schema.communities
        query = (
            select(table.c.epoch)
            .join(of, of.c.community == table.c.key)
            .where(table.c.id == id, of.c.user == user)
            .order_by(table.c.epoch)
        )
        return [row.epoch for row in self.rows(query)]

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
                taken = select(reports.c.user, reports.c.deleted_on).where(reports.c.community == key).order_by("user")
                states = connection.execute(taken).all()
                held, deleted = (
                    [row.user for row in states if (row.deleted_on is None) == here] for here in (True, False)
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
            present = [row for row in rows if row.deleted_on is None]
            keys = [row.key for row in present]
            delete_reports(connection, *_of_slot(keys, user), today=datetime.now(UTC).date())
        self._erase(self._unerased())
        return [row.epoch for row in present]

    def withdraw(self, id: str, user: int, epoch: int | None = None) -> None:
        """Delete what a slot has sent up to an epoch, and take no report of that epoch from it any more.

        The slot is marked also where it is empty, in every such epoch: a report may be on its way, and whoever carries
        it must not be able to bring it later, after a restore of an older epoch either. The bytes leave the database's
        files with the next :meth:`erase`, since to write a table anew for each user who withdraws would keep all others
        waiting. An epoch that is later than the one that is meant, by default the community's own, is left alone: a
        request that is repeated after it opened does not take its slot. Epochs that are meant and not there were taken
        away by a restore, and take no report once they are opened again.
        """
        table, reports = schema.communities, schema.reports
        with transaction(self.engine, writes=True) as connection:
            here = lock(connection, id)  # an operator may be about to delete the community
            last = here.epoch if epoch is None else epoch
            for lost in range(here.epoch + 1, min(last, here.epoch + _LOST) + 1):
                keep_deletion(connection, (id, lost, user), here.roster_digest, datetime.now(UTC).date())
            query, today = select(table.c.key).where(table.c.id == id, table.c.epoch <= last), datetime.now(UTC).date()
            keys = connection.execute(query).scalars().all()
            delete_reports(connection, *_of_slot(keys, user), today=today)
            # one statement: a report that another server stores at this moment is deleted too
            taken = upsert(connection, reports).values(user=user, received_on=today, deleted_on=today)
            connection.execute(
                taken.on_conflict_do_update(
                    index_elements=[reports.c.community, reports.c.user],
                    set_=GONE | {"deleted_on": func.coalesce(reports.c.deleted_on, today)},
                ),
                [{"community": key} for key in keys],
            )

    def erase(self) -> bool:
        """Take deleted reports out of the database's files, where some may still be there."""
        waiting = self._unerased()
        if waiting:
            self._erase(waiting)
        return bool(waiting)

    def _unerased(self) -> list[tuple[int, int]]:
        table = schema.reports
        query = select(table.c.community, table.c.user).where(
            table.c.deleted_on.is_not(None), table.c.erased_on.is_(None)
        )
        return [(row.community, row.user) for row in self.rows(query)]

    def _erase(self, slots: Sequence[tuple[int, int]]) -> None:
        """Take what was deleted out of the files, and note it for the slots that were deleted before this began."""
        scrub(self.engine, *WITH_REPORTS)
        table, today = schema.reports, datetime.now(UTC).date()
        with transaction(self.engine, writes=True) as connection:
            for some in portions(slots):
                these = tuple_(table.c.community, table.c.user).in_(some)
                connection.execute(update(table).where(these).values(erased_on=today))


def _rows(connection: Connection, id: str, user: int) -> Sequence[Row[Any, Any, Any]]:
    """The rows of a slot's reports, epoch by epoch."""
    reports, table = schema.reports, schema.communities
    query = select(table.c.key, table.c.epoch, reports.c.deleted_on).join(reports, reports.c.community == table.c.key)
    return connection.execute(query.where(table.c.id == id, reports.c.user == user).order_by(table.c.epoch)).all()


def _of_slot(keys: Sequence[int], user: int) -> tuple[ColumnElement[bool], ColumnElement[bool]]:
    """The condition of a slot's reports in some epochs."""
    return schema.reports.c.community.in_(keys), schema.reports.c.user == user
