"""The page of jobs: start a training or a labelling, watch it, stop it. Thin."""

from __future__ import annotations

import math
from pathlib import Path as Folder
from typing import Annotated, Any

from fastapi import APIRouter, Path, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import RedirectResponse, Response

from graphldp.allowance import ALLOWANCE
from graphldp.collector.actions import jobs as actions
from graphldp.collector.dashboard.doors import Doors
from graphldp.collector.http.problems import ProblemError
from graphldp.collector.storage.operating.jobs import Kind
from graphldp.collector.storage.store import Store
from graphldp.collector.workshop import Workshop
from graphldp.errors import BusyError, ParameterError

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
        "unlabelled": sum(each.label is None for each in communities),
        "trained": bool(actions.models_there(store, models)),
        "classes": store.classes.names(),
        "allowances": _ALLOWANCES,
        "allowance": ALLOWANCE,
    }


def _number(written: str) -> float:
    """What a form says; what is no number from 0 to 1 is refused where the job would start."""
    try:
        return float(written)
    except ValueError:
        return math.nan


def add_routes(router: APIRouter, doors: Doors, store: Store, workshop: Workshop) -> None:
    """The page, over a store and a workshop."""

    @router.get(_HERE)
    def jobs(request: Request) -> Response:
        return doors.show(request, "jobs.html", lambda: shown_jobs(store, workshop.models))

    @router.post(_HERE + "/train")
    async def train(request: Request) -> Response:
        return await start(request, "train")

    @router.post(_HERE + "/label")
    async def label(request: Request) -> Response:
        return await start(request, "label")

    async def start(request: Request, kind: Kind) -> Response:
        session, form = await doors.enter(request)
        defense = form.get("defense") or "recommended"
        written = form.get("allowance") if kind == "train" and defense == "recommended" else ""
        allowance = _number(written) if written else None
        try:
            await run_in_threadpool(
                actions.start, store, session.actor, kind, workshop, defense=defense, allowance=allowance
            )
        except ParameterError as error:
            made = await run_in_threadpool(shown_jobs, store, workshop.models)
            status = 409 if isinstance(error, BusyError) else 422
            return doors.page("jobs.html", session, status, alert=str(error), **made)
        return RedirectResponse(_HERE, 303)

    @router.post(_HERE + "/{job}/stop")
    async def stop(request: Request, job: Annotated[int, Path(ge=0, lt=1 << 31)]) -> Response:
        session, _ = await doors.enter(request)
        try:
            await run_in_threadpool(actions.stop, store, session.actor, job)
        except ParameterError:
            raise ProblemError("not-found") from None
        return RedirectResponse(_HERE, 303)
