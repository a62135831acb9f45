"""Requests of members, their clients and relays, whichever way they were routed: token, body, answer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from anyio import to_thread
from fastapi.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from graphldp import wire
from graphldp.collector import tokens
from graphldp.collector.community import Community
from graphldp.collector.http import problems
from graphldp.collector.http.batch import SentAnswer, read_batch, results
from graphldp.collector.http.limits import BodyBudget, Limiter, declared, media_type, read_body
from graphldp.collector.http.problems import SUCCESSES, UNANSWERED, ProblemError, refusal
from graphldp.collector.http.route_table import ANSWER, BATCH, REPORT, REPORT_PATH
from graphldp.collector.http.sending import AnswerBudget, PartsResponse
from graphldp.collector.settings import Settings
from graphldp.collector.storage.collecting.accepting import Outcome, Ruling
from graphldp.collector.storage.community_cache import CommunityCache
from graphldp.collector.storage.operating.sealing_keys import Opener
from graphldp.collector.storage.report_writer import ReportWriter, SentReport, TransactionBatcher
from graphldp.collector.storage.store import Store
from graphldp.errors import ParameterError


class MemberRequests:
    """Answers the requests of clients and relays."""

    def __init__(self, settings: Settings, store: Store, batcher: TransactionBatcher, budget: AnswerBudget) -> None:
        self._settings, self._store, self._budget = settings, store, budget
        self._cache = CommunityCache(store)
        self._writer = ReportWriter(self._cache, batcher)
        self._limiter = Limiter(settings.token_per_minute)
        # apart: a batch comes from a stranger, and must not keep out those who hold a token
        self._reports, self._batches = BodyBudget(settings.held_bytes), BodyBudget(settings.held_bytes)

    async def show(self, headers: Headers, id: str) -> Response:
        """What a community publishes to the holder of a slot, as JSON."""
        token, _ = self._token(headers)
        found, user = await self._enter(id, token)
        parts = await self._cache.published(found, user)
        return PartsResponse(parts, self._budget, "application/json")

    async def take(self, headers: Headers, receive: Receive, id: str, user: int, epoch: int | None) -> int:
        """Take a slot's report; gives the status of a success."""
        token, token_hash = self._token(headers)
        if headers.get("content-type") != wire.MEDIA_TYPE:
            raise ProblemError("wrong-type")
        most = REPORT.unknown(self._settings)
        if declared(headers) > most:  # a short body is read whoever sends it; how long one may be is for members
            found, slot = await self._enter(id, token)
            if slot != user:
                raise ProblemError("unauthorized")
            most = found.max_size
        with self._reports.share() as hold:
            body = await read_body(headers, receive, most, self._settings.body_seconds, hold)
            (outcome,) = await self._writer.write([SentReport(id, user, token_hash, body, epoch)])
        if outcome.ruling not in SUCCESSES:
            raise refusal(outcome)
        return SUCCESSES[outcome.ruling]

    async def withdraw(self, headers: Headers, id: str, user: int, epoch: int | None) -> None:
        """Delete what a slot has sent, for the holder of its token."""
        token, _ = self._token(headers)
        _, slot = await self._enter(id, token)
        if slot != user:
            raise ProblemError("unauthorized")
        try:
            await run_in_threadpool(self._store.holdings.withdraw, id, user, epoch)
        except ParameterError:  # an operator deletes the community at this moment: it is as if it was never there
            raise ProblemError("unauthorized") from None

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
        """Take a slot's answer to the second question; gives the status of a success."""
        token, _ = self._token(headers)
        if headers.get("content-type") != wire.ANSWER_TYPE:
            raise ProblemError("wrong-type")
        with self._reports.share() as hold:
            body = await read_body(headers, receive, ANSWER.known(self._settings), self._settings.body_seconds, hold)
            (decided,) = await self._decide([SentAnswer(id, user, token, body, epoch)])
        if decided.ruling not in SUCCESSES:
            raise refusal(decided, UNANSWERED)
        return SUCCESSES[decided.ruling]

    async def take_batch(self, headers: Headers, receive: Receive) -> list[dict[str, Any]]:
        """Take many reports and answers; gives what became of each."""
        if media_type(headers) not in BATCH.types:
            raise ProblemError("wrong-type")
        limits = self._settings
        with self._batches.share() as hold:
            body = await read_body(headers, receive, BATCH.known(limits), limits.body_seconds, hold)
            opener = await run_in_threadpool(self._store.sealing_keys.opener) if b'"sealed"' in body else Opener({})
            given = (body, limits.batch_items, self._limiter, opener)
            items = await to_thread.run_sync(read_batch, *given, limiter=self._writer.one_reader)
            outcomes = await self._writer.write([item for item in items if isinstance(item, SentReport)])
            answers = await self._decide([item for item in items if isinstance(item, SentAnswer)])
        return results(items, outcomes, answers)

    async def _decide(self, items: Sequence[SentAnswer]) -> list[Outcome]:
        """The outcomes of answers: the tokens of all are looked up together, and each community decides on its own."""
        decided = [Outcome(Ruling.UNKNOWN)] * len(items)
        if not items:
            return decided
        found = await run_in_threadpool(self._cache.read, *{item.community for item in items})
        asked = [(found.get(item.community), item.token) for item in items]
        slots = await run_in_threadpool(self._store.invitations.holders, asked)
        places: dict[str, list[int]] = {}
        for place, (item, slot) in enumerate(zip(items, slots, strict=True)):
            if slot == item.user:
                places.setdefault(item.community, []).append(place)
        for id, some in places.items():
            given = [(items[place].user, items[place].epoch, items[place].body) for place in some]
            with suppress(ParameterError):  # an operator deletes it at this moment: it is as if it was never there
                rulings = await run_in_threadpool(self._store.second_round.accept_many, id, given)
                for place, ruling in zip(some, rulings, strict=True):
                    decided[place] = ruling
        return decided

    async def _enter(self, id: str, token: str) -> tuple[Community, int]:
        """The community and the slot that a token opens. Where there is no such community, as much is looked up."""
        found = (await run_in_threadpool(self._cache.read, id)).get(id)
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


_ADDRESS = re.compile(r"/v1/communities/([a-z0-9-]{1,64})/reports/(0|[1-9][0-9]{0,7})")
_EPOCH = re.compile(rb"(?:epoch=([1-9][0-9]{0,8}))?")


class _Route(NamedTuple):
    path: str


class ReportShortcut:
    """ASGI middleware that takes reports without the framework, whose routing costs as much as all that one needs.

    An address in its plain form is recognised here. Whatever looks different goes to the framework, whose route for it
    ends at the same :meth:`MemberRequests.take` or says what is wrong.
    """

    def __init__(self, app: ASGIApp, requests: MemberRequests) -> None:
        self.app, self.requests = app, requests

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http" or scope["method"] != "PUT":
            return await self.app(scope, receive, send)
        address, epoch = _ADDRESS.fullmatch(scope["path"]), _EPOCH.fullmatch(scope["query_string"])
        if address is None or epoch is None:
            return await self.app(scope, receive, send)
        scope["route"] = _Route(REPORT_PATH)
        try:
            status = await self.requests.take(
                Headers(scope=scope), receive, address[1], int(address[2]), int(epoch[1]) if epoch[1] else None
            )
        except Exception as error:
            await problems.answer(error)(scope, receive, send)
            if not isinstance(error, problems.EXPECTED):
                raise
            return None
        await send({"type": "http.response.start", "status": status, "headers": [(b"content-length", b"0")]})
        await send({"type": "http.response.body", "body": b""})
        return None
