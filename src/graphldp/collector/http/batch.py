"""Many users' reports in one request, for relays that hide who sends when."""

from __future__ import annotations

from binascii import a2b_base64
from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, FailFast, Field, ValidationError

from graphldp import wire
from graphldp.collector import tokens
from graphldp.collector.http.desk import Item, Outcome
from graphldp.collector.http.limits import Limiter
from graphldp.collector.http.problems import SUCCESSES, ProblemError, refusal
from graphldp.collector.intake import Ruling
from graphldp.wire.problems import problem


def _whole(value: Any) -> Any:
    """JSON knows one kind of number: 12.0 is a whole one."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


class BatchItem(BaseModel):
    """One report of a batch, with what its own request would carry."""

    model_config = ConfigDict(extra="forbid")

    community: str = Field(pattern=wire.ID_PATTERN)
    user: Annotated[int, BeforeValidator(_whole)] = Field(ge=0, lt=wire.MAX_USERS, strict=True)
    epoch: Annotated[int, BeforeValidator(_whole)] = Field(
        description="The epoch that the report was drawn for: no other takes it.", ge=1, le=wire.MAX_EPOCH, strict=True
    )
    token: str = Field(max_length=64)
    report: str = Field(description="The report's bytes in base64.", json_schema_extra={"contentEncoding": "base64"})


class ReportBatch(BaseModel):
    """Reports of many users, in any order."""

    model_config = ConfigDict(extra="forbid")

    # one bad item is enough to refuse the whole: to describe all of them would take more memory than the batch
    reports: Annotated[list[BatchItem], FailFast()] = Field(min_length=1)


class BatchResult(BaseModel):
    """What became of one report: 200 or 201, or a problem."""

    status: int
    type: str | None = None
    title: str | None = None
    detail: str | None = None


class BatchResults(BaseModel):
    """One result per report, in the batch's order."""

    results: list[BatchResult]


def _inlined(model: type[BaseModel]) -> dict[str, Any]:
    """A model's schema with what it refers to in its place, so that it can stand anywhere."""
    schema = model.model_json_schema()
    parts = schema.pop("$defs")

    def filled(value: Any) -> Any:
        if isinstance(value, list):
            return [filled(each) for each in value]
        if not isinstance(value, dict):
            return value
        if "$ref" in value:
            return filled(parts[value["$ref"].rpartition("/")[2]])
        return {key: filled(each) for key, each in value.items()}

    inlined: dict[str, Any] = filled(schema)
    return inlined


SCHEMAS = {"batch": _inlined(ReportBatch), "batch-results": _inlined(BatchResults)}
_STORED, _REPEATED = ({"status": SUCCESSES[ruling]} for ruling in (Ruling.STORED, Ruling.REPEATED))


def read_batch(body: bytes, most: int, limiter: Limiter) -> list[Item | dict[str, Any]]:
    """The reports of a batch, or the problem that keeps one from the desk. One bad item does not touch the others.

    Raises:
        ProblemError: for a body that is no batch at all.
    """
    if not _could_be_one(body, most):
        raise ProblemError("bad-request", f"A batch holds at most {most} reports, and nothing else.")
    try:
        items = ReportBatch.model_validate_json(body).reports
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        raise ProblemError("bad-request", f"Look at: {'.'.join(map(str, first['loc'])) or 'body'}.") from None
    return [_item(each, limiter) for each in items]


def _could_be_one(body: bytes, most: int) -> bool:
    """Whether a body has no more parts than the largest batch.

    A value of JSON takes at least a bracket or a comma, and no string of a batch has any. So counting these bounds what
    a body becomes when it is parsed, which is a hundred times its bytes for a long list of empty objects.
    """
    fields = len(BatchItem.model_fields)
    return body.count(b"[") <= 1 and body.count(b"{") <= most + 1 and body.count(b",") <= most * fields


def _item(given: BatchItem, limiter: Limiter) -> Item | dict[str, Any]:
    token_hash = tokens.hashed(given.token)
    try:
        limiter.take(token_hash)
    except ProblemError as error:
        return error.body
    try:
        body = a2b_base64(given.report, strict_mode=True)
    except ValueError:
        return problem("bad-request", "Look at: report.")
    return Item(given.community, given.user, token_hash, body, given.epoch)


def results(items: Sequence[Item | dict[str, Any]], outcomes: Sequence[Outcome]) -> list[dict[str, Any]]:
    """The answer to each item, given what became of those that reached the desk."""
    rest = iter(outcomes)
    return [each if isinstance(each, dict) else _result(next(rest)) for each in items]


def _result(outcome: Outcome) -> dict[str, Any]:
    if outcome.ruling is Ruling.STORED:
        return _STORED
    if outcome.ruling is Ruling.REPEATED:
        return _REPEATED
    return refusal(outcome).body
