"""What is measured of the first minute: that it runs, in new processes, and tells the first call from later ones."""

from __future__ import annotations

import pytest

from graphldp.benchmarks import first_minute

_SLOW_AT_FIRST = """
import os, pathlib, time
compiled = pathlib.Path(os.environ["NUMBA_CACHE_DIR"]) / "compiled"
print(0.5 if compiled.exists() else 9.0, 0.25)
compiled.touch()
"""


def test_a_later_process_finds_what_the_first_one_compiled() -> None:
    first, later = first_minute.first_and_later("a call", _SLOW_AT_FIRST)
    assert first == {"what": "a call, after installing, which compiles", "seconds": 9.0, "then_seconds": 0.25}
    assert later == {"what": "a call, in a later process", "seconds": 0.5, "then_seconds": 0.25}


def test_a_whole_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(first_minute, "REPEATS", 1)
    row = first_minute.whole(("--help",))
    assert row["what"] == "graphldp --help"
    assert row["seconds"] > 0
    assert row["processor_seconds"] > 0


@pytest.mark.long
def test_calls_compile_once() -> None:
    rows = list(first_minute.run())
    assert len(rows) == 2 * len(first_minute.CALLS) + len(first_minute.COMMANDS)
    for compiling, compiled in zip(rows[:6:2], rows[1:6:2], strict=True):
        assert compiling["then_seconds"] < compiling["seconds"]
        assert compiled["seconds"] < compiling["seconds"]
