"""Measure speed: ``python -m benchmarks.speed NAME [--root FOLDER]`` writes benchmarks/results/NAME.json.

A number stands beside that of a named peer in the same run. Each measurement is a module of this folder, whose ``run``
gives a row at a time.
"""

from __future__ import annotations

import argparse
from importlib import import_module
from pathlib import Path

from benchmarks.speed.timing import keep

RESULTS = Path(__file__).parents[1] / "results"
NAMES = (
    "arrivals",
    "dense",
    "first-minute",
    "gpu",
    "nodes",
    "randomize",
    "recipe",
    "stacked",
    "threads",
    "training",
    "web",
)


def main() -> None:
    """Measure, show and write rows, and draw their picture where there is one."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed", description="Measure speed.")
    parser.add_argument("name", choices=NAMES)
    parser.add_argument("--root", type=Path, help="where datasets lie; embedded ones take the place of some")
    parser.add_argument("--out", type=Path, default=RESULTS, help="a folder for the numbers")
    given = parser.parse_args()
    module = import_module(f"benchmarks.speed.{given.name.replace('-', '_')}")
    rows = keep(module.run(given.root), given.out / f"{given.name}.json", getattr(module, "DEVICE", "cpu"))
    if hasattr(module, "picture"):
        module.picture(rows, given.out / f"{given.name}.svg")


if __name__ == "__main__":
    main()
