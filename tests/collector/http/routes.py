"""Every route of the application, so that a test over them cannot forget a new one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from fastapi.routing import APIRoute
from starlette.routing import BaseRoute, Mount

from graphldp.collector.app import create_app
from graphldp.collector.settings import load_settings
from graphldp.collector.storage.store import Store


class Way(NamedTuple):
    """A route and a method; the address is the path with "cats", 0 or a kind that there is in its places.

    The queries are the names of what may follow it.
    """

    method: str
    path: str
    address: str
    queries: tuple[str, ...] = ()


def ways(store: Store) -> list[Way]:
    """All of them, in the order of their paths."""
    provider = {"oidc_issuer": "https://id.example", "oidc_client_id": "x", "oidc_redirect": "https://x.example"}
    app: Any = create_app(load_settings(provider, {}), store)
    while not hasattr(app, "routes"):
        app = app.app
    return sorted(_ways(app.routes))


def _ways(routes: Sequence[BaseRoute]) -> Iterator[Way]:
    for route in routes:
        included = getattr(route, "original_router", None)
        if included is not None:
            yield from _ways(included.routes)
            continue
        path: str = getattr(route, "path")  # noqa: B009 - a route without one must be noticed
        address = re.sub(r"\{(user|key|job|number)[^}]*\}", "0", path).replace("{kind}", "email")
        address = re.sub(r"\{[^}]*\}", "cats", address) + ("/style.css" if isinstance(route, Mount) else "")
        queries = tuple(each.alias for each in route.dependant.query_params) if isinstance(route, APIRoute) else ()
        for method in getattr(route, "methods", None) or {"GET"}:
            if method != "HEAD":
                yield Way(method, path, address, queries)
