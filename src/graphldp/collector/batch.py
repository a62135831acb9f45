"""Many users' reports in one request, for relays that hide who sends when."""

from __future__ import annotations

from binascii import a2b_base64
from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from graphldp import wire
from graphldp.collector import tokens
from graphldp.collector.address import COMMUNITY_PATTERN
from graphldp.collector.catalogue import Catalogue
from graphldp.collector.community import Community
from graphldp.collector.limits import Limiter
from graphldp.collector.problems import REFUSALS, SUCCESSES, ProblemError, problem_body
from graphldp.collector.scan import Incoming
from graphldp.collector.writer import Decision


def _whole(value: Any) -> Any:
    """JSON knows one kind of number: 12.0 is a whole one."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


class BatchItem(BaseModel):
    """One report of a batch, with what its own request would carry."""

    model_config = ConfigDict(extra="forbid")

    community: str = Field(pattern=COMMUNITY_PATTERN)
    user: Annotated[int, BeforeValidator(_whole)] = Field(ge=0, lt=wire.MAX_USERS, strict=True)
    token: str = Field(max_length=64)
    report: str = Field(description="The report's bytes in base64.", json_schema_extra={"contentEncoding": "base64"})


class Batch(BaseModel):
    """Reports of many users, in any order."""

    model_config = ConfigDict(extra="forbid")

    reports: list[BatchItem] = Field(min_length=1)


class BatchResult(BaseModel):
    """What became of one report: 200 or 201, or a problem."""

    status: int
    type: str | None = None
    title: str | None = None
    detail: str | None = None


class BatchResults(BaseModel):
    """One result per report, in the batch's order."""

    results: list[BatchResult]


_SCHEMA = Batch.model_json_schema(ref_template="#/components/schemas/{model}")
SCHEMAS: dict[str, Any] = {**_SCHEMA.pop("$defs"), "Batch": _SCHEMA}
REQUEST_BODY = {
    "requestBody": {
        "required": True,
        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Batch"}}},
    }
}


def read_batch(body: bytes, most: int, catalogue: Catalogue, limiter: Limiter) -> list[Incoming | dict[str, Any]]:
    """The reports of a batch, or the problem that keeps one from the store. One bad item does not touch the others.

    Raises:
        ProblemError: for a body that is no batch at all.
    """
    try:
        items = Batch.model_validate_json(body).reports
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        raise ProblemError("bad-request", f"Look at: {'.'.join(map(str, first['loc'])) or 'body'}.") from None
    if len(items) > most:
        raise ProblemError("bad-request", f"A batch holds at most {most} reports.")
    communities = catalogue.read(*{item.community for item in items})
    return [_read(item, communities.get(item.community), limiter) for item in items]


def _read(item: BatchItem, community: Community | None, limiter: Limiter) -> Incoming | dict[str, Any]:
    token_hash = tokens.hashed(item.token)
    try:
        limiter.take(token_hash)
    except ProblemError as error:
        return error.body
    if community is None:
        return problem_body("unauthorized")
    try:
        body = a2b_base64(item.report, strict_mode=True)
    except ValueError:
        return problem_body("bad-request", "Look at: report.")
    if len(body) > wire.max_size(community.n):
        return problem_body("too-large")
    return Incoming(community, item.user, token_hash, body)


def results(items: Sequence[Incoming | dict[str, Any]], decisions: Sequence[Decision]) -> list[dict[str, Any]]:
    """The answer to each item, given the decisions on those that reached the store."""
    rest = iter(decisions)
    return [_result(next(rest)) if isinstance(item, Incoming) else item for item in items]


def _result(decision: Decision) -> dict[str, Any]:
    if decision.verdict in SUCCESSES:
        return {"status": SUCCESSES[decision.verdict]}
    return problem_body(REFUSALS[decision.verdict], decision.wrong)
