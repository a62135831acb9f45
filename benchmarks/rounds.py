"""Triangles in one round and in two, of two colleges: python -m benchmarks.rounds FOLDER.

FOLDER holds ``surveys/Caltech36.npz``, with which the shares of ε were chosen, and ``surveys/Reed98.npz``.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from benchmarks.surveys import EPSILONS, RESULTS, Measured, Survey, college, measure

import graphldp as gl

DRAWS = 24


def rounds(folder: Path) -> Iterator[Measured]:
    """Every row about triangles, of every survey."""
    for name in ("Caltech36", "Reed98"):
        for epsilon in EPSILONS:
            for mechanism in (gl.RR(epsilon), gl.ClosedPairs(epsilon)):
                survey = Survey(f"{type(mechanism).__name__}, ε = {epsilon:g}", mechanism)
                rows = measure(college(folder, name), survey, 1.0, DRAWS)
                yield from (row for row in rows if row.row in ("triangles", "clustering"))


if __name__ == "__main__":
    found = [asdict(row) for row in rounds(Path(sys.argv[1]))]
    (RESULTS / "rounds.json").write_text(json.dumps(found, indent=0, ensure_ascii=False) + "\n")
