"""The collector's routes and settings."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from typing import Any

from fastapi import FastAPI
from tools.fill import markdown

from graphldp.collector.app import create_app
from graphldp.collector.http.route_table import TABLE as ROUTES
from graphldp.collector.http.route_table import Caller
from graphldp.collector.settings import TABLE, load_settings
from graphldp.collector.storage.store import Store
from graphldp.wire.problems import KINDS

KEYS = {
    "token": "a slot's token: `Authorization: Bearer TOKEN`",
    "operator": "an operator's key: `Authorization: Bearer KEY`",
}


def http() -> str:
    """Every route of the collector, as ``/openapi.json`` describes it."""
    paths = _openapi()["paths"]
    return "\n\n".join(
        _route(method, path, route) for path, routes in paths.items() for method, route in routes.items()
    )


def _openapi() -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        store = Store.open(f"sqlite:///{folder}/collector.db")
        try:
            app: Any = create_app(load_settings(environment={}), store)
            while not isinstance(app, FastAPI):  # what stands around the application
                app = app.app
            return app.openapi()
        finally:
            store.close()


def _route(method: str, path: str, route: Mapping[str, Any]) -> str:
    parts = [f"## `{method.upper()} {path}`", route["description"]]
    parts += [f"Needs {KEYS[scheme]}." for needed in route.get("security", ()) for scheme in needed]
    if body := route.get("requestBody"):
        parts += [_body(media, described["schema"]) for media, described in body["content"].items()]
    if parameters := route.get("parameters"):
        rows = [[f"`{each['name']}`", each["in"], each["description"]] for each in parameters]
        parts.append(markdown(["parameter", "in", ""], rows))
    answers = [
        [code, answer["description"], ", ".join(f"`{each}`" for each in answer.get("content", ()))]
        for code, answer in sorted(route["responses"].items())
    ]
    parts.append(markdown(["answer", "", "body"], answers))
    return "\n\n".join(parts)


def _body(media: str, schema: Mapping[str, Any]) -> str:
    needed = schema.get("required", ())
    fields = [f"`{name}`" if name in needed else f"`{name}` (optional)" for name in schema.get("properties", ())]
    return f"The body is `{media}`{': ' if fields else ''}{', '.join(fields)}."


def problems() -> str:
    """Every kind of problem that the collector answers with, by status."""
    rows = [[f"{status}", f"`{kind}`", title] for kind, (status, title) in KINDS.items()]
    return markdown(["status", "type", ""], sorted(rows))


def settings() -> str:
    """Every setting of the collector."""
    rows = [[f"`{each.name}`", f"`{each.variable}`", f"{each.default}", each.help] for each in TABLE]
    return markdown(["setting", "environment variable", "default", ""], rows)


def routes() -> str:
    """The collector's table of routes."""

    def size(given: int | str) -> str:
        return f"{given:,}" if isinstance(given, int) else f"`{given}`"

    rows = [
        [
            f"`{each.method} {each.path}`",
            each.caller.value if isinstance(each.caller, Caller) else each.caller.title,
            *(size(each.cost.before), size(each.cost.after), f"{each.cost.memory:,}", f"{each.cost.seconds:g}"),
        ]
        for each in ROUTES
    ]
    return markdown(["route", "caller", "bytes before", "bytes in all", "MB", "seconds"], rows)
