"""A job as a row of a table, or of JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from graphldp.collector.storage.operating.jobs import BackgroundJob


def row_of(job: BackgroundJob, *, as_json: bool) -> dict[str, Any]:
    """What is said of a job: all of it for scripts, one line for people."""
    if as_json:
        return job.to_json()
    return {
        "job": job.key,
        "kind": job.kind,
        "state": job.state,
        "done": f"{job.share:.0%}",
        "asked by": job.asked_by,
        "what": job.doing if job.under_way else job.note or found(job),
    }


def found(job: BackgroundJob) -> str:
    """What a finished job found, in a few words."""
    result = job.result
    if job.kind == "train" and result.get("accuracy") is not None:
        span = f", {result['low']:.0%} to {result['high']:.0%}" if result.get("low") is not None else ""
        return f"accuracy {result['accuracy']:.0%} of {result['held_out']} held out{span}"
    return f"{result['labelled']:,} labelled, {result['left_out']:,} left out" if "labelled" in result else ""
