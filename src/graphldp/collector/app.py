"""The application: the API, the dashboard, and what stands around both."""

from __future__ import annotations

import logging
import re
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

import anyio
from anyio import to_thread
from fastapi import APIRouter, FastAPI
from fastapi.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

import graphldp
from graphldp.collector.actions.job_control import JobProcesses
from graphldp.collector.dashboard import routes as dashboard
from graphldp.collector.dashboard.pages import Templates
from graphldp.collector.http import batch, join, member_routes, problems
from graphldp.collector.http.limits import Limiter
from graphldp.collector.http.member_requests import MemberRequests, ReportShortcut
from graphldp.collector.http.middleware import CorsForOnePage, LimitsAndHeaders, TwoAddresses
from graphldp.collector.http.monitoring import CONTENT_TYPE, Health, Metrics
from graphldp.collector.http.operators import administrator_routes as administering
from graphldp.collector.http.operators import community_routes as operating
from graphldp.collector.http.operators import job_routes as jobs
from graphldp.collector.http.operators.operator_requests import OperatorRequests
from graphldp.collector.http.sending import AnswerBudget
from graphldp.collector.http.tracing import Tracing
from graphldp.collector.settings import Settings, listen_address
from graphldp.collector.storage.report_writer import TransactionBatcher
from graphldp.collector.storage.store import Store
from graphldp.errors import StoreError
from graphldp.wire.schema import schemas

_SECRETS = re.compile(rb"(?<![^; ])\w+=[\w-]{43}(?![^; ])")  # cookies of ours, whole


class Application(FastAPI):
    """FastAPI, with its description completed: what is read by hand, and how tokens are sent.

    Nobody gets a part of a file: a range that is none would be refused in plain text. Of cookies it sees secrets alone:
    Python takes seconds to read a long one in quotes.
    """

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] == "http":
            scope["headers"] = [
                (name, b"; ".join(_SECRETS.findall(value)) if name == b"cookie" else value)
                for name, value in scope["headers"]
                if name != b"range"
            ]
        await super().__call__(scope, receive, send)

    def openapi(self) -> dict[str, Any]:
        """The description at ``/openapi.json``."""
        described = super().openapi()
        components = described.setdefault("components", {})
        components["securitySchemes"] = {
            "token": {"type": "http", "scheme": "bearer", "description": "A slot's token."},
            "operator": {"type": "http", "scheme": "bearer", "description": "An operator's key."},
        }
        components["schemas"] = components.get("schemas", {}) | schemas() | batch.SCHEMAS
        return described


async def keep_erasing(erasers: Sequence[Callable[[], object]], seconds: float) -> None:
    """Erase what was deleted when the server starts, and every so many seconds. A busy database is tried again."""
    while True:
        for erase in erasers:
            try:
                await to_thread.run_sync(erase, abandon_on_cancel=True)
            except StoreError as error:
                logging.getLogger("graphldp.collector").warning("what was deleted is not erased yet: %s", error)
        await anyio.sleep(seconds)


def create_app(settings: Settings, store: Store, tracing: Tracing | None = None) -> ASGIApp:
    """The application over an open store, which it does not close; nor does it close where traces go."""
    metrics = Metrics()
    accept = metrics.watch(store.accept)
    accepting = accept if tracing is None else tracing.transactions(accept)
    batcher = TransactionBatcher(accepting, store.transactions, settings.database_seconds)

    def drop_keys() -> None:
        store.sealing_keys.drop_retired(store.clock.tick())

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        async with anyio.create_task_group() as tasks:
            erasers = (store.retention.sweep, store.holdings.erase, store.removals.erase, drop_keys)
            tasks.start_soon(keep_erasing, erasers, settings.erase_seconds)
            yield
            tasks.cancel_scope.cancel()
        await to_thread.run_sync(batcher.close)

    app = Application(
        title="graphldp collector",
        version=graphldp.__version__,
        summary="Takes one noisy report about friends from each user, once.",
        lifespan=lifespan,
        docs_url=None,  # its page loads scripts from elsewhere
        redoc_url=None,
        redirect_slashes=False,  # it would send a browser to whatever host the request named
    )
    templates = Templates(settings)
    problems.install(app, templates.problem)
    budget = AnswerBudget(settings.held_bytes)
    members = MemberRequests(settings, store, batcher, budget)
    app.include_router(member_routes.make_router(members))
    operators, processes = OperatorRequests(settings, store), JobProcesses.of(settings, store)
    app.include_router(operating.make_router(operators))
    app.include_router(administering.make_router(operators))
    app.include_router(jobs.make_router(operators, processes))
    app.include_router(_service_routes(Health(store.ping), metrics))
    app.include_router(dashboard.make_router(settings, store, templates, processes))
    app.include_router(join.make_router())
    app.mount("/static", dashboard.static_files())
    limiter = Limiter(settings.address_per_minute)
    outermost: ASGIApp = LimitsAndHeaders(ReportShortcut(app, members), limiter, metrics, templates.problem, budget)
    if settings.admin_listen:
        outermost = TwoAddresses(outermost, listen_address(settings.admin_listen)[1], templates.problem)
    if settings.page_origin:  # outside: the page has to read that it is to wait, too
        outermost = CorsForOnePage(outermost, settings.page_origin)
    return outermost if tracing is None else tracing.requests(outermost)


def _service_routes(health: Health, metrics: Metrics) -> APIRouter:
    router = APIRouter(tags=["service"])

    @router.get("/healthz")
    async def healthz() -> dict[str, str]:
        """Whether the collector answers at all, whatever its database does. Restart it where it does not."""
        return {"status": "ok"}

    @router.get("/readyz", responses=problems.responses(503))
    async def readyz() -> dict[str, str]:
        """Whether the collector can store a report: its database answers soon, and its disk takes a write."""
        await health.check()
        return {"status": "ok"}

    @router.get(
        "/metrics",
        response_class=Response,
        responses={200: {"content": {"text/plain": {"schema": {"type": "string"}}}}},
    )
    def read_metrics() -> Response:
        """Counts and times for Prometheus."""
        return Response(metrics.page(), media_type=CONTENT_TYPE)

    return router
