"""Every error as the one error body: :mod:`graphldp.wire.problems`."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Protocol

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, Response
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.routing import compile_path

from graphldp.collector.storage.collecting.accepting import Outcome, Ruling
from graphldp.collector.storage.operating.operators import Session
from graphldp.errors import ForbiddenError, StoreError
from graphldp.wire.problems import KINDS, MEDIA_TYPE, problem

RETRY_SECONDS = 5

SUCCESSES = {Ruling.STORED: 201, Ruling.REPEATED: 200}
REFUSALS = {
    Ruling.TAKEN: "slot-taken",
    Ruling.DELETED: "report-deleted",
    Ruling.CLOSED: "community-closed",
    Ruling.OUTDATED: "epoch-over",
    Ruling.UNKNOWN: "unauthorized",
    Ruling.UNREADABLE: "bad-report",
}
UNANSWERED = REFUSALS | {
    Ruling.TAKEN: "answer-taken",
    Ruling.UNREADABLE: "bad-answer",
    Ruling.UNASKED: "not-asked",
}


class Page(Protocol):
    """Shows a problem's members to people: with the menu of whoever is logged in, or with the one for visitors."""

    def __call__(self, body: Mapping[str, Any], session: Session | None = None) -> str:
        """The page."""


class ProblemError(Exception):
    """An error answer."""

    def __init__(self, kind: str, detail: str | None = None, headers: dict[str, str] | None = None) -> None:
        super().__init__(kind)
        self.status, self.title = KINDS[kind]
        self.body = problem(kind, detail)
        self.headers = headers or {}
        if self.status == 401:
            self.headers["WWW-Authenticate"] = "Bearer"


EXPECTED = (ProblemError, RequestValidationError, HTTPException, StoreError, ForbiddenError, ClientDisconnect)


def refusal(outcome: Outcome, kinds: Mapping[Ruling, str] = REFUSALS) -> ProblemError:
    """The problem of a report that was not taken, or of an answer."""
    return ProblemError("too-large" if outcome.too_large else kinds[outcome.ruling], outcome.wrong)


def responses(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The error answers of a route, for its description."""
    content = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/problem"}}}
    return {status: {"content": content, "description": HTTPStatus(status).phrase} for status in statuses}


def install(app: FastAPI, page: Page) -> None:
    """Turn every error of an application into a problem: a page for people, the one error body for programs."""

    def answered(request: Request, error: Exception) -> Response:
        if isinstance(error, HTTPException) and error.status_code == 405 and (methods := _allowed(app, request)):
            error.headers = {"Allow": methods}  # the framework names those of one route only
        session = getattr(request.state, "session", None)  # of a page of the dashboard
        return answer(error, page if wants_page(request.headers) else None, session)

    for kind in (*EXPECTED, Exception):
        app.add_exception_handler(kind, answered)


def _allowed(app: FastAPI, request: Request) -> str:
    """The methods that the description has for an address."""
    paths = app.openapi()["paths"].items()
    found = [operations for path, operations in paths if compile_path(path)[0].match(request.url.path)]
    return ", ".join(sorted(method.upper() for operations in found for method in operations))


def wants_page(headers: Headers) -> bool:
    """Whether a person asks: a browser says that it takes pages, a program does not."""
    return "text/html" in headers.get("accept", "")


def answer(error: Exception, page: Page | None = None, session: Session | None = None) -> Response:
    """The answer to an error: the one error body, or a page where a person asked."""
    body, headers = _problem(error)
    if page is not None:
        return HTMLResponse(page(body, session), body["status"], headers)
    return JSONResponse(body, body["status"], headers, MEDIA_TYPE)


def _problem(error: Exception) -> tuple[dict[str, Any], Mapping[str, str] | None]:
    """The members of the problem that an error is, and its headers."""
    if isinstance(error, ProblemError):
        return error.body, error.headers
    if isinstance(error, RequestValidationError):
        places = sorted({".".join(str(part) for part in each["loc"][:2]) for each in error.errors()})
        return problem("bad-request", f"Look at: {', '.join(places)}."), None
    if isinstance(error, HTTPException):
        if error.status_code == 404:
            return problem("not-found"), None
        status = HTTPStatus(error.status_code)
        return {"type": "about:blank", "title": status.phrase, "status": status.value}, error.headers
    if isinstance(error, StoreError):
        logging.getLogger("graphldp.collector").warning("store unavailable: %s", error)
        return problem("store-unavailable"), {"Retry-After": str(RETRY_SECONDS)}
    if isinstance(error, ForbiddenError):
        return problem("not-allowed", str(error)), None
    if isinstance(error, ClientDisconnect):
        return problem("slow-body"), None  # nobody is left to read it
    return problem("internal"), None
