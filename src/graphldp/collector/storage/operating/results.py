"""Results of training, for the dashboard: runs, labels with their confidence, flagged users."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, delete, func, insert, select

from graphldp.collector.storage import schema
from graphldp.collector.storage.collecting.retention import BeforeReading, swept_since
from graphldp.collector.storage.counters import next_key
from graphldp.collector.storage.database import StorePart, portions, transaction
from graphldp.errors import ParameterError
from graphldp.intervals import share_bounds


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
        withdrawn_at: when it was withdrawn, because a community's members were promised so.
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


class Results(StorePart):
    """Runs, labels and flags."""

    def add_run(self, run: Run, before: BeforeReading | None = None) -> None:
        """Keep a finished training; ``before`` says what was gone when it began to read.

        Raises:
            ParameterError: where reports that it learned from were deleted meanwhile, and no model is to be kept.
        """
        with transaction(self.engine, writes=True) as connection:
            if before is not None and swept_since(connection, before):
                raise ParameterError(
                    "While it learned, reports or a community were deleted, and members were promised that no model of "
                    "them is kept. Nothing of it was kept. Train again."
                )
            row = vars(run) | {"finished_at": datetime.now(UTC), "settings": dict(run.settings)}
            row["learned_from"] = None if run.learned_from is None else list(run.learned_from)
            connection.execute(insert(schema.runs).values(row | {"key": next_key(connection, schema.runs)}))

    def runs(self) -> list[Run]:
        """All trainings, the latest first."""
        return [Run(**row._mapping) for row in self.rows(select(schema.runs).order_by(schema.runs.c.key.desc()))]

    def withdrawn(self, model: str) -> bool:
        """Whether a model was withdrawn: the last training that wrote it learned from reports that are gone."""
        with transaction(self.engine) as connection:
            return is_withdrawn(connection, model)

    def set_predictions(
        self, predictions: Sequence[Prediction], before: BeforeReading | None = None
    ) -> Sequence[Prediction]:
        """Keep labels, each in place of the community's earlier one; gives those that are kept.

        A community that was deleted meanwhile gets none. Nor does one of which reports were due meanwhile, where
        nothing that was learned from them is to be kept; ``before`` says what was gone when they were read.
        """
        table, now = schema.predictions, datetime.now(UTC)
        rows: list[dict[str, Any]] = [vars(each) | {"labelled_at": now} for each in predictions]
        kept: set[int] = set()
        with transaction(self.engine, writes=True) as connection:
            if before is not None:
                swept = swept_since(connection, before)
                rows = [row for row in rows if row["community"] not in swept]
                for model in {row["model"] for row in rows}:
                    if is_withdrawn(connection, model):
                        raise used_no_more(model)
            for some in portions(rows):
                there = _there(connection, [row["community"] for row in some])
                connection.execute(delete(table).where(table.c.community.in_(there)))
                if there:
                    connection.execute(insert(table), [row for row in some if row["community"] in there])
                kept |= there
        return [each for each in predictions if each.community in kept]

    def predictions(self, keys: Sequence[int] | None = None) -> dict[int, Prediction]:
        """The latest label of each community that has one: of some, by their keys, or of all."""
        table = schema.predictions
        query = select(table) if keys is None else select(table).where(table.c.community.in_(keys))
        return {row.community: Prediction(**row._mapping) for row in self.rows(query)}

    def set_flags(self, community: int, reasons: Mapping[int, str]) -> None:
        """Flag users of a community for reasons by slot, in place of those flagged before.

        Nobody is flagged whose report was deleted meanwhile.
        """
        table, reports, now = schema.flags, schema.reports, datetime.now(UTC)
        of_them = (reports.c.community == community, reports.c.user.in_(list(reasons)))
        query = select(reports.c.user, reports.c.deleted_on).where(*of_them)
        with transaction(self.engine, writes=True) as connection:
            # locked: whoever deletes one now waits, and deletes the flag too
            found = connection.execute(query.with_for_update(read=True)).all()
            gone = {row.user for row in found if row.deleted_on is not None}
            rows = [
                {"community": community, "user": user, "reason": reason, "flagged_at": now}
                for user, reason in sorted(reasons.items())
                if user not in gone
            ]
            connection.execute(delete(table).where(table.c.community == community))
            if rows and _there(connection, [community]):
                connection.execute(insert(table), rows)

    def flags(self, community: int) -> dict[int, str]:
        """The flagged users of a community, and why."""
        table = schema.flags
        query = select(table.c.user, table.c.reason).where(table.c.community == community).order_by(table.c.user)
        return {row.user: row.reason for row in self.rows(query)}

    def flag_counts(self, keys: Sequence[int] | None = None) -> dict[int, int]:
        """How many users are flagged, by community."""
        table = schema.flags
        query = select(table.c.community, func.count()).group_by(table.c.community)
        query = query if keys is None else query.where(table.c.community.in_(keys))
        return {row[0]: row[1] for row in self.rows(query)}


def used_no_more(model: str) -> ParameterError:
    """The error of a model that was withdrawn."""
    return ParameterError(
        f"{model} learned from reports that had to go, and their members were promised that it is used no more. "
        "Delete it, and train anew."
    )


def is_withdrawn(connection: Connection, model: str) -> bool:
    """Whether a model was withdrawn, looked up inside a transaction."""
    query = select(schema.runs.c.withdrawn_at).where(schema.runs.c.model == model)
    row = connection.execute(query.order_by(schema.runs.c.key.desc()).limit(1)).one_or_none()
    return row is not None and row.withdrawn_at is not None


def _there(connection: Connection, keys: Sequence[int]) -> set[int]:
    """The communities that are still there, and stay until this transaction ends: training takes long."""
    table = schema.communities
    query = select(table.c.key).where(table.c.key.in_(keys)).with_for_update(read=True)
    return set(connection.execute(query).scalars())
