"""Jobs for operators' programs: start a training or a labelling, see how far it is, stop it. Thin routes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Request
from pydantic import BeforeValidator, Field

from graphldp.collector.actions import job_control as actions
from graphldp.collector.actions.job_control import JobProcesses
from graphldp.collector.http.operators.messages import Message
from graphldp.collector.http.operators.operator_requests import OperatorRequests, described
from graphldp.collector.http.problems import ProblemError
from graphldp.collector.roles import Actor
from graphldp.collector.storage.operating.jobs import BackgroundJob
from graphldp.errors import ParameterError

_AT = "/v1/operator/jobs"
JobNumber = Annotated[int, Path(description="The job's number.", ge=0, lt=1 << 31)]


def _whole(given: Any) -> Any:
    """JSON has one kind of numbers: 3.0 is 3."""
    return int(given) if isinstance(given, float) and given.is_integer() else given


class StartBody(Message):
    """A job to start. A defense, its allowance, a seed and whom to trust are a training's, a run is a labelling's."""

    kind: Literal["train", "label"]
    defense: Literal["recommended", "none"] = "recommended"
    allowance: Annotated[float, Field(ge=0, le=1, strict=True)] | None = None
    seed: Annotated[int, Field(ge=0, lt=1 << 32, strict=True), BeforeValidator(_whole)] = 0
    run: Annotated[int, Field(ge=0, lt=1 << 31, strict=True), BeforeValidator(_whole)] | None = None
    trusted_only: bool = False


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
    alive_at: str
    ended_at: str | None
    result: dict[str, Any]
    note: str


class JobsBody(Message):
    """The latest jobs, the last one first."""

    jobs: list[JobBody]


def make_router(requests: OperatorRequests, processes: JobProcesses) -> APIRouter:
    """The routes."""
    router, store = APIRouter(tags=["operators"]), requests.store

    def known(action: Callable[[], BackgroundJob]) -> JobBody:
        try:
            return _body(action())
        except ParameterError:
            raise ProblemError("not-found") from None

    @router.get(_AT, response_model=JobsBody, **described())
    async def list_jobs(request: Request) -> JobsBody:
        """The latest jobs, with how far they are and what they found."""
        found = await requests.act(request, lambda _: store.jobs.latest())
        return JobsBody(jobs=[_body(each) for each in found])

    @router.post(_AT, status_code=202, response_model=JobBody, **described(409, body=StartBody))
    async def start_job(request: Request) -> JobBody:
        """Train on all labelled communities, or label all others, by the recipe. One job runs at a time."""

        def start(actor: Actor, given: StartBody) -> JobBody:
            return _body(actions.start(store, actor, processes=processes, **given.model_dump()))

        return await requests.act_on(request, StartBody, start)

    @router.get(f"{_AT}/{{job}}", response_model=JobBody, **described())
    async def show_job(request: Request, job: JobNumber) -> JobBody:
        """One job."""
        return await requests.act(request, lambda _: known(lambda: store.jobs.job(job)))

    @router.post(f"{_AT}/{{job}}/stop", status_code=202, response_model=JobBody, **described(409))
    async def stop_job(request: Request, job: JobNumber) -> JobBody:
        """Ask a job to stop; it keeps nothing. One that is over stays as it is."""
        # her role is checked before the job is looked for
        return await requests.act(request, lambda who: known(lambda: actions.stop(store, who, job)))

    return router


def _body(job: BackgroundJob) -> JobBody:
    return JobBody(**job.to_json())
