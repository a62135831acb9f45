"""Which slots hold a report, by epoch, and how reports leave for good.

A client that was told 201 asks for the epochs that are held for its slot, and sends its kept bytes again where a
restore lost them. A deleted report counts as held: its slot takes no other, so there is nothing to send.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime

from sqlalchemy import Engine, Table, delete, func, select, update

from graphldp.collector.storage import schema
from graphldp.collector.storage.communities import lock, to_community
from graphldp.collector.storage.database import scrub, transaction
from graphldp.collector.storage.second_round import asked_slots
from graphldp.errors import bad_parameter


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
    """What is held, and what is no more.

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
        reports, table, flags = schema.reports, schema.communities, schema.flags
        with transaction(self.engine, writes=True) as connection:
            lock(connection, id)
            query = (
                select(table.c.key, table.c.epoch, reports.c.deleted_at)
                .join(reports, reports.c.community == table.c.key)
                .where(table.c.id == id, reports.c.user == user)
                .order_by(table.c.epoch)
            )
            rows = [row for row in connection.execute(query) if epoch in (None, row.epoch)]
            if not rows:
                raise bad_parameter("user", "delete-report", "a slot that holds a report", user)
            present = [row for row in rows if row.deleted_at is None]
            keys = [row.key for row in present]
            gone = {"body": None, "noisy_degree": None, "deleted_at": datetime.now(UTC)}
            connection.execute(
                update(reports).where(reports.c.community.in_(keys), reports.c.user == user).values(**gone)
            )
            for other in (flags, schema.answers):
                connection.execute(delete(other).where(other.c.community.in_(keys), other.c.user == user))
        scrub(self.engine)
        return [row.epoch for row in present]
