"""The page for members and its files: built from ``clients/web``, kept in the package, served as they are.

Every file but the page has its content's hash in its name, so browsers may keep it for ever. The page itself is asked
for anew each time. Its policy lets it load and ask this server alone: not a word leaves for anywhere else. The page
starts its worker from bytes whose digest it has compared, so the policy allows workers from nowhere else.
"""

from __future__ import annotations

from pathlib import PurePath

from fastapi import APIRouter
from fastapi.responses import Response

from graphldp.collector.http.problems import ProblemError
from graphldp.wire.bundle import BUNDLE_LIST, HEADERS, PAGE, TYPES, installed_bundle

_FOR_EVER = {"cache-control": "public, max-age=31536000, immutable"}


def make_router() -> APIRouter:
    """The page at ``/join``, its files below."""
    router, files = APIRouter(include_in_schema=False), installed_bundle()

    @router.get("/join")
    def page() -> Response:
        return Response(files[PAGE], media_type=TYPES[".html"], headers=HEADERS)

    @router.get("/join/{name}")
    def file(name: str) -> Response:
        path = f"join/{name}"
        if path not in files:
            raise ProblemError("not-found")
        headers = HEADERS if path == BUNDLE_LIST else HEADERS | _FOR_EVER
        return Response(files[path], media_type=TYPES[PurePath(name).suffix], headers=headers)

    return router
