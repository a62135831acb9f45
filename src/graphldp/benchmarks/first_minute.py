"""The first minute: what a person waits for who has just installed it, and what she waits for from then on.

::

    python -m graphldp.benchmarks.first_minute --out benchmarks/results/first-minute.json
    python -m graphldp.benchmarks.first_minute --out benchmarks/results/first-minute.json --demo   # in a checkout

A draw, a training and a fit of the recipe, all on small embedded graphs, each in two new processes: one that finds
nothing compiled, and a later one. In each process the first call and the second are timed apart. Two commands that need
nothing compiled are timed whole. With ``--demo``, ``make demo`` in a fresh clone: from nothing, which installs; with
all to compute anew; and once more.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

from graphldp.benchmarks.timing import machine

COMMANDS = (("--help",), ("datasets", "list"))
REPEATS = 5
_TIMED = """
from time import perf_counter
import graphldp as gl
graphs = gl.synthetic.threads(num_graphs=40, seed=0)
reports = {reports}
began = perf_counter()
{call}
then = perf_counter()
{call}
print(then - began, perf_counter() - then)
"""
_LOADS = "import graphldp as gl, torch, sklearn.ensemble; gl.GINClassifier(); gl.recommended(1.0).classifier"
CALLS = {
    "a draw": ("None", "gl.DPRR(epsilon=1.0).randomize(graphs, rng=0)"),
    "a training, two epochs": (
        "gl.DPRR(epsilon=1.0).randomize(graphs, rng=0)",
        "gl.GINClassifier(max_epochs=2, seed=0).fit(reports[:30], validation=reports[30:])",
    ),
    "a fit of the recipe": (
        "gl.recommended(1.0).mechanism.randomize(graphs, rng=0)",
        "gl.recommended(1.0).classifier.fit(reports)",
    ),
}


def run() -> Iterator[dict[str, Any]]:
    """Measure, one row at a time: compiled code first, then whole commands."""
    _python("-c", _LOADS)  # Python compiles modules too, if the installer has not
    for what, (reports, call) in CALLS.items():
        yield from first_and_later(what, _TIMED.format(reports=reports, call=call))
    for command in COMMANDS:
        yield whole(command)


def first_and_later(what: str, program: str) -> Iterator[dict[str, Any]]:
    """A program that prints the seconds of its first and of its second call, before and after all is compiled."""
    with tempfile.TemporaryDirectory() as folder:  # where compiled loops are kept
        for when in ("after installing, which compiles", "in a later process"):
            printed = _python("-c", program, NUMBA_CACHE_DIR=folder)
            first, second = (round(float(each), 4) for each in printed.split()[-2:])
            yield {"what": f"{what}, {when}", "seconds": first, "then_seconds": second}


def whole(command: Sequence[str]) -> dict[str, Any]:
    """A command from its start to its end: the least seconds, and the least processor seconds."""
    seconds, worked = [], []
    for _ in range(REPEATS):
        before, began = _children(), perf_counter()
        _python(str(Path(sys.executable).with_name("graphldp")), *command)
        seconds.append(perf_counter() - began)
        worked.append(_children() - before)
    name = " ".join(("graphldp", *command))
    return {"what": name, "seconds": round(min(seconds), 4), "processor_seconds": round(min(worked), 4)}


def _python(*arguments: str, **settings: str) -> str:
    """What a new process prints. It may write bytecode, whatever the shell says."""
    given = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    command = [sys.executable, *arguments]
    return subprocess.run(command, env=given | settings, check=True, capture_output=True, text=True).stdout  # noqa: S603


def _children() -> float:
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


def demo() -> Iterator[dict[str, Any]]:
    """``make demo`` in a fresh clone of the checkout that this runs in."""
    with tempfile.TemporaryDirectory() as folder:
        clone = Path(folder) / "graphldp"
        _run("git", "clone", "--quiet", ".", str(clone))
        for what in ("from nothing, which installs", "all computed anew", "once more"):
            if what == "all computed anew":
                shutil.rmtree(clone / "demo")
            began = perf_counter()
            _run("make", "-C", str(clone), "demo")
            yield {"what": f"make demo, {what}", "seconds": round(perf_counter() - began, 1)}


def _run(*command: str) -> None:
    subprocess.run(command, check=True, capture_output=True)  # noqa: S603 - git and make


def main() -> None:
    """Measure and write JSON, again after each row; rows that are not measured stay."""
    parser = argparse.ArgumentParser(description="What a person waits for who has just installed it.")
    parser.add_argument("--demo", action="store_true", help="only make demo, in a fresh clone of this checkout")
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    kept = json.loads(given.out.read_text(encoding="utf-8"))["rows"] if given.out.exists() else []
    rows = {row["what"]: row for row in kept}
    for row in demo() if given.demo else run():
        rows[row["what"]] = row
        found = {"machine": machine(), "rows": list(rows.values())}
        given.out.write_text(json.dumps(found, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
        print(row, flush=True)


if __name__ == "__main__":
    main()
