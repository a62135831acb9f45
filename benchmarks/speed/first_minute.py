"""The first minute: what a person waits for who has just installed it, and what she waits for from then on.

Whole programs in new processes, by processor seconds: one that finds nothing compiled, and a later one, each with how
many functions it compiled. Two commands likewise, and ``make demo`` in a fresh clone: from nothing, which installs;
with all to compute anew; and once more.
"""

from __future__ import annotations

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

COMMANDS = (("--help",), ("dataset",))
REPEATS = 5
_RECIPE = """
import graphldp as gl
graphs = gl.synthetic.threads(seed=0)
recipe = gl.recommended(1.0)
reports = recipe.mechanism.randomize(graphs, rng=7)
train, _, test = gl.split(reports.labels, seed=0)
recipe.classifier.fit(reports.subset(train)).predict(reports.subset(test))
"""
_LONGER = """
import graphldp as gl
reports = gl.DPRR(epsilon=1.0).randomize(gl.synthetic.threads(seed=0), rng=7)
gl.GINClassifier(max_epochs=50, seed=0).fit(reports[:270], validation=reports[270:])
"""
README = Path(__file__).resolve().parents[2] / "README.md"


def programs() -> dict[str, str]:
    """What is measured: the recipe, the README's first example, and a training that is long enough to compile for."""
    example = README.read_text().split("```python\n", 1)[1].split("```", 1)[0]
    return {"the recipe: draw, fit and label": _RECIPE, "README's first example": example, "50 epochs": _LONGER}


def run(root: Path | None) -> Iterator[dict[str, Any]]:
    """Measure, one row at a time: compiled code first, then whole commands, then the demo."""
    yield from calls()
    for command in COMMANDS:
        yield whole(command)
    yield from demo()


def calls() -> Iterator[dict[str, Any]]:
    """Rows of each of :func:`programs`."""
    _python("-c", "import graphldp as gl, torch, sklearn.ensemble; gl.GINClassifier(); gl.recommended(1.0).classifier")
    for what, program in programs().items():  # Python has compiled its modules by now
        yield from first_and_later(what, program)


def first_and_later(what: str, program: str) -> Iterator[dict[str, Any]]:
    """The seconds of a program before and after all is compiled, and how many functions it compiles."""
    with tempfile.TemporaryDirectory() as folder:  # where compiled loops are kept
        for when in ("after installing", "in a later process"):
            before, there = _children(), _compiled(folder)
            _python("-c", program, NUMBA_CACHE_DIR=folder)
            spent = round(_children() - before, 2)
            yield {"what": f"{what}, {when}", "processor_seconds": spent, "compiled": _compiled(folder) - there}


def _compiled(folder: str) -> int:
    return sum(1 for _ in Path(folder).rglob("*.nbc"))


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
    """The output of a new process. It may write bytecode, whatever the shell says."""
    given = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    command = [sys.executable, *arguments]
    return subprocess.run(command, env=given | settings, check=True, capture_output=True, text=True).stdout


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
    subprocess.run(command, check=True, capture_output=True)
