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
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Lock, Thread
from typing import Any, TextIO

from graphldp.errors import FormatError
from graphldp.experiments.cells import Cell, Row, canonical
from graphldp.experiments.compute import compute
from graphldp.experiments.draws import Context, load
from graphldp.experiments.engines.grouping import ALONE, groups_of, merged
from graphldp.experiments.engines.local import LocalEngine
from graphldp.experiments.plans.plan import make_plan
from graphldp.experiments.results import ResultsFile
from graphldp.machines.local import available_memory, cores

TRAININGS = ("accuracy", "poisoned-accuracy")
"""Kinds that a GPU is for."""


def export(
    cells: Iterable[Cell],
    context: Context,
    folder: Path,
    asked: Sequence[Mapping[str, Any]] = (),
    known: Iterable[Row] = (),
) -> int:
    """Write cells and the graphs they need to a folder; returns how many cells.

    Args:
        cells: what to compute.
        context: where datasets are.
        folder: made where there is none.
        asked: arguments of :func:`graphldp.experiments.plans.plan.make_plan` of what the cells are for.
        known: rows that the plans' next steps depend on, where they are there already.
    """
    listed = list(cells)
    chosen, timed = ([cell for cell in listed if (cell.kind in ALONE) is alone] for alone in (False, True))
    folder.mkdir(parents=True, exist_ok=True)
    files = {}
    needed = [_dataset(cell) for cell in listed if "nodes" not in cell.params]  # others are grown where they are timed
    for number, dataset in enumerate(dict.fromkeys(needed)):
        files[dataset] = f"graphs-{number}.npz"
        load(dataset, context).save(folder / files[dataset])
    (folder / "graphs.json").write_text(canonical(files))
    for name, own in (("cells", chosen), ("timed", timed)):
        lines = (canonical({"kind": cell.kind, "params": cell.params}) for cell in own)
        (folder / f"{name}.jsonl").write_text("".join(f"{line}\n" for line in lines))
    (folder / "plans.json").write_text(canonical([dict(each) for each in asked]))
    (folder / "known.jsonl").write_text("".join(f"{row.to_json()}\n" for row in known))
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
        text = path.read_text()
    except FileNotFoundError:
        raise FormatError(f"{path}: there is no such file.") from None
    whole = text[: text.rfind("\n") + 1].splitlines()
    return [Row.from_json(line, f"{path}, line {number}") for number, line in enumerate(whole, 1)]


def compute_folder(
    folder: Path,
    out: Path,
    *,
    time_limit: float,
    device: str,
    at_once: int,
    workers: int = 1,
    share: float = 1.0,
    trainers: int = 1,
    timed: bool = False,
) -> int:
    """Compute what a folder holds, least seeds first, and append each row to a file. Returns how many rows are new.

    Cells that measure time are left out unless ``timed`` asks for them; then nothing else is computed.
    """
    deadline = time.monotonic() + time_limit
    files = {name: str(folder / file) for name, file in json.loads((folder / "graphs.json").read_text()).items()}
    context = Context(
        files=tuple(files.items()),
        device=device,
        memory=int(share * available_memory(device)),
        at_once=at_once,
        workers=workers,
        deadline=deadline,
    )
    work = _Work(folder, out, context)
    with out.open("a") as file:
        writer = _Writer(file)
        if timed:
            for cell in work.timed():
                for row in compute([cell], context):
                    writer.write(row)
            return writer.count
        near = [cell for cell in work.left() if cell.kind not in TRAININGS]
        beside = Thread(target=_beside, args=(near, context, writer))
        beside.start()
        for row in _trained(work, context, trainers):
            work.rows[row.cell.id] = row
            writer.write(row)
        beside.join()
    return writer.count


class _Work:
    """What a folder asks for, and which rows are there. A plan that depends on its own rows grows as they come."""

    def __init__(self, folder: Path, out: Path, context: Context) -> None:
        self._folder, self._context = folder, context
        self.rows = {
            row.cell.id: row for path in (folder / "known.jsonl", out) if path.exists() for row in read_rows(path)
        }

    def left(self) -> list[Cell]:
        """The cells that are not there, in the order in which to compute them; none once the time is up."""
        if time.monotonic() > self._context.deadline:
            return []
        cells = self._written("cells")
        for asked in json.loads((self._folder / "plans.json").read_text()):
            plan = make_plan(**asked, context=self._context, rows=self.rows)
            cells += [entry.cell for entry in plan.entries if entry.cell.kind not in ALONE]
        found = {cell.id: cell for cell in cells if cell.id not in self.rows}
        return sorted(found.values(), key=_urgency)

    def timed(self) -> Iterator[Cell]:
        """The cells that measure time and are not there, as long as there is time."""
        for cell in self._written("timed"):
            if cell.id not in self.rows and time.monotonic() < self._context.deadline:
                yield cell

    def _written(self, name: str) -> list[Cell]:
        lines = (self._folder / f"{name}.jsonl").read_text().splitlines()
        return [Cell.of(each["kind"], **each["params"]) for each in map(json.loads, lines)]

    def trainings(self) -> list[Cell]:
        """Those of them that a GPU is for."""
        return [cell for cell in self.left() if cell.kind in TRAININGS]


def _trained(work: _Work, context: Context, trainers: int) -> Iterator[Row]:
    """The rows of all trainings, by this process or by several, which then leave a GPU less idle."""
    if trainers > 1:
        part = replace(context, memory=context.memory // trainers)
        dealt = partial(_dealt, work, trainers)
        yield from LocalEngine(trainers).run(dealt(), part, dealt)
        return
    while cells := work.trainings():
        for pack in merged(groups_of(cells)[0], context):
            if time.monotonic() > context.deadline:
                return
            yield from compute(pack, context)


def _dealt(work: _Work, trainers: int) -> list[list[Cell]]:
    """The trainings dealt to as many processes, about the same work to each; one architecture goes to one process."""
    shapes: dict[str, list[Cell]] = {}
    for cell in work.trainings():
        shape = {name: value for name, value in cell.params["model"].items() if name != "dropout"}
        shapes.setdefault(canonical(shape), []).append(cell)
    hands: list[list[Cell]] = [[] for _ in range(trainers)]
    for cells in sorted(shapes.values(), key=_cost, reverse=True):
        min(hands, key=_cost).extend(cells)
    return [hand for hand in hands if hand]


def _cost(cells: Sequence[Cell]) -> float:
    """Roughly how much work some trainings are; with dense lists a training counts ten times."""
    total = 0.0
    for cell in cells:
        model, epochs = cell.params["model"], cell.params["training"]["max_epochs"]
        total += (model["layers"] - 1) * (model["hidden"] + 32) * epochs * (10 if _is_dense(cell) else 1)
    return total


class _Writer:
    """Rows, each written at once, from several threads."""

    def __init__(self, file: TextIO) -> None:
        self._file, self._lock, self._start = file, Lock(), time.monotonic()
        self.count = 0

    def write(self, row: Row) -> None:
        with self._lock:
            self._file.write(row.to_json() + "\n")
            self._file.flush()
            self.count += 1
            if self.count % 16 == 0:
                print(f"{self.count} new rows after {time.monotonic() - self._start:.0f} s", flush=True)


def _beside(cells: Sequence[Cell], context: Context, writer: _Writer) -> None:
    """Compute what needs no GPU in other processes; they stop after the first row past the time limit."""
    near = replace(context, device="cpu", memory=available_memory("cpu") // context.workers, workers=1, at_once=1)
    rows = LocalEngine(context.workers).run(groups_of(cells)[0], replace(near, deadline=math.inf))
    for row in rows:
        writer.write(row)
        if time.monotonic() > context.deadline:
            break  # which ends the processes


def _urgency(cell: Cell) -> tuple[bool, int]:
    """Dense draws last, whole grids of the first seeds first: what the time cuts off costs error bars, not lines."""
    return _is_dense(cell), cell.params.get("seed", 0)


def _is_dense(cell: Cell) -> bool:
    return bool(cell.params.get("draw", {}).get("mechanism") == "rr")


def main(arguments: Sequence[str] | None = None) -> None:
    """Train what a folder holds."""
    parser = argparse.ArgumentParser(prog="python -m graphldp.experiments.engines.remote", description=main.__doc__)
    parser.add_argument("folder", type=Path, help="what 'graphldp reproduce --export' wrote")
    parser.add_argument("--out", type=Path, required=True, help="rows are appended here as they are finished")
    parser.add_argument("--time-limit", type=float, default=float("inf"), help="seconds")
    parser.add_argument("--device", default="auto", help="auto, cpu or cuda")
    parser.add_argument("--at-once", type=int, default=128, help="trainings that run as one computation")
    parser.add_argument("--workers", type=int, default=1, help="processes beside the one that trains")
    parser.add_argument("--share", type=float, default=1.0, help="of the free memory to use, beside another one")
    parser.add_argument("--trainers", type=int, default=1, help="processes that train, each its own architectures")
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
        share=given.share,
        trainers=given.trainers,
        timed=given.timed,
    )
    print(f"{new} new rows in {given.out}")


if __name__ == "__main__":
    main()
