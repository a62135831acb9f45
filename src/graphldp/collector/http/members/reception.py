"""Taking reports over HTTP, whichever way a request was routed: token, body, decision."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from anyio import to_thread
from fastapi.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.types import Receive

from graphldp import wire
from graphldp.collector import tokens
from graphldp.collector.communities.community import Community
from graphldp.collector.http.limits import Held, Limiter, declared, read_body
from graphldp.collector.http.members.batch import AnswerItem, read_batch, results
from graphldp.collector.http.members.desk import Desk, Item
from graphldp.collector.http.problems import SUCCESSES, UNANSWERED, ProblemError, refusal
from graphldp.collector.settings import Settings
from graphldp.collector.storage.collecting.catalogue import Catalogue
from graphldp.collector.storage.sealing_keys import Opener
from graphldp.collector.storage.store import Store
from graphldp.collector.storage.writer import Writer
from graphldp.errors import ParameterError
from graphldp.wire.reading.validation import LONGEST


class Reception:
    """Answers the requests of clients and relays.

    Args:
        settings: the limits.
        store: where communities and tokens are looked up.
        writer: who decides on reports.
    """

    def __init__(self, settings: Settings, store: Store, writer: Writer) -> None:
        self._settings, self._store = settings, store
        self._catalogue = Catalogue(store)
        self._desk = Desk(self._catalogue, writer)
        self._limiter = Limiter(settings.token_per_minute)
        # apart: a batch comes from a stranger, and must not keep out those who hold a token
        self._reports, self._batches = Held(settings.held_bytes), Held(settings.held_bytes)

    async def show(self, headers: Headers, id: str) -> str:
        """What a community publishes to the holder of a slot, as JSON."""
        token, _ = self._token(headers)
        found, user = await self._enter(id, token)
        return await run_in_threadpool(self._catalogue.published, found, user)

    async def take(self, headers: Headers, receive: Receive, id: str, user: int, epoch: int | None) -> int:
        """Take a slot's report; gives the status of a success.

        Raises:
            ProblemError: for a report that is not taken.
            StoreError: where the database could not take it.
        """
        token, token_hash = self._token(headers)
        if headers.get("content-type") != wire.MEDIA_TYPE:
            raise ProblemError("wrong-type")
        most = LONGEST
        if declared(headers) > most:  # a short body is read whoever sends it; how long one may be is for members
            found, slot = await self._enter(id, token)
            if slot != user:
                raise ProblemError("unauthorized")
            most = found.max_size
        with self._reports.share() as hold:
            body = await read_body(headers, receive, most, self._settings.body_seconds, hold)
            (outcome,) = await self._desk.decide([Item(id, user, token_hash, body, epoch)])
        if outcome.ruling not in SUCCESSES:
            raise refusal(outcome)
        return SUCCESSES[outcome.ruling]

    async def withdraw(self, headers: Headers, id: str, user: int, epoch: int | None) -> None:
        """Delete what a slot has sent, for the holder of its token."""
        token, _ = self._token(headers)
        _, slot = await self._enter(id, token)
        if slot != user:
            raise ProblemError("unauthorized")
        with _deleted_meanwhile():
            await run_in_threadpool(self._store.holdings.withdraw, id, user, epoch)

    async def ask(self, headers: Headers, id: str, epoch: int | None) -> bytes:
        """The second question, for the holder of a slot that is asked it."""
        token, _ = self._token(headers)
        found, user = await self._enter(id, token)
        if epoch not in (None, found.epoch):
            raise ProblemError("epoch-over")
        question = await run_in_threadpool(self._store.second_round.question, found, user)
        if question is None:
            raise ProblemError("not-asked")
        return question

    async def take_answer(self, headers: Headers, receive: Receive, id: str, user: int, epoch: int | None) -> int:
        """Take a slot's answer to the second question; gives the status of a success.

        Raises:
            ProblemError: for an answer that is not taken.
            StoreError: where the database could not take it.
        """
        token, _ = self._token(headers)
        if headers.get("content-type") != wire.ANSWER_TYPE:
            raise ProblemError("wrong-type")
        with self._reports.share() as hold:
            body = await read_body(headers, receive, wire.MAX_ANSWER, self._settings.body_seconds, hold)
            return await self._decide(id, user, token, body, epoch)

    async def take_batch(self, headers: Headers, receive: Receive) -> list[dict[str, Any]]:
        """Take many reports and answers; gives what became of each."""
        if headers.get("content-type", "").partition(";")[0] != "application/json":
            raise ProblemError("wrong-type")
        limits = self._settings
        with self._batches.share() as hold:
            body = await read_body(headers, receive, limits.batch_bytes, limits.body_seconds, hold)
            opener = await run_in_threadpool(self._store.sealing_keys.opener) if b'"sealed"' in body else Opener({})
            given = (body, limits.batch_items, self._limiter, opener)
            items = await to_thread.run_sync(read_batch, *given, limiter=self._desk.one_reader)
            outcomes = await self._desk.decide([item for item in items if isinstance(item, Item)])
            answers = [await self._answered(item) for item in items if isinstance(item, AnswerItem)]
        return results(items, outcomes, answers)

    async def _answered(self, item: AnswerItem) -> dict[str, Any]:
        """What became of an answer in a batch."""
        try:
            return {"status": await self._decide(*item)}
        except ProblemError as error:
            return error.body

    async def _decide(self, id: str, user: int, token: str, body: bytes, epoch: int | None) -> int:
        """Take an answer for the holder of its slot's token; gives the status of a success."""
        _, slot = await self._enter(id, token)
        if slot != user:
            raise ProblemError("unauthorized")
        with _deleted_meanwhile():
            decided = await run_in_threadpool(self._store.second_round.accept, id, user, epoch, body)
        if decided.ruling not in SUCCESSES:
            raise ProblemError(UNANSWERED[decided.ruling], decided.wrong)
        return SUCCESSES[decided.ruling]

    async def _enter(self, id: str, token: str) -> tuple[Community, int]:
        """The community and the slot that a token opens. Where there is no such community, as much is looked up."""
        found = (await run_in_threadpool(self._catalogue.read, id)).get(id)
        user = await run_in_threadpool(self._store.holder, found, token)
        if found is None or user is None:
            raise ProblemError("unauthorized")
        return found, user

    def _token(self, headers: Headers) -> tuple[str, bytes]:
        token = tokens.bearer(headers.get("authorization"))
        if token is None:
            raise ProblemError("unauthorized")
        token_hash = tokens.hashed(token)
        self._limiter.take(token_hash)
        return token, token_hash


@contextmanager
def _deleted_meanwhile() -> Iterator[None]:
    """Answer for a community that an operator deletes at this moment as for one that was never there."""
    try:
        yield
    except ParameterError:
        raise ProblemError("unauthorized") from None
