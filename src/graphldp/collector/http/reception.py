"""Taking reports over HTTP, whichever way a request was routed: token, body, decision."""

from __future__ import annotations

from typing import Any

from anyio import CapacityLimiter, to_thread
from fastapi.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.types import Receive

from graphldp import wire
from graphldp.collector import tokens
from graphldp.collector.community import Community
from graphldp.collector.http.batch import read_batch, results
from graphldp.collector.http.limits import Limiter, read_body
from graphldp.collector.http.problems import REFUSALS, SUCCESSES, ProblemError
from graphldp.collector.intake import Submission, Verdict
from graphldp.collector.scan import LONGEST, read
from graphldp.collector.settings import Settings
from graphldp.collector.storage.catalogue import Catalogue
from graphldp.collector.storage.store import Store
from graphldp.collector.storage.writer import Writer


class Reception:
    """What clients and relays come to.

    Args:
        settings: the limits.
        store: where communities and tokens are looked up.
        writer: who decides on reports.
    """

    def __init__(self, settings: Settings, store: Store, writer: Writer) -> None:
        self._settings, self._store, self._writer = settings, store, writer
        self._catalogue = Catalogue(store)
        self._limiter = Limiter(settings.token_per_minute)
        self._one_batch = CapacityLimiter(1)  # two would only take the interpreter from each other

    async def show(self, headers: Headers, id: str) -> str:
        """What a community publishes to the holder of a slot, as JSON."""
        token, _ = self._token(headers)
        found = await self._community(id)
        return await run_in_threadpool(self._catalogue.published, found, await self._holder(found, token))

    async def take(self, headers: Headers, receive: Receive, id: str, user: int, epoch: int | None) -> int:
        """Take a slot's report; gives the status of a success.

        Raises:
            ProblemError: for a report that is not taken.
            StoreError: where the database could not take it.
        """
        token, token_hash = self._token(headers)
        if headers.get("content-type") != wire.MEDIA_TYPE:
            raise ProblemError("wrong-type")
        found = self._catalogue.known(id) or await self._community(id)
        if epoch not in (None, found.epoch):
            found = await self._community(id)
            if epoch != found.epoch:
                raise ProblemError("epoch-over" if await self._holder(found, token) == user else "unauthorized")
        body = await read_body(headers, receive, wire.max_size(found.n), self._settings.body_seconds)
        verdict, wrong = await self._decide(found, user, token_hash, body)
        if verdict is Verdict.OUTDATED and epoch is None:
            verdict, wrong = await self._decide(await self._community(id), user, token_hash, body)
        if verdict in REFUSALS:
            # why a report cannot be read is for its slot's owner only
            raise ProblemError(REFUSALS[verdict], wrong if verdict is Verdict.UNREADABLE else None)
        return SUCCESSES[verdict]

    async def take_batch(self, headers: Headers, receive: Receive) -> list[dict[str, Any]]:
        """Take many reports; gives what became of each."""
        if headers.get("content-type", "").partition(";")[0] != "application/json":
            raise ProblemError("wrong-type")
        limits = self._settings
        body = await read_body(headers, receive, limits.batch_bytes, limits.body_seconds)
        given = (body, limits.batch_items, self._catalogue, self._limiter)
        items = await to_thread.run_sync(read_batch, *given, limiter=self._one_batch)
        readable = [item for item in items if not isinstance(item, dict)]
        verdicts = await self._writer.submit([item.submission for item in readable])
        return results(items, verdicts)

    async def _decide(
        self, community: Community, user: int, token_hash: bytes, body: bytes
    ) -> tuple[Verdict, str | None]:
        given = (community, user, body)
        reading = read(*given) if len(body) <= LONGEST else await run_in_threadpool(read, *given)
        kept = None if reading.wrong else body
        (verdict,) = await self._writer.submit(
            [Submission(community.key, user, token_hash, kept, reading.noisy_degree)]
        )
        return verdict, reading.wrong

    async def _community(self, id: str) -> Community:
        found = (await run_in_threadpool(self._catalogue.read, id)).get(id)
        if found is None:  # the same answer as for a wrong token: which communities there are is nobody's business
            raise ProblemError("unauthorized")
        return found

    def _token(self, headers: Headers) -> tuple[str, bytes]:
        token = tokens.bearer(headers.get("authorization"))
        if token is None:
            raise ProblemError("unauthorized")
        token_hash = tokens.hashed(token)
        self._limiter.take(token_hash)
        return token, token_hash

    async def _holder(self, community: Community, token: str) -> int:
        user = await run_in_threadpool(self._store.holder, community, token)
        if user is None:
            raise ProblemError("unauthorized")
        return user
