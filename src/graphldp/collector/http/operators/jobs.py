"""Jobs for operators' programs: start a training or a labelling, see how far it is, stop it. Thin routes."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Request
from pydantic import BeforeValidator, Field

from graphldp.collector.actions import jobs as actions
from graphldp.collector.http.operators.messages import Message
from graphldp.collector.http.operators.office import Office, described
from graphldp.collector.http.problems import ProblemError
from graphldp.collector.storage.operating.jobs import BackgroundJob
from graphldp.collector.workshop import Workshop
from graphldp.errors import ParameterError

_AT = "/v1/operator/jobs"
JobNumber = Annotated[int, Path(description="The job's number.", ge=0, lt=1 << 31)]


def _whole(given: Any) -> Any:
    """JSON has one kind of numbers: 3.0 is 3."""
    return int(given) if isinstance(given, float) and given.is_integer() else given


class StartBody(Message):
    """What to do. A defense, its allowance and a seed are a training's, a run is a labelling's."""

    kind: Literal["train", "label"]
    defense: Literal["recommended", "none"] = "recommended"
    allowance: Annotated[float, Field(ge=0, le=1, strict=True)] | None = None
    seed: Annotated[int, Field(ge=0, lt=1 << 32, strict=True), BeforeValidator(_whole)] = 0
    run: Annotated[int, Field(ge=0, lt=1 << 31, strict=True), BeforeValidator(_whole)] | None = None


class JobBody(Message):
    """A job: what it was asked to do, how far it is, and what it found."""

    key: int
    kind: Literal["train", "label"]
    settings: dict[str, Any]
    asked_by: str
    asked_at: str
    state: Literal["waiting", "running", "stopping", "done", "failed", "stopped", "lost"]
    doing: str
    share: float
    heard_at: str
    ended_at: str | None
    result: dict[str, Any]
    note: str


class JobsBody(Message):
    """The latest jobs, the last one first."""

    jobs: list[JobBody]


def make_router(office: Office, workshop: Workshop) -> APIRouter:
    """The routes, over a store and a workshop."""
    router, store = APIRouter(tags=["operators"]), office.store

    def known(number: int) -> BackgroundJob:
        try:
            return store.jobs.job(number)
        except ParameterError:
            raise ProblemError("not-found") from None

    @router.get(_AT, response_model=JobsBody, **described())
    async def list_jobs(request: Request) -> JobsBody:
        """The latest jobs, with how far they are and what they found."""
        await office.enter(request)
        found = await office.do(None, store.jobs.latest)
        return JobsBody(jobs=[_body(each) for each in found])

    @router.post(_AT, status_code=202, response_model=JobBody, **described(409, body=StartBody))
    async def start_job(request: Request) -> JobBody:
        """Train on all labelled communities, or label all others, by the recipe. One job runs at a time."""
        actor = await office.enter(request)
        given = await office.read(request, StartBody)

        def start() -> BackgroundJob:
            return actions.start(store, actor, workshop=workshop, **given.model_dump())

        return _body(await office.do(None, start))

    @router.get(f"{_AT}/{{job}}", response_model=JobBody, **described())
    async def show_job(request: Request, job: JobNumber) -> JobBody:
        """One job."""
        await office.enter(request)
        return _body(await office.do(None, lambda: known(job)))

    @router.post(f"{_AT}/{{job}}/stop", status_code=202, response_model=JobBody, **described(409))
    async def stop_job(request: Request, job: JobNumber) -> JobBody:
        """Ask a job to stop; it keeps nothing. One that is over stays as it is."""
        actor = await office.enter(request)

        def stop() -> BackgroundJob:
            try:  # her role is checked before the job is looked for
                return actions.stop(store, actor, job)
            except ParameterError:
                raise ProblemError("not-found") from None

        return _body(await office.do(None, stop))

    return router


def _body(job: BackgroundJob) -> JobBody:
    return JobBody(**job.to_json())
