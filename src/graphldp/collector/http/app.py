"""The application: the API, the dashboard, and what stands around both."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
from fastapi import APIRouter, FastAPI
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import Response
from starlette.types import ASGIApp

import graphldp
from graphldp.collector.dashboard import routes as dashboard
from graphldp.collector.dashboard.pages import Pages
from graphldp.collector.http import problems
from graphldp.collector.http.eraser import keep_erasing
from graphldp.collector.http.guard import Guard
from graphldp.collector.http.health import Health
from graphldp.collector.http.limits import Limiter
from graphldp.collector.http.listeners import TwoDoors
from graphldp.collector.http.members import api, batch, join
from graphldp.collector.http.members.cors import ForOnePage
from graphldp.collector.http.members.front import Front
from graphldp.collector.http.members.reception import Reception
from graphldp.collector.http.metrics import CONTENT_TYPE, Metrics
from graphldp.collector.http.operators import administering, jobs, operating
from graphldp.collector.http.operators.office import Office
from graphldp.collector.http.tracing import Tracing
from graphldp.collector.settings import Settings, door
from graphldp.collector.storage.store import Store
from graphldp.collector.storage.writer import Writer
from graphldp.collector.workshop import Workshop
from graphldp.wire.schema import schemas


class Application(FastAPI):
    """FastAPI, with its description completed: what is read by hand, and how tokens are sent."""

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


def create_app(settings: Settings, store: Store, tracing: Tracing | None = None) -> ASGIApp:
    """The application over an open store, which it does not close; nor does it close where traces go."""
    metrics = Metrics()
    accept = metrics.watch(store.accept)
    writer = Writer(accept if tracing is None else tracing.transactions(accept), store.transactions)

    def drop_keys() -> None:
        store.sealing_keys.drop_retired(store.clock.tick())

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        async with anyio.create_task_group() as tasks:
            erasers = (store.retention.sweep, store.holdings.erase, store.removals.erase, drop_keys)
            tasks.start_soon(keep_erasing, erasers, settings.erase_seconds)
            yield
            tasks.cancel_scope.cancel()
        await run_in_threadpool(writer.close)

    app = Application(
        title="graphldp collector",
        version=graphldp.__version__,
        summary="Takes one noisy report about friends from each user, once.",
        lifespan=lifespan,
        docs_url=None,  # its page loads scripts from elsewhere
        redoc_url=None,
        redirect_slashes=False,  # it would send a browser to whatever host the request named
    )
    pages = Pages(settings)
    problems.install(app, pages.problem)
    reception = Reception(settings, store, writer)
    app.include_router(api.make_router(reception))
    office, workshop = Office(settings, store), Workshop.of(settings, store)
    app.include_router(operating.make_router(office))
    app.include_router(administering.make_router(office))
    app.include_router(jobs.make_router(office, workshop))
    app.include_router(_service_routes(Health(store.ping), metrics))
    app.include_router(dashboard.make_router(settings, store, pages, workshop))
    app.include_router(join.make_router())
    app.mount("/static", dashboard.static_files())
    guarded: ASGIApp = Guard(Front(app, reception), Limiter(settings.address_per_minute), metrics, pages.problem)
    if settings.admin_listen:
        guarded = TwoDoors(guarded, door(settings.admin_listen)[1], pages.problem)
    if settings.page_origin:  # outside: the page has to read that it is to wait, too
        guarded = ForOnePage(guarded, settings.page_origin)
    return guarded if tracing is None else tracing.requests(guarded)


def _service_routes(health: Health, metrics: Metrics) -> APIRouter:
    router = APIRouter(tags=["service"])

    @router.get("/healthz")
    async def healthz() -> dict[str, str]:
        """Whether the collector answers at all, whatever its database does. Restart it where it does not."""
        return {"status": "ok"}

    @router.get("/readyz", responses=problems.responses(503))
    def readyz() -> dict[str, str]:
        """Whether the collector can store a report: its database answers, and its disk takes a write."""
        health.check()
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
