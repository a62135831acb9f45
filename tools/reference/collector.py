"""The collector's routes and settings."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from typing import Any

from fastapi import FastAPI
from tools.fill import markdown

from graphldp.collector.http.app import create_app
from graphldp.collector.settings import TABLE, load_settings
from graphldp.collector.storage.store import Store


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
    if "security" in route:
        parts.append("Needs a slot's token: `Authorization: Bearer TOKEN`.")
    if body := route.get("requestBody"):
        parts.append(f"The body is `{', '.join(body['content'])}`.")
    if parameters := route.get("parameters"):
        rows = [[f"`{each['name']}`", each["in"], each["description"]] for each in parameters]
        parts.append(markdown(["parameter", "in", ""], rows))
    answers = [
        [code, answer["description"], ", ".join(f"`{each}`" for each in answer.get("content", ()))]
        for code, answer in sorted(route["responses"].items())
    ]
    parts.append(markdown(["answer", "", "body"], answers))
    return "\n\n".join(parts)


def settings() -> str:
    """Every setting of the collector."""
    rows = [[f"`{each.name}`", f"`{each.variable}`", f"{each.default}", each.help] for each in TABLE]
    return markdown(["setting", "environment variable", "default", ""], rows)
