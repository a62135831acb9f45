"""Cells on a machine that has little more than torch: cells out as files, rows back as lines of JSON.

Here, the cells are written to a folder; there, models are trained in stacks and what needs no GPU is computed beside
them, until all is done or the time is up; here again, the rows join the results::

    graphldp reproduce accuracy-lambda --dataset REDDIT-BINARY --effort paper --export work
    PYTHONPATH=src python -m graphldp.experiments.engines.remote work --out rows.jsonl --time-limit 540
    graphldp reproduce accuracy-lambda --dataset REDDIT-BINARY --effort paper --take rows.jsonl

Cells that measure time are computed by a call of their own, with ``--timed``. An experiment that plans its next step by
what came out, as a search does, goes on there. The far machine needs numpy, scipy and torch, and scikit-learn for the
controls; with numba the noise is drawn faster, with the same bits.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from threading import Lock, Thread
from typing import Any, TextIO

from graphldp.errors import FormatError
from graphldp.experiments.cells import Cell, Row, canonical
from graphldp.experiments.compute import ALONE, compute, groups_of, merged
from graphldp.experiments.draws import Context, load
from graphldp.experiments.engines.local import LocalEngine
from graphldp.experiments.plans.plan import make_plan
from graphldp.experiments.results import ResultsFile
from graphldp.experiments.trial import Work, work_of
from graphldp.machines.local import available_memory, cores

TRAININGS = ("accuracy", "poisoned-accuracy")
"""Kinds that a GPU is for."""


def export(
    work: Iterable[Work],
    context: Context,
    folder: Path,
    asked: Sequence[Mapping[str, Any]] = (),
    known: Iterable[Row] = (),
) -> int:
    """Write cells and the graphs they need to a folder; returns how many cells.

    Args:
        work: what to compute.
        context: where datasets are.
        folder: made where there is none.
        asked: arguments of :func:`graphldp.experiments.plans.plan.make_plan` of what the cells are for.
        known: rows that the plans' next steps depend on, where they are there already.
    """
    listed = [each.cell for each in work]
    chosen, timed = ([cell for cell in listed if (cell.kind in ALONE) is alone] for alone in (False, True))
    folder.mkdir(parents=True, exist_ok=True)
    files = {}
    needed = [_dataset(cell) for cell in listed if "nodes" not in cell.params]  # others are grown where they are timed
    for number, dataset in enumerate(dict.fromkeys(needed)):
        files[dataset] = f"graphs-{number}.npz"
        load(dataset, context).save(folder / files[dataset])
    (folder / "graphs.json").write_text(canonical(files), "utf-8")
    for name, own in (("cells", chosen), ("timed", timed)):
        lines = (canonical({"kind": cell.kind, "params": cell.params}) for cell in own)
        (folder / f"{name}.jsonl").write_text("".join(f"{line}\n" for line in lines), "utf-8")
    (folder / "plans.json").write_text(canonical([dict(each) for each in asked]), "utf-8")
    (folder / "known.jsonl").write_text("".join(f"{row.to_json()}\n" for row in known), "utf-8")
    return len(listed)


def _dataset(cell: Cell) -> str:
    params = cell.params
    return str(params["draw"]["dataset"] if "draw" in params else params["dataset"])


def take(path: Path, results: ResultsFile) -> int:
    """Add the rows of a file to the results; a row that is settled there stays. Returns how many are new."""
    settled = results.settled()
    count = 0
    for row in read_rows(path):
        if row.cell.id not in settled:
            results.add(row)
            count += 1
    return count


def read_rows(path: Path) -> list[Row]:
    """The rows of a file; a last line that was cut off in writing is left out."""
    try:
        text = path.read_text("utf-8")
    except FileNotFoundError:
        raise FormatError(f"{path}: there is no such file.") from None
    whole = text[: text.rfind("\n") + 1].splitlines()
    return [Row.from_json(line, f"{path}, line {number}") for number, line in enumerate(whole, 1)]


def compute_folder(
    folder: Path, out: Path, *, time_limit: float, device: str, at_once: int, workers: int = 1, timed: bool = False
) -> int:
    """Compute what a folder holds, least seeds first, and append each row to a file. Returns how many rows are new.

    Cells that measure time are left out unless ``timed`` asks for them; then nothing else is computed.
    """
    files = {name: str(folder / file) for name, file in json.loads((folder / "graphs.json").read_text("utf-8")).items()}
    context = Context(
        files=tuple(files.items()),
        device=device,
        memory=available_memory(device),
        at_once=at_once,
        workers=workers,
        deadline=time.monotonic() + time_limit,
    )
    rows = {row.cell.id: row for path in (folder / "known.jsonl", out) if path.exists() for row in read_rows(path)}
    with out.open("a", encoding="utf-8") as file:
        writer = _Writer(file, rows)
        if timed:
            for work in _written(folder, "timed"):
                if work.cell.id not in rows and time.monotonic() < context.deadline:
                    writer.write_all(compute([work], context))
            return writer.count
        near = [each for each in _left(folder, rows, context) if each.cell.kind not in TRAININGS]
        beside = Thread(target=_beside, args=(near, context, writer))
        beside.start()
        while trainings := [each for each in _left(folder, rows, context) if each.cell.kind in TRAININGS]:
            for pack in merged(groups_of(trainings)[0], context):
                if time.monotonic() < context.deadline:
                    writer.write_all(compute(pack, context))
        beside.join()
    return writer.count


def _written(folder: Path, name: str) -> list[Work]:
    lines = (folder / f"{name}.jsonl").read_text("utf-8").splitlines()
    return [work_of(Cell.of(each["kind"], **each["params"])) for each in map(json.loads, lines)]


def _left(folder: Path, rows: Mapping[str, Row], context: Context) -> list[Work]:
    """The work that is left, in the order in which to compute it; none once the time is up.

    A plan that depends on its own rows grows as they come.
    """
    if time.monotonic() > context.deadline:
        return []
    work = _written(folder, "cells")
    for asked in json.loads((folder / "plans.json").read_text("utf-8")):
        plan = make_plan(**asked, context=context, rows=rows)
        work += [entry.work for entry in plan.entries if entry.cell.kind not in ALONE]
    found = {each.cell.id: each for each in work if each.cell.id not in rows}
    return sorted(found.values(), key=_urgency)


class _Writer:
    """Rows, each written at once, from two threads."""

    def __init__(self, file: TextIO, rows: dict[str, Row]) -> None:
        self._file, self._rows, self._lock, self._start = file, rows, Lock(), time.monotonic()
        self.count = 0

    def write_all(self, rows: Iterable[Row]) -> None:
        for row in rows:
            with self._lock:
                self._rows[row.cell.id] = row
                self._file.write(row.to_json() + "\n")
                self._file.flush()
                self.count += 1
                if self.count % 16 == 0:
                    print(f"{self.count} new rows after {time.monotonic() - self._start:.0f} s", flush=True)


def _beside(work: Sequence[Work], context: Context, writer: _Writer) -> None:
    """Compute what needs no GPU in other processes; they stop after the first row past the time limit."""
    near = replace(context, device="cpu", memory=available_memory("cpu") // context.workers, workers=1, at_once=1)
    rows = LocalEngine(context.workers).run(groups_of(work)[0], replace(near, deadline=math.inf))
    for row in rows:
        writer.write_all([row])
        if time.monotonic() > context.deadline:
            break  # which ends the processes


def _urgency(work: Work) -> tuple[bool, int]:
    """Dense draws last, whole grids of the first seeds first: what the time cuts off costs error bars, not lines."""
    params = work.cell.params
    return params.get("draw", {}).get("mechanism") == "rr", params.get("seed", 0)


def main(arguments: Sequence[str] | None = None) -> None:
    """Train what a folder holds."""
    parser = argparse.ArgumentParser(prog="python -m graphldp.experiments.engines.remote", description=main.__doc__)
    parser.add_argument("folder", type=Path, help="what 'graphldp reproduce --export' wrote")
    parser.add_argument("--out", type=Path, required=True, help="rows are appended here as they are finished")
    parser.add_argument("--time-limit", type=float, default=float("inf"), help="seconds")
    parser.add_argument("--device", default="auto", help="auto, cpu or cuda")
    parser.add_argument("--at-once", type=int, default=128, help="trainings that run as one computation")
    parser.add_argument("--workers", type=int, default=1, help="processes beside the one that trains")
    parser.add_argument("--timed", action="store_true", help="what measures time, and nothing beside it")
    given = parser.parse_args(arguments)
    from graphldp.learn.engine.training import resolve_device

    device = str(resolve_device(given.device))
    if device == "cpu":
        import torch

        torch.set_num_threads(cores())
    new = compute_folder(
        given.folder,
        given.out,
        time_limit=given.time_limit,
        device=device,
        at_once=given.at_once,
        workers=given.workers,
        timed=given.timed,
    )
    print(f"{new} new rows in {given.out}")


if __name__ == "__main__":
    main()
