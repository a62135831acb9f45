"""The page of jobs: start a training or a labelling, watch it, stop it. Thin."""

from __future__ import annotations

import math
from pathlib import Path as Folder
from typing import Annotated, Any

from fastapi import APIRouter, Path, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import RedirectResponse, Response

from graphldp.allowance import ALLOWANCE
from graphldp.collector.actions import job_control as actions
from graphldp.collector.actions.job_control import JobProcesses
from graphldp.collector.dashboard.forms import Form
from graphldp.collector.dashboard.pages import Pages
from graphldp.collector.http.problems import ProblemError
from graphldp.collector.storage.operating.jobs import Kind
from graphldp.collector.storage.operating.operators import Session
from graphldp.collector.storage.store import Store
from graphldp.errors import ParameterError

_HERE = "/dashboard/jobs"
_ALLOWANCES = (0.0, ALLOWANCE, 0.02, 0.05, 0.1)


def shown_jobs(store: Store, models: Folder) -> dict[str, Any]:
    """The job that is under way, those that are over, and what there is to learn from."""
    found = store.jobs.latest()
    communities = store.communities()
    return {
        "here": "jobs",
        "now": next((each for each in found if each.under_way), None),
        "over": [each for each in found if not each.under_way],
        "labelled": sum(each.label is not None for each in communities),
        "trusted": sum(each.label is not None and each.trusted for each in communities),
        "unlabelled": sum(each.label is None for each in communities),
        "trained": bool(actions.models_there(store, models)),
        "classes": store.classes.names(),
        "allowances": _ALLOWANCES,
        "allowance": ALLOWANCE,
    }


def _number(written: str) -> float:
    """The number of a field; what is none from 0 to 1 is refused where the job would start."""
    try:
        return float(written)
    except ValueError:
        return math.nan


def add_routes(router: APIRouter, pages: Pages, store: Store, processes: JobProcesses) -> None:
    """Add the page, over a store."""

    @router.get(_HERE)
    def jobs(request: Request) -> Response:
        return pages.show(request, "jobs.html", lambda _: shown_jobs(store, processes.models))

    @router.post(_HERE + "/train")
    async def train(request: Request) -> Response:
        return await start(request, "train")

    @router.post(_HERE + "/label")
    async def label(request: Request) -> Response:
        return await start(request, "label")

    async def start(request: Request, kind: Kind) -> Response:
        def begin(session: Session, form: Form) -> None:
            defense = form.get("defense") or "recommended"
            written = form.get("allowance") if kind == "train" and defense == "recommended" else ""
            about: dict[str, Any] = {"defense": defense, "allowance": _number(written) if written else None}
            actions.start(store, session.actor, kind, processes, trusted_only=form.has("trusted_only"), **about)

        def again(*_: object) -> tuple[str, dict[str, Any]]:
            return "jobs.html", shown_jobs(store, processes.models)

        return await pages.act(request, begin, again, _HERE)

    @router.post(_HERE + "/{job}/stop")
    async def stop(request: Request, job: Annotated[int, Path(ge=0, lt=1 << 31)]) -> Response:
        async with pages.enter(request) as (session, _):
            try:
                await run_in_threadpool(actions.stop, store, session.actor, job)
            except ParameterError:
                raise ProblemError("not-found") from None
        return RedirectResponse(_HERE, 303)
