"""The restore of a backup: its rows take the place of a database's own, in one transaction, all of them or none.

What members were promised outlives it, as far as the database knows of it: a report or a community that was deleted
since the backup stays deleted, in epochs too that the backup does not know; so do the flags of such users, and the
models and labels that had to go with reports. A question that was asked since stays asked. Trainings that ended since
stay known, since their models are still there and may have to go one day. What is due by now is deleted at once.

Logins and jobs end. The keys that open sealed reports and the log of what operators did stay the database's own, and
the log goes on where it can. So does who is an operator, unless the backup knows all that the log does: a key that was
rotated or taken away since opens nothing. No number is given twice.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import UTC, date, datetime
from typing import Any, NamedTuple

from sqlalchemy import Connection, Engine, Row, Table, case, delete, func, insert, select, text, union_all, update

from graphldp.collector.roles import Actor, Role
from graphldp.collector.storage import counters, schema
from graphldp.collector.storage.collecting.communities import keep_deletion
from graphldp.collector.storage.collecting.holdings import WITH_REPORTS
from graphldp.collector.storage.collecting.removals import Removals, remove
from graphldp.collector.storage.collecting.retention import GONE, delete_due
from graphldp.collector.storage.copies.backup import COPIED, copy_rows
from graphldp.collector.storage.database import take_time, transaction
from graphldp.collector.storage.operating.audit_log import append, carry_on, goes_on, last_entry
from graphldp.collector.storage.operating.results import is_withdrawn
from graphldp.collector.storage.scrubbing import scrub
from graphldp.collector.storage.usage_lock import alone

_STAY = (schema.audit_log, schema.clock)  # in a database that has them
_STAFF = (schema.operators, schema.sign_in_rules)
_ASKED = ("question", "question_digest", "asked_at", "busy_from", "listed")
_SAME = ("id", "epoch", "roster_digest")  # of the same people: another collector's community may have this id
_Epoch = tuple[str, int]


class _Deleted(NamedTuple):
    """A report that is gone: of which slot, since when."""

    id: str
    epoch: int
    user: int
    roster_digest: str
    received_on: date
    deleted_on: date


class _Known(NamedTuple):
    """The facts of a database that have to outlive a restore."""

    gone: Sequence[_Deleted]
    frozen: Sequence[Row[Any]]
    removed: Sequence[Row[Any]]
    epochs: dict[int, _Epoch]
    dropping: set[int]  # the keys of communities that promise to drop models
    runs: Sequence[Row[Any]]
    counted: dict[str, int]


def restore(backup: Engine, engine: Engine, actor: Actor) -> None:
    """Put a backup's rows in place of a database's own."""
    actor.need(Role.ADMINISTRATOR)
    with transaction(backup) as source, transaction(engine, writes=True) as target, alone(target):
        take_time(target)
        if engine.dialect.name == "postgresql":
            target.execute(text("LOCK TABLE clock, communities, slots, reports, answers IN ACCESS EXCLUSIVE MODE"))
        known = _read(target)
        _replace(source, target, _STAY if goes_on(source, target) else (*_STAY, *_STAFF))
        told = "begun" if carry_on(source, target) else "other log"
        append(target, actor, "restore", f"a backup up to entry {last_entry(source)}", told)
        _remove_again(target, known.removed)
        now = target.execute(select(schema.clock.c.believed)).scalar()
        if now is not None:  # before deletions are made again: the models that learned go with what is due
            delete_due(target, now, doubted=True)
        _delete_again(target, known.gone)
        _ask_again(target, known.frozen)
        _keep_runs(target, known)
        for name, last in known.counted.items():
            counters.raise_to(target, name, last)
        counters.count(target, counters.RESTORES)
    scrub(engine, *WITH_REPORTS)
    Removals(engine).erase()


def _read(target: Connection) -> _Known:
    table, counted = schema.communities, schema.counters
    asked = select(*(table.c[name] for name in (*_SAME, *_ASKED))).where(table.c.asked_at.is_not(None))
    dropping = target.execute(select(table.c.key).where(table.c.keeps_models.is_(False)))
    return _Known(
        gone=_deletions(target),
        frozen=target.execute(asked).all(),
        removed=target.execute(select(schema.gone)).all(),
        epochs=_epochs(target),
        dropping=set(dropping.scalars()),
        runs=_runs(target),
        counted={row.name: row.last for row in target.execute(select(counted))},
    )


def _replace(source: Connection, target: Connection, stay: Collection[Table]) -> None:
    for table in reversed(schema.metadata.sorted_tables):
        if table not in (schema.sealing_keys, *stay):
            target.execute(table.delete())
    for table in COPIED:
        if table not in stay:
            copy_rows(source, target, table)
    if not target.execute(select(schema.clock.c.key)).all():  # what time it is does not go back either
        copy_rows(source, target, schema.clock)


def _deletions(connection: Connection) -> Sequence[_Deleted]:
    table, reports, dead = schema.communities, schema.reports, schema.tombstones
    query = (
        select(
            *(table.c.id, table.c.epoch, reports.c.user, table.c.roster_digest),
            *(reports.c.received_on, reports.c.deleted_on),
        )
        .join(reports, reports.c.community == table.c.key)
        .where(reports.c.deleted_on.is_not(None))
    )
    kept = select(dead.c.id, dead.c.epoch, dead.c.user, dead.c.roster_digest, dead.c.deleted_on, dead.c.deleted_on)
    return [_Deleted(*row) for row in connection.execute(union_all(query, kept))]


def _delete_again(connection: Connection, gone: Sequence[_Deleted]) -> None:
    """Delete what was deleted since the backup. A slot that the backup saw empty stays taken as well."""
    reports, table = schema.reports, schema.communities
    rows = connection.execute(select(*(table.c[name] for name in (*_SAME, "key")))).all()
    keys = {(row.id, row.epoch): row.key for row in rows}
    people = {(row.id, row.roster_digest) for row in rows}  # a deletion may name them by an epoch before its own
    removed = set(connection.execute(select(schema.gone.c.id)).scalars())
    for each in gone:
        key = keys.get((each.id, each.epoch)) if (each.id, each.roster_digest) in people else None
        if key is None:
            if each.id not in removed:
                keep_deletion(connection, (each.id, each.epoch, each.user), each.roster_digest, each.deleted_on)
            continue
        values = GONE | {"deleted_on": each.deleted_on}
        slot = (reports.c.community == key, reports.c.user == each.user)
        erased = case((reports.c.body.is_(None), reports.c.erased_on))  # else the backup brought its bytes back
        if not connection.execute(update(reports).where(*slot).values(**values, erased_on=erased)).rowcount:
            row = {"community": key, "user": each.user, "received_on": each.received_on}
            connection.execute(insert(reports).values(**row, **values))
        for other in (schema.answers, schema.flags):
            connection.execute(delete(other).where(other.c.community == key, other.c.user == each.user))


def _remove_again(connection: Connection, removed: Sequence[Row[Any]]) -> None:
    """Delete communities that were deleted since the backup. Bytes that came back with it are erased anew."""
    table, gone = schema.communities, schema.gone
    for each in removed:
        back = connection.execute(select(table.c.key).where(table.c.id == each.id)).scalars().all()
        remove(connection, each.id, back)
        connection.execute(delete(gone).where(gone.c.id == each.id))
        connection.execute(insert(gone).values(**dict(each._mapping) | ({"erased_at": None} if back else {})))


def _ask_again(connection: Connection, frozen: Sequence[Row[Any]]) -> None:
    """Keep what was asked since the backup: hubs have answered it, and answer no other question."""
    table = schema.communities
    for each in frozen:
        values = {name: getattr(each, name) for name in _ASKED}
        same = (table.c[name] == getattr(each, name) for name in _SAME)
        connection.execute(update(table).where(*same, table.c.asked_at.is_(None)).values(**values))


def _runs(connection: Connection) -> Sequence[Row[Any]]:
    return connection.execute(select(schema.runs).order_by(schema.runs.c.key)).all()


def _epochs(connection: Connection) -> dict[int, _Epoch]:
    """The epochs of communities, by key."""
    table = schema.communities
    rows = connection.execute(select(table.c.key, table.c.id, table.c.epoch))
    return {row.key: (row.id, row.epoch) for row in rows}


def _keep_runs(connection: Connection, known: _Known) -> None:
    """Keep the trainings that the backup does not know, and what was withdrawn; drop the labels of such models."""
    table, predictions, now = schema.runs, schema.predictions, datetime.now(UTC)
    keys = {epoch: key for key, epoch in _epochs(connection).items()}
    there = {(run.finished_at, run.model): run.key for run in _runs(connection)}
    for run in known.runs:
        learned, withdrawn_at = run.learned_from, run.withdrawn_at
        if learned is not None:
            lost = {key for key in learned if known.epochs.get(key) not in keys}
            if lost & known.dropping:  # nobody would remember the promise
                withdrawn_at = withdrawn_at or now
            learned = [keys[known.epochs[key]] for key in learned if key not in lost]
        same = there.get((run.finished_at, run.model))
        if same is not None:
            withdrawn = func.coalesce(withdrawn_at, table.c.withdrawn_at)
            connection.execute(update(table).where(table.c.key == same).values(withdrawn_at=withdrawn))
            continue
        key = counters.next_key(connection, table) if run.key in there.values() else run.key
        row = dict(run._mapping) | {"key": key, "learned_from": learned, "withdrawn_at": withdrawn_at}
        connection.execute(insert(table).values(**row))
    for model in connection.execute(select(predictions.c.model).distinct()).scalars().all():
        if is_withdrawn(connection, model):
            connection.execute(delete(predictions).where(predictions.c.model == model))
