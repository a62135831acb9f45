"""Trainings on a machine that has little more than torch: cells out as files, rows back as lines of JSON.

Here, what needs no GPU is computed and the trainings are written to a folder; there, they are trained in stacks until
they are done or the time is up; here again, their rows join the results::

    graphldp reproduce accuracy-lambda --dataset REDDIT-BINARY --effort paper --export work
    PYTHONPATH=src python -m graphldp.experiments.remote work --out rows.jsonl --time-limit 540
    graphldp reproduce accuracy-lambda --dataset REDDIT-BINARY --effort paper --take rows.jsonl

The far machine needs numpy, scipy and torch; with numba the noise is drawn faster, with the same bits.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from graphldp.errors import FormatError
from graphldp.experiments.cells import Cell, Row, canonical
from graphldp.experiments.compute import compute
from graphldp.experiments.draws import Context, load
from graphldp.experiments.grouping import groups_of, merged
from graphldp.experiments.machine import available_memory, cores
from graphldp.experiments.results import Results

TRAINING = "accuracy"


def export(cells: Iterable[Cell], context: Context, folder: Path) -> int:
    """Write trainings and the graphs they need to a folder; returns how many trainings."""
    trainings = [cell for cell in cells if cell.kind == TRAINING]
    folder.mkdir(parents=True, exist_ok=True)
    files = {}
    for number, dataset in enumerate(dict.fromkeys(cell.params["draw"]["dataset"] for cell in trainings)):
        files[dataset] = f"graphs-{number}.npz"
        load(dataset, context).save(folder / files[dataset])
    (folder / "graphs.json").write_text(canonical(files))
    (folder / "cells.jsonl").write_text("".join(f"{cell.text}\n" for cell in trainings))
    return len(trainings)


def take(path: Path, results: Results) -> int:
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


def compute_folder(folder: Path, out: Path, *, time_limit: float, device: str, at_once: int) -> int:
    """Train what a folder holds, least seeds first, and append each row to a file. Returns how many rows are new."""
    start = time.monotonic()
    deadline = start + time_limit
    finished = {row.cell.id for row in read_rows(out)} if out.exists() else set()
    cells = [Cell(TRAINING, line) for line in (folder / "cells.jsonl").read_text().splitlines()]
    files = {name: str(folder / file) for name, file in json.loads((folder / "graphs.json").read_text()).items()}
    context = Context(
        files=tuple(files.items()),
        device=device,
        memory=available_memory(device),
        at_once=at_once,
        deadline=deadline,
    )
    waiting, _ = groups_of(sorted((c for c in cells if c.id not in finished), key=_urgency))
    count = 0
    with out.open("a") as file:
        for pack in merged(waiting, context):
            if time.monotonic() > deadline:
                break
            for row in compute(pack, context):
                file.write(row.to_json() + "\n")
                file.flush()
                count += 1
            print(f"{count} new rows after {time.monotonic() - start:.0f} s", flush=True)
    return count


def _urgency(cell: Cell) -> tuple[bool, int]:
    """Dense draws last, whole grids of the first seeds first: what the time cuts off costs error bars, not lines."""
    return cell.params["draw"]["mechanism"] == "rr", cell.params["seed"]


def main(arguments: Sequence[str] | None = None) -> None:
    """Train what a folder holds."""
    parser = argparse.ArgumentParser(prog="python -m graphldp.experiments.remote", description=main.__doc__)
    parser.add_argument("folder", type=Path, help="what 'graphldp reproduce --export' wrote")
    parser.add_argument("--out", type=Path, required=True, help="rows are appended here as they are finished")
    parser.add_argument("--time-limit", type=float, default=float("inf"), help="seconds")
    parser.add_argument("--device", default="auto", help="auto, cpu or cuda")
    parser.add_argument("--at-once", type=int, default=64, help="trainings that run as one computation")
    given = parser.parse_args(arguments)
    from graphldp.learn.training import resolve_device

    device = str(resolve_device(given.device))
    if device == "cpu":
        import torch

        torch.set_num_threads(cores())
    new = compute_folder(given.folder, given.out, time_limit=given.time_limit, device=device, at_once=given.at_once)
    print(f"{new} new rows in {given.out}")


if __name__ == "__main__":
    main()
