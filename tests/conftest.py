"""Fixtures that several rooms share."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest

import graphldp as gl

hypothesis.settings.register_profile("untimed", deadline=None)  # tests do not time things: a busy machine is no failure
hypothesis.settings.load_profile("untimed")


@pytest.fixture(scope="session", autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Parsed datasets go to a folder of this run, never to the user's own cache."""
    before = os.environ.get("GRAPHLDP_CACHE")
    os.environ["GRAPHLDP_CACHE"] = str(tmp_path_factory.mktemp("cache"))
    yield
    if before is None:
        del os.environ["GRAPHLDP_CACHE"]
    else:
        os.environ["GRAPHLDP_CACHE"] = before


@pytest.fixture(scope="session")
def data_root() -> Path:
    """A folder with real TU archives; tests that need it skip where there is none."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    root = Path(os.environ.get("GRAPHLDP_DATA", beside))
    if not root.is_dir():
        pytest.skip("needs real TU archives: set GRAPHLDP_DATA to a folder that holds them")
    return root


def _dataset(name: str, root: Path) -> gl.GraphSet:
    if not (root / f"{name}.zip").is_file() and not (root / name).is_dir():
        pytest.skip(f"needs {name} under GRAPHLDP_DATA")
    return gl.load_dataset(name, root=root)


@pytest.fixture(scope="session")
def reddit_binary(data_root: Path) -> gl.GraphSet:
    return _dataset("REDDIT-BINARY", data_root)


@pytest.fixture(scope="session")
def imdb_binary(data_root: Path) -> gl.GraphSet:
    return _dataset("IMDB-BINARY", data_root)
