"""Numbers of a study, each kept as soon as it is known: interrupt the study, and run it again."""

from __future__ import annotations

import json
import multiprocessing
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any

import numpy as np

from graphldp.files.whole import written_whole

Known = dict[tuple[Any, ...], float]
"""Accuracies by the fields of a study's key."""


def read(path: Path) -> Known:
    """What is known."""
    rows = json.loads(path.read_text()) if path.exists() else []
    return {tuple(value for name, value in row.items() if name != "accuracy"): row["accuracy"] for row in rows}


def compute(path: Path, wanted: Iterable[Any], accuracy: Callable[..., float], jobs: int, *given: Any) -> None:
    """Compute what is missing, several numbers at a time, and keep each in order.

    Args:
        path: a JSON file.
        wanted: keys, all of one kind of named tuple.
        accuracy: called with a key and ``given``.
        jobs: how many at a time.
        given: see there.
    """
    missing = [key for key in wanted if key not in read(path)]
    with ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn")) as pool:
        running = {pool.submit(accuracy, key, *given): key for key in missing}
        for done in as_completed(running):
            known, key = read(path), running[done]
            known[key] = round(done.result(), 5)
            order = sorted(known, key=lambda each: [str(part or "") for part in each])
            rows = [json.dumps(dict(zip(key._fields, each, strict=True)) | {"accuracy": known[each]}) for each in order]
            with written_whole(path) as file:
                file.write(("[\n" + ",\n".join(rows) + "\n]\n").encode())
            print(*key, done.result(), flush=True)


def shown(values: list[float], splits: int, ratio: float) -> str | None:
    """A mean with the corrected error of Nadeau & Bengio (2003), and over how many splits where some are missing.

    Args:
        values: one for each split.
        splits: how many there are to be.
        ratio: test graphs for each training graph.
    """
    if len(values) < 2:
        return None
    error = np.std(values, ddof=1) * np.sqrt(1 / len(values) + ratio)
    some = "" if len(values) == splits else f", {len(values)} splits"
    return f"{np.mean(values):.3f} ± {error:.3f}{some}"
