"""The common part of studies of liars: what they are asked, and the file that they write."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import graphldp as gl
from graphldp.files.whole import written_whole
from graphldp.machines.local import describe


def asked(about: str | None, seeds: Sequence[int]) -> tuple[gl.GraphSet, list[float], list[int], Path]:
    """The dataset, the values of ε, the seeds of splits, and where the numbers go."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("dataset")
    parser.add_argument("--root", required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--epsilon", type=float, nargs="+", default=[1.0, 2.0])
    parser.add_argument("--seeds", type=int, nargs="+", default=list(seeds))
    given = parser.parse_args()
    return gl.load_dataset(given.dataset, root=given.root), given.epsilon, given.seeds, given.out


def kept(graphs: gl.GraphSet, out: Path, **found: Any) -> None:
    """Write what was found."""
    with written_whole(out) as file:
        file.write((json.dumps({"dataset": graphs.name, "machine": describe("cpu")} | found, indent=1) + "\n").encode())
