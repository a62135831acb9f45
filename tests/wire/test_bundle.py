from __future__ import annotations

import gzip
import subprocess
import sys
import zipfile
from hashlib import sha256
from pathlib import Path

import pytest

from graphldp.errors import WireError
from graphldp.wire.bundle import BUNDLE_LIST, PAGE, bundle_digest, installed_bundle, read_bundle_list

ROOT = Path(__file__).parents[2]
DIGEST = b"0" * 64


def test_the_list_names_every_file_of_the_folder_with_its_digest() -> None:
    files = installed_bundle()
    folder = ROOT / "src" / "graphldp" / "collector" / "web"
    assert set(files) == {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    listed = read_bundle_list(files[BUNDLE_LIST])
    assert listed == {path: sha256(body).hexdigest() for path, body in files.items() if path != BUNDLE_LIST}
    assert PAGE in listed
    assert bundle_digest(files[BUNDLE_LIST]) == sha256(files[BUNDLE_LIST]).hexdigest()


def test_the_page_is_small() -> None:
    assert sum(len(gzip.compress(body)) for body in installed_bundle().values()) <= 60_000


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[]",
        b"{}",
        b'{"files": []}',
        b'{"files": {"join.html": 1}}',
        b'{"files": {"join.html": "00"}}',
        b'{"files": {"../join.html": "' + DIGEST + b'"}}',
        b'{"files": {"join/../x.js": "' + DIGEST + b'"}}',
        b'{"files": {"join/x.js": "' + DIGEST + b'", "join/x.js": "' + DIGEST + b'"}}',
    ],
)
def test_what_is_no_list_is_refused(data: bytes) -> None:
    with pytest.raises(WireError):
        read_bundle_list(data)


def test_the_wheel_holds_the_page(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(tmp_path)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        held = {name: archive.read(name) for name in archive.namelist() if name.startswith("graphldp/collector/web/")}
        assert not [name for name in archive.namelist() if "node_modules" in name or name.endswith(".ts")]
    assert held == {f"graphldp/collector/web/{path}": body for path, body in installed_bundle().items()}
