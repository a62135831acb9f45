from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from graphldp.errors import FormatError
from graphldp.files.sets import kind_of, read_set, write_set


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "set.npz"


def test_a_file_gives_back_what_was_written(path: Path) -> None:
    write_set(path, "Crowd", 3, {"lists": np.arange(4), "name": "a", "directed": True, "labels": None})
    found = read_set(path, "Crowd", 3)
    np.testing.assert_array_equal(found.pop("lists"), np.arange(4))
    assert found == {"name": "a", "directed": True}  # no key for None, and neither kind nor format among the values
    assert [type(value) for value in found.values()] == [str, bool]
    assert kind_of(path) == "Crowd"


@pytest.mark.parametrize(
    ("kind", "newest", "message"),
    [("Crowd", 2, r"format 3 is newer than this graphldp reads \(2\)"), ("Reports", 3, "holds a Crowd, not a Reports")],
)
def test_a_file_for_somebody_else(kind: str, newest: int, message: str, path: Path) -> None:
    write_set(path, "Crowd", 3, {})
    with pytest.raises(FormatError, match=message):
        read_set(path, kind, newest)


@pytest.mark.parametrize("version", [None, "one", [1, 1], 1.0])
def test_a_file_without_a_format(version: Any, path: Path) -> None:
    np.savez(path, kind="Crowd", **({} if version is None else {"format": version}))
    with pytest.raises(FormatError, match="not a saved Crowd, or damaged"):
        read_set(path, "Crowd", 1)


def test_a_file_that_does_not_say_what_it_is(path: Path) -> None:
    np.savez(path, format=1)
    with pytest.raises(FormatError, match="holds something else, not a Crowd"):
        read_set(path, "Crowd", 1)
    with pytest.raises(FormatError, match="not a file of graphs or reports"):
        kind_of(path)
