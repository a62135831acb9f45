"""Deletion of reports when their time is up, as members were promised.

A community that promises ``retention_days`` keeps a report for so many days after the day on which it came, and deletes
it within a day after that, with its user's answer to a second question and her flag. If the community promises that
models go too, the first deletion also removes its label and withdraws the models that learned from it: the collector
no longer uses them, and the labels that they gave to other communities are deleted.

A training takes minutes, and reports may be deleted meanwhile. So code that learns from reports calls
:meth:`Retention.before` reading them, and :func:`swept_since` in the transaction that keeps what was learned.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Connection, delete, func, or_, select, tuple_, update

from graphldp.collector.storage import counters, schema
from graphldp.collector.storage.clock import TimedPart
from graphldp.collector.storage.database import transaction
from graphldp.errors import ParameterError

GONE: dict[str, Any] = {"body": None, "noisy_degree": None}
"""What stays of a report that was deleted: its slot and its days."""


@dataclass(frozen=True)
class BeforeReading:
    """The state before somebody began to read reports: what was gone already."""

    swept_on: date | None
    deleted: Mapping[int, int]
    restores: int


class Retention(TimedPart):
    """Reports that are kept for a time."""

    def sweep(self) -> int:
        """Delete what is due, once a day by the time that is believed; gives how many reports that were.

        Their bytes leave the database's files when :meth:`.holdings.Holdings.erase` is called next.
        """
        now = self.clock.tick()
        with transaction(self.engine, writes=True) as connection:
            swept = connection.execute(select(schema.clock.c.swept_on).with_for_update()).scalar_one()
            if swept is not None and swept >= now.date():
                return 0
            gone = delete_due(connection, now, doubted=self.clock.doubted)
            connection.execute(update(schema.clock).values(swept_on=now.date()))
        return gone

    def before(self, keys: Sequence[int]) -> BeforeReading:
        """The state of what is gone of some communities, for whoever is about to read their reports."""
        self.clock.tick()  # makes the row that swept_since locks
        table = schema.communities
        with transaction(self.engine, snapshot=True) as connection:
            swept = connection.execute(select(schema.clock.c.swept_on)).scalar_one()
            promised = connection.execute(select(table.c.key).where(table.c.keeps_models.is_(False))).scalars()
            deleted = _deleted(connection, set(promised) & set(keys))
            return BeforeReading(swept, deleted, counters.last(connection, counters.RESTORES))


def delete_due(connection: Connection, now: datetime, *, doubted: bool) -> int:
    """Delete the reports that are due, and what was promised to go with them; gives how many reports that were.

    Where this machine's clock is ``doubted``, reports that seem to come from the future are left alone.
    """
    table, gone = schema.communities, 0
    query = select(table.c.key, table.c.retention_days, table.c.keeps_models)
    for row in connection.execute(query.where(table.c.retention_days.is_not(None))).all():
        if not doubted:
            _date_again(connection, row.key, now.date())
        first, reports = now.date() - timedelta(days=row.retention_days), schema.reports
        came_before = (reports.c.community == row.key, reports.c.received_on < first)
        due = delete_reports(connection, *came_before, today=now.date())
        if due and not row.keeps_models:
            withdraw_models(connection, row.key, now)
        gone += due
    return gone


def swept_since(connection: Connection, before: BeforeReading) -> set[int]:
    """Communities that promise to drop models, and lost reports to a sweep since or are gone.

    No sweep begins before the writing transaction ends, and no such community is deleted.

    Raises:
        ParameterError: where the database was restored since.
    """
    query = select(schema.clock.c.swept_on).with_for_update(read=True)  # a sweep waits for it, and sees what was kept
    swept = connection.execute(query).scalar_one()
    if counters.last(connection, counters.RESTORES) != before.restores:
        raise ParameterError("The database was restored meanwhile. Nothing that was learned was kept. Begin anew.")
    table = schema.communities
    there = connection.execute(select(table.c.key).where(table.c.key.in_(before.deleted))).scalars()
    gone = before.deleted.keys() - set(there)
    if swept == before.swept_on:
        return gone
    now = _deleted(connection, before.deleted)
    return gone | {key for key, deleted in now.items() if deleted > before.deleted[key]}


def _deleted(connection: Connection, keys: Iterable[int]) -> dict[int, int]:
    reports = schema.reports
    query = select(reports.c.community, func.count()).where(reports.c.deleted_on.is_not(None))
    found = {row[0]: row[1] for row in connection.execute(query.group_by(reports.c.community))}
    return {key: found.get(key, 0) for key in keys}


def _date_again(connection: Connection, key: int, today: date) -> None:
    """Date reports from the future as of today: a clock was ahead when they came, and they would be kept too long."""
    reports = schema.reports
    early = (reports.c.community == key, reports.c.received_on > today, reports.c.deleted_on.is_(None))
    connection.execute(update(reports).where(*early).values(received_on=today))


def delete_reports(connection: Connection, *these: ColumnElement[bool], today: date) -> int:
    """Delete some reports, and the answers and flags of their users; gives how many reports were there until now."""
    reports = schema.reports
    there = (*these, reports.c.deleted_on.is_(None))
    slots = select(reports.c.community, reports.c.user).where(*there)
    for other in (schema.flags, schema.answers):
        connection.execute(delete(other).where(tuple_(other.c.community, other.c.user).in_(slots)))
    return connection.execute(update(reports).where(*there).values(**GONE, deleted_on=today)).rowcount


def withdraw_models(connection: Connection, key: int, now: datetime) -> None:
    """Withdraw the models that learned from a community; delete the labels they gave, and every label of the community.

    A training that did not keep what it learned from, and ended since the community opened, counts too.
    """
    runs, predictions, table = schema.runs, schema.predictions, schema.communities
    opened_at = select(table.c.opened_at).where(table.c.key == key).scalar_subquery()
    query = select(runs.c.key, runs.c.model, runs.c.learned_from).where(
        runs.c.withdrawn_at.is_(None), runs.c.finished_at >= opened_at
    )
    taught = [row for row in connection.execute(query) if row.learned_from is None or key in row.learned_from]
    connection.execute(update(runs).where(runs.c.key.in_([row.key for row in taught])).values(withdrawn_at=now))
    models = {row.model for row in taught}
    connection.execute(delete(predictions).where(or_(predictions.c.community == key, predictions.c.model.in_(models))))
