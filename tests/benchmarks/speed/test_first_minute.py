"""What is measured of the first minute: that it runs, in new processes, and tells the first call from later ones."""

from __future__ import annotations

import pytest
from benchmarks.speed import first_minute

_COMPILES = """
import os, pathlib
for name in "a-1.nbc", "b-1.nbc", "b-1.nbi":
    (pathlib.Path(os.environ["NUMBA_CACHE_DIR"]) / name).touch()
"""


def test_a_later_process_finds_what_the_first_one_compiled() -> None:
    first, later = first_minute.first_and_later("a call", _COMPILES)
    assert (first["what"], first["compiled"]) == ("a call, after installing", 2)
    assert (later["what"], later["compiled"]) == ("a call, in a later process", 0)
    assert later["processor_seconds"] > 0


def test_a_whole_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(first_minute, "REPEATS", 1)
    row = first_minute.whole(("--help",))
    assert row["what"] == "graphldp --help"
    assert row["seconds"] > 0
    assert row["processor_seconds"] > 0


@pytest.mark.long
def test_small_work_compiles_next_to_nothing() -> None:
    rows = list(first_minute.calls())
    assert [row["compiled"] for row in rows][:4] == [1, 0, 0, 0]
    assert rows[4]["compiled"] > 10
    assert rows[5]["compiled"] == 0
