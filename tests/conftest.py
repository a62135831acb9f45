"""Fixtures that several rooms share."""

from __future__ import annotations

import gc
import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import hypothesis
import pytest

import graphldp as gl

# proof runs these tests on copies of it, each with a mistake
WEB = Path(os.environ.get("GRAPHLDP_WEB") or Path(__file__).resolve().parents[1] / "clients" / "web")

INQUIRY = {"PURPOSE": "To test how we are connected.", "RUN_BY": "The testers", "CONTACT": "testers@example.org"}

# A shell starts what runs in its background deaf to Ctrl-C, and so would be the processes that tests send it to.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Tests do not time things, and a change meets the same examples each time; the whole proof looks for others.
hypothesis.settings.register_profile("same", deadline=None, derandomize="full" not in os.environ.get("PROOF", ""))
hypothesis.settings.load_profile("same")


def pytest_configure(config: pytest.Config) -> None:
    """Forget what numba compiled before one of a room's compiled sources changed; compile in turns.

    It keeps what it compiled by the date of one file, and does not see a change in another file that it compiled in.
    """
    if hasattr(config, "workerinput"):  # whoever started this process has forgotten
        _compile_in_turns()
        return
    for room in {path.parent for path in Path(gl.__file__).parent.rglob("*.py") if "@njit" in path.read_text("utf-8")}:
        changed = max(path.stat().st_mtime for path in room.glob("*.py"))
        for index in (room / "__pycache__").glob("*.nbi"):
            with suppress(FileNotFoundError):  # another run forgets too
                if index.stat().st_mtime < changed:
                    index.unlink()


def _compile_in_turns() -> None:
    """Of several processes that need a loop one compiles it, and the others wait and load what it kept."""
    try:
        import fcntl
    except ModuleNotFoundError:  # Windows: each process compiles for itself
        return
    from numba.core.caching import NullCache
    from numba.core.compiler_lock import global_compiler_lock
    from numba.core.dispatcher import Dispatcher

    plain: Callable[[Any, Any], Any] = Dispatcher.compile

    def in_turn(self: Any, signature: Any) -> Any:
        if isinstance(self._cache, NullCache):
            return plain(self, signature)
        source = Path(self.py_func.__code__.co_filename)
        kept = source.parent / "__pycache__" / f"{source.stem}.{self.py_func.__name__}.lock"
        with global_compiler_lock, kept.open("a") as file:  # this lock first: another thread may compile a caller
            fcntl.flock(file, fcntl.LOCK_EX)
            return plain(self, signature)

    pytest.MonkeyPatch().setattr(Dispatcher, "compile", in_turn)


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
def _own_environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A folder of this run for parsed datasets, never the user's own cache; and what every new community says."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GRAPHLDP_CACHE", str(tmp_path_factory.mktemp("cache")))
        for name, text in INQUIRY.items():
            patch.setenv(f"GRAPHLDP_{name}", text)
        yield


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
    fcntl = pytest.importorskip("fcntl", reason="needs POSIX's locks")
    lock, stamp = WEB / "package-lock.json", WEB / "node_modules" / "installed"
    with lock.open() as held:
        fcntl.flock(held, fcntl.LOCK_EX)  # several processes run tests
        if not stamp.exists() or stamp.read_bytes() != lock.read_bytes():
            done = subprocess.run(["npm", "ci"], cwd=WEB, text=True, capture_output=True)
            assert done.returncode == 0, done.stderr
            shutil.copyfile(lock, stamp)
    return WEB
