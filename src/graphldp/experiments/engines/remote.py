"""Cells on a machine that has little more than torch: cells out as files, rows back as lines of JSON.

Here, the cells are written to a folder, except those that measure time; there, models are trained in stacks and what
needs no GPU is computed beside them, until all is done or the time is up; here again, the rows join the results::

    graphldp reproduce accuracy-lambda --dataset REDDIT-BINARY --effort paper --export work
    PYTHONPATH=src python -m graphldp.experiments.engines.remote work --out rows.jsonl --time-limit 540
    graphldp reproduce accuracy-lambda --dataset REDDIT-BINARY --effort paper --take rows.jsonl

The far machine needs numpy, scipy and torch, and scikit-learn for the controls; with numba the noise is drawn faster,
with the same bits.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from threading import Lock, Thread
from typing import TextIO

from graphldp.errors import FormatError
from graphldp.experiments.cells import Cell, Row, canonical
from graphldp.experiments.compute import compute
from graphldp.experiments.draws import Context, load
from graphldp.experiments.engines.grouping import ALONE, groups_of, merged
from graphldp.experiments.engines.local import LocalEngine
from graphldp.experiments.results import ResultsFile
from graphldp.machines.local import available_memory, cores

TRAININGS = ("accuracy", "poisoned-accuracy")
"""Kinds that a GPU is for."""


def export(cells: Iterable[Cell], context: Context, folder: Path) -> int:
    """Write cells and the graphs they need to a folder; returns how many cells."""
    chosen = [cell for cell in cells if cell.kind not in ALONE]
    folder.mkdir(parents=True, exist_ok=True)
    files = {}
    for number, dataset in enumerate(dict.fromkeys(_dataset(cell) for cell in chosen)):
        files[dataset] = f"graphs-{number}.npz"
        load(dataset, context).save(folder / files[dataset])
    (folder / "graphs.json").write_text(canonical(files))
    lines = (canonical({"kind": cell.kind, "params": cell.params}) for cell in chosen)
    (folder / "cells.jsonl").write_text("".join(f"{line}\n" for line in lines))
    return len(chosen)


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
) -> int:
    """Compute what a folder holds, least seeds first, and append each row to a file. Returns how many rows are new."""
    deadline = time.monotonic() + time_limit
    finished = {row.cell.id for row in read_rows(out)} if out.exists() else set()
    written = [json.loads(line) for line in (folder / "cells.jsonl").read_text().splitlines()]
    cells = [Cell.of(each["kind"], **each["params"]) for each in written]
    files = {name: str(folder / file) for name, file in json.loads((folder / "graphs.json").read_text()).items()}
    context = Context(
        files=tuple(files.items()),
        device=device,
        memory=int(share * available_memory(device)),
        at_once=at_once,
        workers=workers,
        deadline=deadline,
    )
    left = sorted((cell for cell in cells if cell.id not in finished), key=_urgency)
    with out.open("a") as file:
        writer = _Writer(file)
        beside = Thread(target=_beside, args=([c for c in left if c.kind not in TRAININGS], context, writer))
        beside.start()
        for pack in merged(groups_of(cell for cell in left if cell.kind in TRAININGS)[0], context):
            if time.monotonic() > deadline:
                break
            for row in compute(pack, context):
                writer.write(row)
        beside.join()
    return writer.count


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
    """Compute what needs no GPU, by other processes; the time limit ends it after a row."""
    near = replace(context, device="cpu", memory=available_memory("cpu") // context.workers, workers=1, at_once=1)
    rows = LocalEngine(context.workers).run(groups_of(cells)[0], replace(near, deadline=math.inf))
    for row in rows:
        writer.write(row)
        if time.monotonic() > context.deadline:
            break  # which ends the processes


def _urgency(cell: Cell) -> tuple[bool, int]:
    """Dense draws last, whole grids of the first seeds first: what the time cuts off costs error bars, not lines."""
    return cell.params["draw"]["mechanism"] == "rr", cell.params["seed"]


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
    )
    print(f"{new} new rows in {given.out}")


if __name__ == "__main__":
    main()
