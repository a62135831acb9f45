"""Small TU datasets on disk, and a cache that is nobody's own."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

# two graphs: a triangle 1-2-3 with a self-loop and repeats, and an edge 4-5 with a lone node 6
FILES = {
    "A": "1, 2\n2, 1\n2, 3\n3,1\n1, 1\n2, 3\n4, 5\n",
    "graph_indicator": "1\n1\n1\n2\n2\n2\n",
    "graph_labels": "-1\n1\n",
}

Write = Callable[..., Path]


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAPHLDP_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("no_proxy", "*")
    for name in ("GRAPHLDP_DATA", "GRAPHLDP_TU_URL"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def write_zip(tmp_path: Path) -> Write:
    """``write_zip(A="1, 2\\n")`` writes tiny.zip with that file changed; None leaves a file out."""

    def write(
        folder: Path = tmp_path,
        name: str = "tiny",
        inside: str = "tiny/",
        *,
        packed: bool = True,
        **changed: str | None,
    ) -> Path:
        path = folder / f"{name}.zip"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED if packed else zipfile.ZIP_STORED) as archive:
            for part, text in _merged(changed).items():
                archive.writestr(f"{inside}{name}_{part}.txt", text)
        return path

    return write


@pytest.fixture
def write_folder(tmp_path: Path) -> Write:
    """The same, unpacked."""

    def write(folder: Path = tmp_path, name: str = "tiny", **changed: str | None) -> Path:
        path = folder / name
        path.mkdir(parents=True)
        for part, text in _merged(changed).items():
            (path / f"{name}_{part}.txt").write_text(text, newline="")
        return path

    return write


def _merged(changed: Mapping[str, str | None]) -> dict[str, str]:
    return {part: text for part, text in {**FILES, **changed}.items() if text is not None}
