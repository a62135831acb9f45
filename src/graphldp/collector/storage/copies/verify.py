"""A check of all that the database holds: every roster, every slot and every report, read and compared."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, Engine, Row, func, select

from graphldp.collector.community import Community
from graphldp.collector.storage import schema
from graphldp.collector.storage.collecting.communities import to_community
from graphldp.collector.storage.collecting.second_round import asked_slots, refuse
from graphldp.collector.storage.database import transaction
from graphldp.collector.storage.operating.audit_log import broken
from graphldp.errors import DamagedError, WireError
from graphldp.wire import read_question, roster_digest, validate
from graphldp.wire.deal import dealt_groups

_SHOWN = 20


@dataclass
class Verified:
    """Counts of what was looked at, and a line for each thing that is wrong; none repeats what a report says."""

    communities: int = 0
    reports: int = 0
    answers: int = 0
    problems: list[str] = field(default_factory=list)


def verify(engine: Engine) -> Verified:
    """Read everything in one snapshot."""
    found = Verified()
    try:
        with transaction(engine, snapshot=True) as connection:
            _look(connection, found)
    except DamagedError:
        found.problems.append("A row holds what its column cannot.")
    return found


def _look(connection: Connection, found: Verified) -> None:
    found.problems += _damages(connection)
    for table in schema.metadata.sorted_tables:  # a damaged name of a column is no damage to SQLite
        connection.execute(select(table).limit(1)).all()
    if wrong := broken(connection):
        found.problems.append(f"The audit log: {wrong}")
    table = schema.communities
    keys = connection.execute(select(table.c.key).order_by(table.c.key)).scalars().all()
    found.communities = len(keys)
    for key in keys:
        row = connection.execute(select(table).where(table.c.key == key)).one()
        found.problems += _community_problems(connection, row, found)
    for of, what in ((schema.reports, "reports"), (schema.answers, "answers")):
        strays = select(func.count()).where(of.c.community.not_in(select(table.c.key)))
        if count := connection.execute(strays).scalar_one():
            found.problems.append(f"{count} {what} belong to no community.")


def _damages(connection: Connection) -> list[str]:
    """The damages that SQLite itself finds; PostgreSQL checks its pages as they are read, where it was told to."""
    if connection.dialect.name != "sqlite":
        return []
    damages = [row[0] for row in connection.exec_driver_sql(f"PRAGMA integrity_check({_SHOWN})")]
    loose = len(connection.exec_driver_sql("PRAGMA foreign_key_check").all())
    lines = [f"The file is damaged: {each}." for each in damages if each != "ok"]
    return lines + ([f"{loose} rows belong to nothing."] if loose else [])


def _community_problems(connection: Connection, row: Row[Any], found: Verified) -> Iterator[str]:
    where = f"{row.id}, epoch {row.epoch}"
    try:
        community = to_community(row)
        names = zlib.decompress(row.roster).decode().split("\n")
        groups = list(zlib.decompress(row.groups or zlib.compress(b"")))
    except (zlib.error, UnicodeDecodeError, KeyError, TypeError, ValueError):
        yield f"{where}: its roster or its choices cannot be read."
        return
    if len(names) != community.n:
        yield f"{where}: {community.n} users, and {len(names)} names in the roster."
    if len(groups) != (community.n if community.group_names else 0):
        yield f"{where}: {community.n} users, and groups of {len(groups)}."
    if roster_digest(names, community.group_names, groups) != community.roster_digest:
        yield f"{where}: the roster is not the one of its digest."
    elif community.dealt and groups != dealt_groups(community.id, community.epoch, names, len(community.group_names)):
        yield f"{where}: the groups are not those of the deal."
    slots, reports = schema.slots, schema.reports
    invited = set(connection.execute(select(slots.c.user).where(slots.c.community == community.key)).scalars())
    if outside := sum(not 0 <= user < community.n for user in invited):
        yield f"{where}: {outside} tokens for slots that the roster does not have."
    query = select(reports).where(reports.c.community == community.key).order_by(reports.c.user)
    for each in connection.execute(query, execution_options={"yield_per": 100}):
        found.reports += each.body is not None
        if wrong := _wrong(each, community, each.user in invited):
            yield f"{where}, slot {each.user}: {wrong}"
    for problem in _second_problems(connection, community, row.question, found):
        yield f"{where}{problem}"


def _second_problems(
    connection: Connection, community: Community, question: bytes | None, found: Verified
) -> Iterator[str]:
    """The faults of a second question and its answers."""
    asked = community.asked_at is not None and (community.busy_from is not None or community.answer_until is not None)
    if (question is not None) != asked or not _is_question(question, community):
        yield ": the second question is not the one of its digest."
    answers, slots = schema.answers, set(asked_slots(connection, community))
    for each in connection.execute(select(answers).where(answers.c.community == community.key).order_by("user")):
        found.answers += 1
        if each.user not in slots:
            yield f", slot {each.user}: an answer without a report that is asked."
        elif refuse(community, each.user, bytes(each.body)):
            yield f", slot {each.user}: bytes that are no answer of this slot's."


def _is_question(question: bytes | None, community: Community) -> bool:
    if question is None:
        return community.question_digest is None
    try:
        found = read_question(community.mechanism, bytes(question), community.n)
        return found.digest == community.question_digest
    except WireError:
        return False


def _wrong(row: Row[Any], community: Community, invited: bool) -> str | None:
    """The fault of a report, if it has one."""
    if row.deleted_on is not None:
        return None if row.body is None and row.noisy_degree is None else "a deleted report that is still there."
    if not invited:
        return "a report in a slot without a token."
    if row.body is None:
        return "a report without its bytes."
    reading = validate(community, row.user, row.body)
    if not reading.good:
        return "bytes that are no report of this slot's."
    return None if reading.noisy_degree == row.noisy_degree else "another noisy degree than its report's."
