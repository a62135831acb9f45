"""Deleting reports when their time is up, as members were promised.

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

from sqlalchemy import Connection, Engine, delete, func, or_, select, update

from graphldp.collector.storage import schema
from graphldp.collector.storage.clock import Clock
from graphldp.collector.storage.database import transaction


@dataclass(frozen=True)
class BeforeReading:
    """What was gone already when somebody began to read reports.

    Args:
        swept_on: when reports that were due had been deleted last.
        deleted: how many reports were deleted by then, of each community that promises to drop models.
    """

    swept_on: date | None
    deleted: Mapping[int, int]


class Retention:
    """What is kept for a time.

    Args:
        engine: a migrated database.
        clock: the store's.
    """

    def __init__(self, engine: Engine, clock: Clock) -> None:
        self.engine, self.clock = engine, clock

    def sweep(self) -> int:
        """Delete what is due, once a day by the time that is believed; gives how many reports that were.

        Their bytes leave the database's files when :meth:`.holdings.Holdings.erase` is called next.
        """
        now = self.clock.tick()
        with transaction(self.engine, writes=True) as connection:
            swept = connection.execute(select(schema.clock.c.swept_on).with_for_update()).scalar_one()
            if swept is not None and swept >= now.date():
                return 0
            table = schema.communities
            query = select(table.c.key, table.c.opened_at, table.c.retention_days, table.c.keeps_models)
            gone = 0
            for row in connection.execute(query.where(table.c.retention_days.is_not(None))).all():
                if not self.clock.doubted:
                    _date_again(connection, row.key, now.date())
                due = _delete_before(connection, row.key, now.date() - timedelta(days=row.retention_days), now)
                if due and not row.keeps_models:
                    _withdraw_models(connection, row.key, row.opened_at, now)
                gone += due
            connection.execute(update(schema.clock).values(swept_on=now.date()))
        return gone

    def before(self, keys: Sequence[int]) -> BeforeReading:
        """What is gone of some communities, for whoever is about to read their reports."""
        self.clock.tick()  # makes the row that swept_since locks
        table = schema.communities
        promised = table.c.retention_days.is_not(None) & table.c.keeps_models.is_(False)
        with transaction(self.engine, snapshot=True) as connection:
            swept = connection.execute(select(schema.clock.c.swept_on)).scalar_one()
            dropping = set(connection.execute(select(table.c.key).where(promised)).scalars()) & set(keys)
            return BeforeReading(swept, _deleted(connection, dropping))


def swept_since(connection: Connection, before: BeforeReading) -> set[int]:
    """Communities that promise to drop models, and lost reports to a sweep since; no sweep begins before this ends.

    Args:
        connection: of a writing transaction.
        before: what was gone before the reports were read.
    """
    query = select(schema.clock.c.swept_on).with_for_update(read=True)  # a sweep waits for it, and sees what was kept
    if connection.execute(query).scalar_one() == before.swept_on:
        return set()
    now = _deleted(connection, before.deleted)
    return {key for key, deleted in now.items() if deleted > before.deleted[key]}


def _deleted(connection: Connection, keys: Iterable[int]) -> dict[int, int]:
    reports = schema.reports
    query = select(reports.c.community, func.count()).where(reports.c.deleted_at.is_not(None))
    found = {row[0]: row[1] for row in connection.execute(query.group_by(reports.c.community))}
    return {key: found.get(key, 0) for key in keys}


def _date_again(connection: Connection, key: int, today: date) -> None:
    """Date reports from the future as of today: a clock was ahead when they came, and they would be kept too long."""
    reports = schema.reports
    early = (reports.c.community == key, reports.c.received_on > today, reports.c.deleted_at.is_(None))
    connection.execute(update(reports).where(*early).values(received_on=today))


def _delete_before(connection: Connection, key: int, first: date, now: datetime) -> int:
    """Delete the reports of a community that came before a day, and what else speaks of their users."""
    reports = schema.reports
    due = (reports.c.community == key, reports.c.received_on < first, reports.c.deleted_at.is_(None))
    users = select(reports.c.user).where(*due)
    for other in (schema.flags, schema.answers):
        connection.execute(delete(other).where(other.c.community == key, other.c.user.in_(users)))
    values = {"body": None, "noisy_degree": None, "deleted_at": now}
    return connection.execute(update(reports).where(*due).values(**values)).rowcount


def _withdraw_models(connection: Connection, key: int, opened_at: datetime, now: datetime) -> None:
    """Withdraw the models that learned from a community; delete the labels they gave, and every label of the community.

    A training that did not keep what it learned from, and ended since the community opened, counts too.
    """
    runs, predictions = schema.runs, schema.predictions
    query = select(runs.c.key, runs.c.model, runs.c.learned_from).where(
        runs.c.withdrawn_at.is_(None), runs.c.finished_at >= opened_at
    )
    taught = [row for row in connection.execute(query) if row.learned_from is None or key in row.learned_from]
    connection.execute(update(runs).where(runs.c.key.in_([row.key for row in taught])).values(withdrawn_at=now))
    models = {row.model for row in taught}
    connection.execute(delete(predictions).where(or_(predictions.c.community == key, predictions.c.model.in_(models))))
