"""The one error body: RFC 9457 problem details, ``application/problem+json``.

A problem says what kind it is and what to do. It repeats nothing that was sent: no token, no list, no field's value.
"""

from __future__ import annotations

import logging
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from graphldp.collector.http.desk import Outcome
from graphldp.collector.intake import Verdict
from graphldp.errors import StoreError

MEDIA_TYPE = "application/problem+json"
RETRY_SECONDS = 5

KINDS: dict[str, tuple[int, str]] = {
    "unauthorized": (401, "The token opens no slot of this community."),
    "forbidden": (403, "The form is out of date, or came from another page."),
    "not-found": (404, "There is nothing at this address."),
    "slow-body": (408, "The body took too long to arrive."),
    "slot-taken": (409, "Another report was accepted for this slot; the first one counts."),
    "report-deleted": (410, "This slot's report was deleted; it takes no other."),
    "community-closed": (409, "The community takes no more reports."),
    "epoch-over": (409, "The community's epoch is another one; the report was not stored."),
    "too-large": (413, "The body is larger than any report of this community."),
    "wrong-type": (415, "The body's media type is not the one that is taken here."),
    "bad-report": (422, "The report cannot be accepted."),
    "bad-request": (422, "The request is not as the API describes it."),
    "too-many": (429, "Too many requests; wait and try again."),
    "not-http": (400, "The bytes that arrived are no HTTP request."),
    "too-busy": (503, "The collector has as much to do as it can hold; try again later."),
    "store-unavailable": (503, "The report could not be stored; send the same bytes again later."),
    "internal": (500, "The collector failed; nothing is known to be stored."),
}
SUCCESSES = {Verdict.STORED: 201, Verdict.REPEATED: 200}
REFUSALS = {
    Verdict.TAKEN: "slot-taken",
    Verdict.DELETED: "report-deleted",
    Verdict.CLOSED: "community-closed",
    Verdict.OUTDATED: "epoch-over",
    Verdict.UNKNOWN: "unauthorized",
    Verdict.UNREADABLE: "bad-report",
}


class ProblemDetails(BaseModel):
    """An error, as RFC 9457 describes it."""

    type: str = Field(description="The kind of problem, as a URN.", examples=["urn:graphldp:problem:slot-taken"])
    title: str = Field(description="The kind of problem in words; always the same for a type.")
    status: int = Field(description="The HTTP status.", ge=400, le=599)
    detail: str | None = Field(default=None, description="What is the matter in this case, where more can be said.")


class ProblemError(Exception):
    """An error answer.

    Args:
        kind: one of :data:`KINDS`.
        detail: what is the matter in this case; never what was sent.
        headers: to go with the answer.
    """

    def __init__(self, kind: str, detail: str | None = None, headers: dict[str, str] | None = None) -> None:
        super().__init__(kind)
        self.status, self.title = KINDS[kind]
        self.body = problem_body(kind, detail)
        self.headers = headers or {}
        if kind == "unauthorized":
            self.headers["WWW-Authenticate"] = "Bearer"

    def response(self) -> Response:
        """The answer."""
        return JSONResponse(self.body, self.status, self.headers, MEDIA_TYPE)


EXPECTED = (ProblemError, RequestValidationError, HTTPException, StoreError, ClientDisconnect)


def problem_body(kind: str, detail: str | None = None) -> dict[str, Any]:
    """The members of a problem."""
    status, title = KINDS[kind]
    body: dict[str, Any] = {"type": f"urn:graphldp:problem:{kind}", "title": title, "status": status}
    return body if detail is None else body | {"detail": detail}


def refusal(outcome: Outcome) -> ProblemError:
    """The answer to a report that was not taken."""
    return ProblemError("too-large" if outcome.too_large else REFUSALS[outcome.verdict], outcome.wrong)


def responses(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The error answers of a route, for its description."""
    content = {"model": ProblemDetails, "content": {MEDIA_TYPE: {}}}
    return {status: {**content, "description": HTTPStatus(status).phrase} for status in statuses}


def install(app: FastAPI) -> None:
    """Turn every error of an application into a problem."""
    for kind in (*EXPECTED, Exception):
        app.add_exception_handler(kind, lambda _request, error: answer(error))


def answer(error: Exception) -> Response:
    """The answer to an error."""
    if isinstance(error, ProblemError):
        return error.response()
    if isinstance(error, RequestValidationError):
        places = sorted({".".join(str(part) for part in each["loc"][:2]) for each in error.errors()})
        return ProblemError("bad-request", f"Look at: {', '.join(places)}.").response()
    if isinstance(error, HTTPException):
        if error.status_code == 404:
            return ProblemError("not-found").response()
        status = HTTPStatus(error.status_code)
        body = {"type": "about:blank", "title": status.phrase, "status": status.value}
        return JSONResponse(body, status.value, error.headers, MEDIA_TYPE)
    if isinstance(error, StoreError):
        logging.getLogger("graphldp.collector").warning("store unavailable: %s", error)
        return ProblemError("store-unavailable", headers={"Retry-After": str(RETRY_SECONDS)}).response()
    if isinstance(error, ClientDisconnect):
        return ProblemError("slow-body").response()  # nobody is left to read it
    return ProblemError("internal").response()
