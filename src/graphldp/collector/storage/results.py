"""What training leaves in the store for the dashboard: runs, labels with their confidence, flagged users."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, Engine, delete, func, insert, select

from graphldp.collector.storage import schema
from graphldp.collector.storage.database import transaction
from graphldp.intervals import share_bounds

_MANY = 1000  # labels in one statement


@dataclass(frozen=True)
class Run:
    """A finished training.

    Args:
        model: the file that holds what was learned.
        communities: how many it was trained on.
        users: how many users they have.
        reported: how many of these had reported.
        validation: accuracy on communities held out, where some were.
        settings: what it was run with.
        held_out: how many communities these were; None in runs from before that was kept.
        learned_from: the keys of the communities; None in runs from before that was kept.
        withdrawn_at: since when it is used no more, as the members of one of them were promised.
        finished_at: when it ended.
        key: its number in the store.
    """

    model: str
    communities: int
    users: int
    reported: int
    validation: float | None
    settings: Mapping[str, Any]
    held_out: int | None = None
    learned_from: Sequence[int] | None = None
    withdrawn_at: datetime | None = None
    finished_at: datetime | None = None
    key: int = -1

    @property
    def interval(self) -> tuple[float, float] | None:
        """Where the accuracy may lie, at 95 %, by how many communities it was counted on."""
        if self.validation is None or self.held_out is None:
            return None
        low, high = share_bounds(round(self.validation * self.held_out), self.held_out)
        return float(low), float(high)


@dataclass(frozen=True)
class Prediction:
    """A label for a community.

    Args:
        community: its key.
        label: the predicted class.
        confidence: the probability that the model gives it, calibrated.
        reported: how many of the community's users had reported by then.
        model: the file of the model.
        labelled_at: when.
        certified: how many users cannot change it, whatever they send; None where the model promises nothing.
    """

    community: int
    label: int
    confidence: float
    reported: int
    model: str
    labelled_at: datetime | None = None
    certified: int | None = None


class Results:
    """Runs, labels and flags.

    Args:
        engine: a migrated database.
    """

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    def add_run(self, run: Run) -> None:
        """Keep a finished training."""
        row = {
            "model": run.model,
            "communities": run.communities,
            "users": run.users,
            "reported": run.reported,
            "validation": run.validation,
            "settings": dict(run.settings),
            "held_out": run.held_out,
            "learned_from": None if run.learned_from is None else list(run.learned_from),
            "finished_at": datetime.now(UTC),
        }
        with transaction(self.engine, writes=True) as connection:
            connection.execute(insert(schema.runs).values(**row))

    def runs(self) -> list[Run]:
        """All trainings, the latest first."""
        with transaction(self.engine) as connection:
            rows = connection.execute(select(schema.runs).order_by(schema.runs.c.key.desc()))
            return [Run(**row._mapping) for row in rows]

    def withdrawn(self, model: str) -> bool:
        """Whether a model is used no more: the last training that wrote it learned from reports that are gone."""
        query = select(schema.runs.c.withdrawn_at).where(schema.runs.c.model == model)
        with transaction(self.engine) as connection:
            row = connection.execute(query.order_by(schema.runs.c.key.desc()).limit(1)).one_or_none()
        return row is not None and row.withdrawn_at is not None

    def set_predictions(self, predictions: Sequence[Prediction]) -> None:
        """Keep labels, each in place of the community's earlier one. One that was deleted meanwhile gets none."""
        table, now = schema.predictions, datetime.now(UTC)
        rows: list[dict[str, Any]] = [
            {
                "community": each.community,
                "label": each.label,
                "confidence": each.confidence,
                "reported": each.reported,
                "model": each.model,
                "labelled_at": now,
                "certified": each.certified,
            }
            for each in predictions
        ]
        with transaction(self.engine, writes=True) as connection:
            for some in (rows[first : first + _MANY] for first in range(0, len(rows), _MANY)):
                there = _there(connection, [row["community"] for row in some])
                connection.execute(delete(table).where(table.c.community.in_(there)))
                if there:
                    connection.execute(insert(table), [row for row in some if row["community"] in there])

    def predictions(self, keys: Sequence[int] | None = None) -> dict[int, Prediction]:
        """The latest label of each community that has one.

        Args:
            keys: of these communities; of all by default.
        """
        table = schema.predictions
        query = select(table) if keys is None else select(table).where(table.c.community.in_(keys))
        with transaction(self.engine) as connection:
            rows = connection.execute(query)
            return {row.community: Prediction(**row._mapping) for row in rows}

    def set_flags(self, community: int, reasons: Mapping[int, str]) -> None:
        """Flag users of a community, in place of those flagged before.

        Args:
            community: its key.
            reasons: why, by slot.
        """
        table, now = schema.flags, datetime.now(UTC)
        rows = [
            {"community": community, "user": user, "reason": reason, "flagged_at": now}
            for user, reason in sorted(reasons.items())
        ]
        with transaction(self.engine, writes=True) as connection:
            connection.execute(delete(table).where(table.c.community == community))
            if rows and _there(connection, [community]):
                connection.execute(insert(table), rows)

    def flags(self, community: int) -> dict[int, str]:
        """Who is flagged in a community, and why."""
        table = schema.flags
        query = select(table.c.user, table.c.reason).where(table.c.community == community).order_by(table.c.user)
        with transaction(self.engine) as connection:
            return {row.user: row.reason for row in connection.execute(query)}

    def flag_counts(self, keys: Sequence[int] | None = None) -> dict[int, int]:
        """How many users are flagged, by community."""
        table = schema.flags
        query = select(table.c.community, func.count()).group_by(table.c.community)
        query = query if keys is None else query.where(table.c.community.in_(keys))
        with transaction(self.engine) as connection:
            rows = connection.execute(query)
            return {row[0]: row[1] for row in rows}


def _there(connection: Connection, keys: Sequence[int]) -> set[int]:
    """Which communities are still there, and stay until this transaction ends: training takes long."""
    table = schema.communities
    query = select(table.c.key).where(table.c.key.in_(keys)).with_for_update(read=True)
    return set(connection.execute(query).scalars())
