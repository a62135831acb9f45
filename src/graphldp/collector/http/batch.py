"""Many users' reports in one request, for relays that hide who sends when."""

from __future__ import annotations

from binascii import a2b_base64
from collections.abc import Sequence
from typing import Annotated, Any, NamedTuple

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from graphldp import wire
from graphldp.collector import tokens
from graphldp.collector.community import COMMUNITY_PATTERN, Community
from graphldp.collector.http.limits import Limiter
from graphldp.collector.http.problems import REFUSALS, SUCCESSES, ProblemError, problem_body
from graphldp.collector.intake import Submission, Verdict
from graphldp.collector.scan import read
from graphldp.collector.storage.catalogue import Catalogue


def _whole(value: Any) -> Any:
    """JSON knows one kind of number: 12.0 is a whole one."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


class BatchItem(BaseModel):
    """One report of a batch, with what its own request would carry."""

    model_config = ConfigDict(extra="forbid")

    community: str = Field(pattern=COMMUNITY_PATTERN)
    user: Annotated[int, BeforeValidator(_whole)] = Field(ge=0, lt=wire.MAX_USERS, strict=True)
    epoch: Annotated[int, BeforeValidator(_whole)] = Field(
        description="The epoch that the report was drawn for: no other takes it.", ge=1, lt=1 << 31, strict=True
    )
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


_STORED, _REPEATED = ({"status": SUCCESSES[verdict]} for verdict in (Verdict.STORED, Verdict.REPEATED))


class Readable(NamedTuple):
    """An item that goes to the store.

    Args:
        submission: what the store gets.
        wrong: what is wrong with the report, if anything is.
        late: whether it was drawn for another epoch than the community's. Its token alone goes to the store, so that
            nobody without one learns the epoch.
    """

    submission: Submission
    wrong: str | None = None
    late: bool = False


def read_batch(body: bytes, most: int, catalogue: Catalogue, limiter: Limiter) -> list[Readable | dict[str, Any]]:
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
    known = {item.community: catalogue.known(item.community) for item in items}
    communities = {id: found for id, found in known.items() if found is not None}
    unsure = {item.community for item in items if not _in_epoch(item, communities.get(item.community))}
    if unsure:  # not read before, or a new epoch may have opened since
        communities |= catalogue.read(*unsure)
    return [_read(item, communities.get(item.community), limiter) for item in items]


def _in_epoch(item: BatchItem, community: Community | None) -> bool:
    return community is not None and community.epoch == item.epoch


def _read(item: BatchItem, community: Community | None, limiter: Limiter) -> Readable | dict[str, Any]:
    token_hash = tokens.hashed(item.token)
    try:
        limiter.take(token_hash)
    except ProblemError as error:
        return error.body
    if community is None:
        return problem_body("unauthorized")
    if not _in_epoch(item, community):
        return Readable(Submission(community.key, item.user, token_hash, None), late=True)
    try:
        body = a2b_base64(item.report, strict_mode=True)
    except ValueError:
        return problem_body("bad-request", "Look at: report.")
    if len(body) > wire.max_size(community.n):
        return problem_body("too-large")
    degree, wrong = read(community, item.user, body)
    return Readable(Submission(community.key, item.user, token_hash, None if wrong else body, degree), wrong)


def results(items: Sequence[Readable | dict[str, Any]], verdicts: Sequence[Verdict]) -> list[dict[str, Any]]:
    """The answer to each item, given the verdicts on those that reached the store."""
    rest = iter(verdicts)
    return [item if isinstance(item, dict) else _result(item, next(rest)) for item in items]


def _result(item: Readable, verdict: Verdict) -> dict[str, Any]:
    if verdict is Verdict.STORED:
        return _STORED
    if verdict is Verdict.REPEATED:
        return _REPEATED
    if verdict is Verdict.UNREADABLE and item.late:
        return problem_body(REFUSALS[Verdict.OUTDATED])
    # why a report cannot be read is for its slot's owner only
    return problem_body(REFUSALS[verdict], item.wrong if verdict is Verdict.UNREADABLE else None)
