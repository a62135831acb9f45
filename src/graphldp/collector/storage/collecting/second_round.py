"""The second round of a community by hub-counts: the question, frozen when it is asked, and the answers to it.

An operator asks once, when she thinks that enough have reported. Who is busy is then decided by the noisy degrees that
are here, and never changes again: a user is busy from some d* on, which is kept with the question. A user who has not
reported is not busy. Reports that arrive later are valid, and hubs among them are asked the same question. Answers
are taken from slots whose report says that they are asked, once each.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import NamedTuple

import numpy as np
from sqlalchemy import Connection, Engine, func, insert, select, update

from graphldp.collector.communities.community import Community
from graphldp.collector.communities.disclosure import enough
from graphldp.collector.intake import Ruling
from graphldp.collector.storage import schema
from graphldp.collector.storage.collecting.communities import lock
from graphldp.collector.storage.database import transaction
from graphldp.errors import ParameterError, WireError, bad_parameter
from graphldp.privacy.hubs import BUSY_FROM
from graphldp.wire import Answer, Question, decode_head


class Decided(NamedTuple):
    """What became of an answer, and what is wrong with it where something is."""

    ruling: Ruling
    wrong: str | None = None


class SecondRound:
    """Questions and answers.

    Args:
        engine: a migrated database.
    """

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    def ask(self, id: str, seen: str | None = None, min_reports: int | None = None) -> Question:
        """Freeze who is busy, for good, and ask hubs about them.

        Args:
            id: the community.
            seen: its version when the operator looked at it.
            min_reports: how many reports it must hold; any number by default.

        Raises:
            ParameterError: for a community that asks nobody, has asked, or holds too few reports.
        """
        table = schema.communities
        with transaction(self.engine, writes=True) as connection:
            community = lock(connection, id, seen)
            if community.mechanism != "hub-counts":
                raise bad_parameter("community", "ask", "one that collects by hub-counts", id)
            if community.hub_from is None:
                raise ParameterError(f"The community '{id}' is too small to have hubs, so nobody can be asked.")
            if community.asked_at is not None:
                raise ParameterError(f"The community '{id}' has asked. Who is busy was frozen then, and stays so.")
            if min_reports is not None and not enough(_held(connection, community), min_reports):
                raise ParameterError(
                    f"Fewer than {min_reports} users of '{id}' have reported (the setting 'min_reports'), too few to "
                    "ask."
                )
            question = Question(_busy(connection, community, BUSY_FROM))
            values = {"question": question.encode(), "question_digest": question.digest, "busy_from": BUSY_FROM}
            values["asked_at"] = datetime.now(UTC)
            connection.execute(update(table).where(table.c.key == community.key).values(**values))
        return question

    def question(self, community: Community, user: int) -> bytes | None:
        """The question, for a slot whose report says that it is asked; None for every other."""
        if community.asked_at is None:
            return None
        query = select(schema.communities.c.question).where(schema.communities.c.key == community.key)
        with transaction(self.engine) as connection:
            ruling = _standing(connection, community, user)
            return bytes(connection.execute(query).scalar_one()) if ruling is Ruling.STORED else None

    def accept(self, id: str, user: int, epoch: int | None, body: bytes) -> Decided:
        """Take a slot's answer; what this returns is on disk. Whose token came with it was looked at before."""
        table = schema.answers
        with transaction(self.engine, writes=True) as connection:
            community = lock(connection, id)
            if epoch not in (None, community.epoch):
                return Decided(Ruling.OUTDATED)
            standing = _standing(connection, community, user)
            if standing is not Ruling.STORED:
                return Decided(standing)
            if wrong := refuse(community, user, body):
                return Decided(Ruling.UNREADABLE, wrong)
            slot = (table.c.community == community.key, table.c.user == user)
            kept = connection.execute(select(table.c.body).where(*slot)).scalar()
            if kept is not None:
                return Decided(Ruling.REPEATED if bytes(kept) == body else Ruling.TAKEN)
            row = {"community": community.key, "user": user, "body": body, "received_on": datetime.now(UTC).date()}
            connection.execute(insert(table).values(**row))
        return Decided(Ruling.STORED)

    def answers(self, community: Community) -> Iterator[Answer]:
        """A community's answers, by slot."""
        table = schema.answers
        query = select(table.c.body).where(table.c.community == community.key).order_by(table.c.user)
        with transaction(self.engine) as connection:
            for row in connection.execute(query, execution_options={"yield_per": 1000}):
                yield Answer.decode(bytes(row.body), n=community.n)

    def busy(self, community: Community) -> Question | None:
        """Who was frozen as busy, or None where nothing was asked."""
        query = select(schema.communities.c.question).where(schema.communities.c.key == community.key)
        with transaction(self.engine) as connection:
            found = connection.execute(query).scalar()
        return None if found is None else Question.decode(bytes(found), n=community.n)

    def progress(self, community: Community) -> tuple[int, int]:
        """How many reports say that their user is asked, and how many of them have answered."""
        with transaction(self.engine) as connection:
            count = select(func.count()).where(schema.answers.c.community == community.key)
            return len(asked_slots(connection, community)), connection.execute(count).scalar_one()


def shown_progress(progress: tuple[int, int], reported: int, min_reports: int) -> tuple[int, int] | None:
    """The same, where enough have reported for it to be shown."""
    return progress if enough(reported, min_reports) else None


def _held(connection: Connection, community: Community) -> int:
    """How many reports are held."""
    table = schema.reports
    query = select(func.count(table.c.body)).where(table.c.community == community.key)
    return int(connection.execute(query).scalar_one())


def asked_slots(connection: Connection, community: Community) -> list[int]:
    """The slots whose report says that they are asked."""
    table = schema.reports
    if community.hub_from is None:
        return []
    query = select(table.c.user, table.c.body).where(
        table.c.community == community.key, table.c.noisy_degree >= community.hub_from, table.c.body.is_not(None)
    )
    rows = connection.execute(query.order_by(table.c.user))
    return [row.user for row in rows if _says_asked(bytes(row.body), community)]


def refuse(community: Community, user: int, body: bytes) -> str | None:
    """Why bytes are no answer of this slot's to this community's question, or None where they are."""
    try:
        answer = Answer.decode(body, n=community.n)
    except WireError as error:
        return str(error)
    if answer.user != user:
        return "The answer names another slot than its address."
    if answer.question != community.question_digest:
        return "The answer is to another question than the one that was asked here."
    return None


def _standing(connection: Connection, community: Community, user: int) -> Ruling:
    """Whether a slot may answer: ``STORED`` where it may."""
    table = schema.reports
    query = select(table.c.body, table.c.deleted_at).where(table.c.community == community.key, table.c.user == user)
    row = connection.execute(query).one_or_none()
    if row is not None and row.deleted_at is not None:
        return Ruling.DELETED
    if row is None or community.asked_at is None or not _says_asked(bytes(row.body), community):
        return Ruling.UNASKED
    return Ruling.STORED


def _says_asked(body: bytes, community: Community) -> bool:
    try:
        return bool(decode_head(body, n=community.n).asked)
    except WireError:  # of a damaged database; 'collect verify' names it
        return False


def _busy(connection: Connection, community: Community, least: int) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Who is busy by the reports that are here, from a noisy degree on; a public list says so itself."""
    table, busy = schema.reports, np.zeros(community.n, np.bool_)
    query = select(table.c.user, table.c.noisy_degree, table.c.body).where(
        table.c.community == community.key, table.c.body.is_not(None)
    )
    for row in connection.execute(query, execution_options={"yield_per": 1000}):
        told = row.noisy_degree
        degree = decode_head(bytes(row.body), n=community.n).count if told is None else told
        busy[row.user] = degree >= least
    return busy
