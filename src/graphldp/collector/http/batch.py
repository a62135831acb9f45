"""Many users' reports and answers in one request, sealed or not, for relays that hide who sends when."""

from __future__ import annotations

from binascii import a2b_base64
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, NamedTuple

from pydantic import BaseModel, BeforeValidator, ConfigDict, Discriminator, FailFast, Field, Tag, ValidationError

from graphldp import wire
from graphldp.collector import tokens
from graphldp.collector.http.limits import Limiter, parse_json
from graphldp.collector.http.problems import REFUSALS, SUCCESSES, UNANSWERED, ProblemError, refusal
from graphldp.collector.storage.collecting.accepting import Outcome, Ruling
from graphldp.collector.storage.operating.sealing_keys import Opener, UnknownKeyError
from graphldp.collector.storage.report_writer import SentReport
from graphldp.errors import WireError
from graphldp.wire.problems import problem


def _whole(value: Any) -> Any:
    """JSON knows one kind of number: 12.0 is a whole one."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


class _OfSlot(BaseModel):
    """The fields that an item's own request would carry."""

    model_config = ConfigDict(extra="forbid")

    community: str = Field(pattern=wire.ID_PATTERN)
    user: Annotated[int, BeforeValidator(_whole)] = Field(ge=0, lt=wire.MAX_USERS, strict=True)
    epoch: Annotated[int, BeforeValidator(_whole)] = Field(
        description="The epoch that it was drawn for: no other takes it.", ge=1, le=wire.MAX_EPOCH, strict=True
    )
    token: str = Field(max_length=64)


def _base64(what: str) -> Any:
    return Field(description=f"The bytes of {what} in base64.", json_schema_extra={"contentEncoding": "base64"})


class BatchReport(_OfSlot):
    """One report of a batch."""

    report: str = _base64("the report")


class BatchAnswer(_OfSlot):
    """One answer to a second question."""

    answer: str = _base64("the answer")


class BatchSealed(BaseModel):
    """A report or an answer that is sealed to the collector's key: who carries it sees its community, and no more."""

    model_config = ConfigDict(extra="forbid")

    community: str = Field(pattern=wire.ID_PATTERN)
    sealed: str = _base64("the sealed message")


def _which(item: Any) -> str:
    return next((name for name in ("sealed", "answer") if isinstance(item, dict) and name in item), "report")


_BatchItem = Annotated[
    Annotated[BatchReport, Tag("report")]
    | Annotated[BatchAnswer, Tag("answer")]
    | Annotated[BatchSealed, Tag("sealed")],
    Discriminator(_which),
]


class ReportBatch(BaseModel):
    """Reports of many users, and their answers to second questions, in any order."""

    model_config = ConfigDict(extra="forbid")

    # one bad item is enough to refuse the whole: to describe all of them would take more memory than the batch
    reports: Annotated[list[_BatchItem], FailFast()] = Field(min_length=1)


class BatchResult(BaseModel):
    """The result of one report: 200 or 201, or a problem."""

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
SEALED_AS = 10  # plain items: opening one costs more than all else that is done with it
_TAG_AT = 2  # where an error's place names the kind of item: reports, its number, the kind
_TAKEN = {ruling: {"status": status} for ruling, status in SUCCESSES.items()}


class SentAnswer(NamedTuple):
    """An answer as it arrived; its fields are those of a report."""

    community: str
    user: int
    token: str
    body: bytes
    epoch: int | None


Read = SentReport | SentAnswer | dict[str, Any]
"""A report to write, an answer, or the problem that keeps an item from being either."""


def read_batch(body: bytes, most: int, limiter: Limiter, opener: Opener) -> list[Read]:
    """The items of a batch. One bad item does not touch the others.

    Args:
        body: the batch.
        most: how many items it may have; a sealed one counts as ten, since it takes as long to open.
        limiter: by token.
        opener: opens what is sealed.
    """
    # no honest string of a batch has a bracket or a comma
    if not body.isascii():
        raise ProblemError("bad-request", "A batch is written in ASCII.")
    given = parse_json(body, values=most * len(BatchReport.model_fields), containers=most + 1)
    try:
        items = ReportBatch.model_validate(given).reports  # apart: each error of both in one keeps a copy of its item
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        place = [str(part) for at, part in enumerate(first["loc"]) if at != _TAG_AT]
        raise ProblemError("bad-request", f"Look at: {'.'.join(place) or 'body'}.") from None
    if SEALED_AS * sum(isinstance(each, BatchSealed) for each in items) > most:
        raise ProblemError("bad-request", f"A batch holds at most {most // SEALED_AS} sealed reports.")
    return [_read(each, limiter, opener) for each in items]


def _read(given: BatchReport | BatchAnswer | BatchSealed, limiter: Limiter, opener: Opener) -> Read:
    name = "report" if isinstance(given, BatchReport) else "answer" if isinstance(given, BatchAnswer) else "sealed"
    try:
        body = a2b_base64(getattr(given, name), strict_mode=True)
    except ValueError:
        return problem("bad-request", f"Look at: {name}.")
    if isinstance(given, BatchSealed):
        try:
            inner = opener.open(given.community, body)
        except UnknownKeyError:
            return problem("unknown-key")
        except WireError:
            return problem("bad-seal")
    else:
        inner = wire.Inner(name, given.epoch, given.user, given.token, body)
    token_hash = tokens.hashed(inner.token)
    try:
        limiter.take(token_hash)
    except ProblemError as error:
        return error.body
    if inner.kind == "answer":
        return SentAnswer(given.community, inner.user, inner.token, inner.body, inner.epoch)
    return SentReport(given.community, inner.user, token_hash, inner.body, inner.epoch)


def results(items: Sequence[Read], outcomes: Sequence[Outcome], answers: Sequence[Outcome]) -> list[dict[str, Any]]:
    """The result of each item, given the outcomes of the reports and of the answers among them."""
    decided, answered = iter(outcomes), iter(answers)
    return [
        each
        if isinstance(each, dict)
        else _result(next(answered), UNANSWERED)
        if isinstance(each, SentAnswer)
        else _result(next(decided), REFUSALS)
        for each in items
    ]


def _result(outcome: Outcome, kinds: Mapping[Ruling, str]) -> dict[str, Any]:
    return _TAKEN.get(outcome.ruling) or refusal(outcome, kinds).body
