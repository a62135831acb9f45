"""The second round of a community that has one: the question, frozen when it is asked, and the answers to it.

An operator asks once, when she thinks that enough have reported. What the question says then follows from the reports
that are here, and never changes again. By hub-counts it says who is busy: from some d* on, which is kept with it. A
user who has not reported is not busy. By closed-pairs it holds all noisy lists, and who is listed is kept with it. In
the place of a user who has not reported stands a list of pure chance, by which nobody sees who has not.

Reports that arrive later are valid, and asked the same. Answers are taken from slots whose report is asked, once each.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import ColumnElement, Connection, func, insert, select, update

from graphldp.collector.community import Community, enough
from graphldp.collector.storage import schema
from graphldp.collector.storage.collecting.accepting import Outcome, Ruling
from graphldp.collector.storage.collecting.communities import lock
from graphldp.collector.storage.database import StorePart, portions, transaction
from graphldp.errors import ParameterError, WireError, bad_parameter
from graphldp.privacy.hubs import BUSY_FROM
from graphldp.privacy.pairs import wrong_bits
from graphldp.wire import WITH_HUBS, WITH_SECOND, Answer, NoisyLists, Question, SecondQuestion, decode_head

Flags = NDArray[np.bool_]


class SecondRound(StorePart):
    """Questions and answers."""

    def ask(self, id: str, seen: str | None = None, min_reports: int | None = None) -> SecondQuestion:
        """Freeze the question, for good, and ask it."""
        table = schema.communities
        with transaction(self.engine, writes=True) as connection:
            community = lock(connection, id, seen)
            if community.mechanism not in WITH_SECOND:
                raise bad_parameter("community", "ask", f"one that collects by {' or '.join(WITH_SECOND)}", id)
            if community.mechanism in WITH_HUBS and community.hub_from is None:
                raise ParameterError(f"The community '{id}' is too small to have hubs, so nobody can be asked.")
            if community.asked_at is not None:
                raise ParameterError(f"The community '{id}' has asked. What it asks was frozen then, and stays so.")
            if community.answer_until is not None and datetime.now(UTC).date() > community.answer_until:
                raise ParameterError(
                    f"The lists of '{id}' waited for a question until {community.answer_until}, and are gone from "
                    "members' devices. A new epoch asks anew, at its full ε."
                )
            reports = schema.reports
            held = select(func.count(reports.c.body)).where(reports.c.community == community.key)
            if min_reports is not None and not enough(connection.execute(held).scalar_one(), min_reports):
                raise ParameterError(
                    f"Fewer than {min_reports} users of '{id}' have reported (the setting 'min_reports'), too few to "
                    "ask."
                )
            question: SecondQuestion
            if community.answer_until is None:
                question = Question(_busy(connection, community, BUSY_FROM))
                values: dict[str, Any] = {"busy_from": BUSY_FROM}
            else:
                question, listed = _noisy_lists(connection, community)
                values = {"listed": np.packbits(listed).tobytes()}
            values |= {"question": question.encode(), "question_digest": question.digest}
            values["asked_at"] = datetime.now(UTC)
            connection.execute(update(table).where(table.c.key == community.key).values(**values))
        return question

    def question(self, community: Community, user: int) -> bytes | None:
        """The question, for a slot whose report says that it is asked; None for every other."""
        if community.asked_at is None:
            return None
        query = select(schema.communities.c.question).where(schema.communities.c.key == community.key)
        with transaction(self.engine) as connection:
            ruling = _standing(connection, community, [user])[user]
            return bytes(connection.execute(query).scalar_one()) if ruling is Ruling.STORED else None

    def accept(self, id: str, user: int, epoch: int | None, body: bytes) -> Outcome:
        """Take a slot's answer; what this returns is on disk. Whose token came with it was looked at before."""
        return self.accept_many(id, [(user, epoch, body)])[0]

    def accept_many(self, id: str, given: Sequence[tuple[int, int | None, bytes]]) -> list[Outcome]:
        """Take answers to one question in one transaction: of each its slot, the epoch it is for, and its bytes."""
        table, decided, rows = schema.answers, list[Outcome](), list[dict[str, object]]()
        with transaction(self.engine, writes=True) as connection:
            community = lock(connection, id)
            users = sorted({user for user, _, _ in given})
            standing, kept = _standing(connection, community, users), dict[int, bytes]()
            for some in portions(users):
                query = select(table.c.user, table.c.body).where(table.c.community == community.key)
                kept |= {row.user: bytes(row.body) for row in connection.execute(query.where(table.c.user.in_(some)))}
            for user, epoch, body in given:
                decided.append(_decide(community, user, epoch, body, standing[user], kept.get(user)))
                if decided[-1].ruling is Ruling.STORED:
                    kept[user], day = body, datetime.now(UTC).date()
                    rows.append({"community": community.key, "user": user, "body": body, "received_on": day})
            if rows:
                connection.execute(insert(table), rows)
        return decided

    def answers(self, community: Community) -> Iterator[Answer]:
        """A community's answers, by slot."""
        table = schema.answers
        query = select(table.c.body).where(table.c.community == community.key).order_by(table.c.user)
        with transaction(self.engine) as connection:
            for row in connection.execute(query, execution_options={"yield_per": 1000}):
                yield Answer.decode(bytes(row.body), n=community.n)

    def busy(self, community: Community) -> Question | None:
        """The users who were frozen as busy, or None where nothing was asked."""
        found = self._asked(community, schema.communities.c.question)
        return None if found is None else Question.decode(found, n=community.n)

    def listed(self, community: Community) -> Flags:
        """The users whose own list was published; nobody where nothing was asked."""
        found = self._asked(community, schema.communities.c.listed) or bytes(-(-community.n // 8))
        return np.unpackbits(np.frombuffer(found, np.uint8))[: community.n].astype(np.bool_)

    def _asked(self, community: Community, what: ColumnElement[bytes]) -> bytes | None:
        query = select(what).where(schema.communities.c.key == community.key)
        with transaction(self.engine) as connection:
            found = connection.execute(query).scalar()
        return None if found is None else bytes(found)

    def progress(self, community: Community) -> tuple[int, int]:
        """How many reports say that their user is asked, and how many of them have answered."""
        with transaction(self.engine) as connection:
            count = select(func.count()).where(schema.answers.c.community == community.key)
            return len(asked_slots(connection, community)), connection.execute(count).scalar_one()


def shown_progress(progress: tuple[int, int], reported: int, min_reports: int) -> tuple[int, int] | None:
    """Both counts, where enough have reported for them to be shown."""
    return progress if enough(reported, min_reports) else None


def asked_slots(connection: Connection, community: Community) -> list[int]:
    """The slots whose report says that they are asked."""
    table, hubs = schema.reports, community.mechanism in WITH_HUBS
    if community.mechanism not in WITH_SECOND or (hubs and community.hub_from is None):
        return []
    query = select(table.c.user, table.c.body).where(table.c.community == community.key, table.c.body.is_not(None))
    if hubs:
        query = query.where(table.c.noisy_degree >= community.hub_from)
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


def _decide(
    community: Community, user: int, epoch: int | None, body: bytes, standing: Ruling, kept: bytes | None
) -> Outcome:
    """The outcome of an answer, where its slot has this one."""
    if epoch not in (None, community.epoch):
        return Outcome(Ruling.OUTDATED)
    if standing is not Ruling.STORED:
        return Outcome(standing)
    if wrong := refuse(community, user, body):
        return Outcome(Ruling.UNREADABLE, wrong)
    if kept is not None:
        return Outcome(Ruling.REPEATED if kept == body else Ruling.TAKEN)
    return Outcome(Ruling.STORED)


def _standing(connection: Connection, community: Community, users: Sequence[int]) -> dict[int, Ruling]:
    """Whether each slot may answer: ``STORED`` where it may."""
    table, found = schema.reports, dict.fromkeys(users, Ruling.UNASKED)
    query = select(table.c.user, table.c.body, table.c.deleted_on).where(table.c.community == community.key)
    for some in portions(users):
        for row in connection.execute(query.where(table.c.user.in_(some))):
            if row.deleted_on is not None:
                found[row.user] = Ruling.DELETED
            elif community.asked_at is not None and _says_asked(bytes(row.body), community):
                found[row.user] = Ruling.STORED
    return found


def _says_asked(body: bytes, community: Community) -> bool:
    try:
        return decode_head(body, n=community.n).asked_again
    except WireError:  # of a damaged database; 'collect verify' names it
        return False


def _noisy_lists(connection: Connection, community: Community) -> tuple[NoisyLists, Flags]:
    """All lists as they are here, with one by chance for each user who has not reported; and who has."""
    table, n = schema.reports, community.n
    listed, here = np.zeros((n, n), np.bool_), np.zeros(n, np.bool_)
    query = select(table.c.user, table.c.body).where(table.c.community == community.key, table.c.body.is_not(None))
    for row in connection.execute(query, execution_options={"yield_per": 1000}):
        known = np.asarray(decode_head(bytes(row.body), n=n).neighbours())
        listed[row.user, known] = here[row.user] = True
    rng, flip = np.random.default_rng(secrets.randbits(128)), wrong_bits(community.choices[0].epsilon2)
    for user in np.flatnonzero(~here).tolist():
        listed[user] = rng.random(n) < flip
    np.fill_diagonal(listed, False)
    return NoisyLists(listed), here


def _busy(connection: Connection, community: Community, least: int) -> Flags:
    """The users who are busy by the reports that are here, from a noisy degree on; a public list says so itself."""
    table, busy = schema.reports, np.zeros(community.n, np.bool_)
    query = select(table.c.user, table.c.noisy_degree, table.c.body).where(
        table.c.community == community.key, table.c.body.is_not(None)
    )
    for row in connection.execute(query, execution_options={"yield_per": 1000}):
        told = row.noisy_degree
        degree = decode_head(bytes(row.body), n=community.n).entries if told is None else told
        busy[row.user] = degree >= least
    return busy
