"""Traces tell which routes were asked for, and nothing about who asked."""

from __future__ import annotations

import asyncio
from pathlib import Path

import httpx
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode
from tests.collector.people import open_cats, report

from graphldp import wire
from graphldp.collector.app import create_app
from graphldp.collector.http.route_table import REPORT_PATH
from graphldp.collector.http.tracing import Tracing
from graphldp.collector.settings import load_settings
from graphldp.collector.storage.store import Store

CALLERS = "0af7651916cd43dd8448eb211c80319c"


def test_spans_hold_routes_and_counts_and_nothing_private(tmp_path: Path) -> None:
    exporter, provider = InMemorySpanExporter(), TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    database = f"sqlite:///{tmp_path / 'collector.db'}"
    store = Store.open(database)
    _, tokens = open_cats(store)
    app = create_app(load_settings({"database": database}, {}), store, Tracing(provider))
    statuses = asyncio.run(_visit(app, tokens[4]))
    store.close()
    provider.shutdown()

    assert statuses == [201, 401, 404]
    spans = exporter.get_finished_spans()
    asked = [(span.name, dict(span.attributes or {})) for span in spans if span.name != "transaction"]
    kinds = [(f"PUT {REPORT_PATH}", REPORT_PATH, "PUT"), ("GET /v1/communities/{community}", "", "GET")]
    kinds.append(("GET other", "other", "GET"))
    assert [name for name, _ in asked] == [name for name, _, _ in kinds]
    assert [each["http.response.status_code"] for _, each in asked] == statuses
    assert {name for _, each in asked for name in each} == {
        *("http.route", "http.request.method", "http.response.status_code"),
    }
    counts = [dict(span.attributes or {}) for span in spans if span.name == "transaction"]
    assert {"graphldp.reports": 1} in counts
    said = "".join(span.to_json() for span in spans)
    for private in (tokens[4], tokens[4][:12], "cats", "203.0.113.9", "203.0.113", CALLERS, "agent-of-ann"):
        assert private not in said
    assert all(span.status.status_code is not StatusCode.ERROR and not span.events for span in spans)


async def _visit(app: object, token: str) -> list[int]:
    transport = httpx.ASGITransport(app, client=("203.0.113.9", 5000))  # type: ignore[arg-type]
    headers = {"Authorization": f"Bearer {token}", "Content-Type": wire.MEDIA_TYPE, "User-Agent": "agent-of-ann"}
    headers |= {"traceparent": f"00-{CALLERS}-b7ad6b7169203331-01"}
    async with httpx.AsyncClient(transport=transport, base_url="http://collector", headers=headers) as http:
        answers = [
            await http.put("/v1/communities/cats/reports/4", content=report(4)),
            await http.get("/v1/communities/dogs"),
            await http.get("/v2/cats?ann"),
        ]
    return [answer.status_code for answer in answers]
