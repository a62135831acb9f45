"""Fixtures that several rooms share."""

from __future__ import annotations

import fcntl
import gc
import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest

import graphldp as gl

# proof runs these tests on copies of it, each with a mistake
WEB = Path(os.environ.get("GRAPHLDP_WEB") or Path(__file__).resolve().parents[1] / "clients" / "web")

# A shell starts what runs in its background deaf to Ctrl-C, and so would be the processes that tests send it to.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

hypothesis.settings.register_profile("untimed", deadline=None)  # tests do not time things: a busy machine is no failure
hypothesis.settings.load_profile("untimed")


def pytest_configure() -> None:
    """Forget what numba compiled before one of a room's compiled sources changed.

    It keeps what it compiled by the date of one file, and does not see a change in another file that it compiled in.
    """
    for room in {path.parent for path in Path(gl.__file__).parent.rglob("*.py") if "@njit" in path.read_text()}:
        changed = max(path.stat().st_mtime for path in room.glob("*.py"))
        for index in (room / "__pycache__").glob("*.nbi"):
            if index.stat().st_mtime < changed:
                index.unlink(missing_ok=True)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Collecting makes millions of objects that stay: looking for garbage among them is a fifth of its time.

    Later on they are not looked through again.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()


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


@pytest.fixture(scope="module")
def few_trees() -> Iterator[None]:
    """Forests of five trees, for tests that ask what becomes of a model and not how good it is.

    They make most of what such a test costs: every training has two controls of 150 trees, and the recommended
    classifier ten times 200. The number is a constant that nothing else depends on. Other processes grow them all.
    """
    pytest.importorskip("sklearn", reason="needs the learn extra")
    from sklearn.ensemble import HistGradientBoostingClassifier

    from graphldp.learn.tables import controls, mixture

    with pytest.MonkeyPatch.context() as patch:
        for module in (controls, mixture):
            patch.setattr(
                *(module, "HistGradientBoostingClassifier"),
                lambda **options: HistGradientBoostingClassifier(**options | {"max_iter": 5}),
            )
        yield


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


@pytest.fixture(scope="session")
def web() -> Path:
    """The folder of the browser client, with the packages that its lock file names."""
    if shutil.which("npm") is None:
        pytest.skip("Node is not installed (Debian: apt-get install nodejs npm): the browser client is not tested.")
    version = subprocess.run(["node", "--version"], text=True, capture_output=True, check=True).stdout
    if tuple(int(part) for part in version.strip().removeprefix("v").split(".")[:2]) < (20, 19):
        pytest.skip(f"Node is {version.strip()}, and the browser client needs 20.19: it is not tested.")
    lock, stamp = WEB / "package-lock.json", WEB / "node_modules" / "installed"
    with lock.open() as held:
        fcntl.flock(held, fcntl.LOCK_EX)  # several processes run tests
        if not stamp.exists() or stamp.read_bytes() != lock.read_bytes():
            done = subprocess.run(["npm", "ci"], cwd=WEB, text=True, capture_output=True)
            assert done.returncode == 0, done.stderr
            shutil.copyfile(lock, stamp)
    return WEB
