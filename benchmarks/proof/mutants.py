"""Tests that cannot fail prove nothing: ``python -m benchmarks.proof.mutants`` breaks the code, and they must.

``mutants.toml`` lists ways to get the promise wrong: a text of one file, what stands there instead, what that breaks,
and the test or audit that must see it. Each is put into a copy of ``src`` and ``clients/web``, and its catcher runs on
that copy. Every catcher must pass on the code as it is, too.

A tenth of them runs, another one with each commit (:mod:`benchmarks.proof.share`); `--full` runs all.
"""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue

from benchmarks.proof import share

ROOT = Path(__file__).resolve().parents[2]
LIST = Path(__file__).with_name("mutants.toml")
_COMMAND = "import sys; from graphldp.cli import main; sys.argv[0] = 'graphldp'; main()"
_TIMEOUT, _MORE = 600, 60  # seconds, and more for each catcher: a busy machine is no failure


@dataclass(frozen=True)
class Mutant:
    """A mistake in the code that tests must catch.

    Args:
        breaks: what is wrong then, in words.
        file: below ``src/graphldp``, or below ``clients/web`` and named from there on.
        text: what stands there, once.
        instead: what stands there in the mutant.
        catcher: a test as pytest names it, or a command that begins with ``graphldp``.
    """

    breaks: str
    file: str
    text: str
    instead: str
    catcher: str

    @property
    def place(self) -> Path:
        """Where the file is, below the repository's root."""
        return Path(self.file) if self.file.startswith("clients/") else Path("src", "graphldp", self.file)


def mutants() -> list[Mutant]:
    """The list."""
    return [Mutant(**fields) for fields in tomllib.loads(LIST.read_text())["mutant"]]


def _short(catcher: str) -> str:
    return catcher.removeprefix("tests/").replace("::", ": ")


def copied(folder: Path) -> Path:
    """A copy of what mutants change, with the packages of the browser client, where they are installed."""
    shutil.copytree(ROOT / "src", folder / "src")
    web = folder / "clients" / "web"
    shutil.copytree(ROOT / "clients" / "web", web, ignore=shutil.ignore_patterns("node_modules"))
    (web / "node_modules").symlink_to(ROOT / "clients" / "web" / "node_modules")
    return folder


def fails(catchers: Sequence[str], source: Path, compiled: Path | None = None) -> bool:
    """Run tests or an audit on the copy in this folder, until one fails.

    Args:
        catchers: see :class:`Mutant`; an audit alone, or any number of tests.
        source: the copy.
        compiled: where numba keeps what it compiles; by default beside the sources.

    Raises:
        RuntimeError: where it neither passed nor failed: no such test, or a module that cannot be imported.
    """
    if catchers[0].startswith("graphldp "):
        command = ["-c", _COMMAND, *shlex.split(catchers[0])[1:]]
    else:
        command = ["-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *catchers]
    folders = {"PYTHONPATH": str(source / "src"), "GRAPHLDP_WEB": str(source / "clients" / "web")}
    environment = os.environ | folders | {"OMP_NUM_THREADS": "1"}
    if compiled is not None:
        environment["NUMBA_CACHE_DIR"] = str(compiled)
    patience, command = _TIMEOUT + _MORE * len(catchers), [sys.executable, *command]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=patience)
    if done.returncode not in (0, 1):
        raise RuntimeError(f"{catchers} ended with {done.returncode}:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.returncode == 1


@contextmanager
def applied(mutant: Mutant, source: Path) -> Iterator[None]:
    """The mutant in place of the code, for a while."""
    path = source / mutant.place
    whole, times = path.read_text(), path.stat()
    if whole.count(mutant.text) != 1:
        raise RuntimeError(f"{mutant.file} does not have this text once: {mutant.text}")
    path.write_text(whole.replace(mutant.text, mutant.instead))
    try:
        yield
    finally:
        path.write_text(whole)
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))  # what was compiled from it is good again


def _together(catchers: Sequence[str], jobs: int) -> list[Sequence[str]]:
    """Each catcher once: audits alone, tests in as many processes as run at a time."""
    tests = sorted({each for each in catchers if not each.startswith("graphldp ")})
    shares = [tests[number::jobs] for number in range(jobs)]
    return [*filter(None, shares), *([each] for each in dict.fromkeys(catchers) if each not in tests)]


def run(chosen: list[Mutant], jobs: int) -> bool:
    """Run the mutants, say which survived, and whether none did."""
    with tempfile.TemporaryDirectory() as folder:
        copies: SimpleQueue[Path] = SimpleQueue()
        for number in range(jobs):
            copies.put(copied(Path(folder) / str(number)))

        def passes(catchers: Sequence[str]) -> tuple[Sequence[str], bool]:
            source = copies.get()
            try:
                return catchers, not fails(catchers, source)
            finally:
                copies.put(source)

        def caught(mutant: Mutant) -> tuple[Mutant, bool]:
            source = copies.get()
            try:
                with applied(mutant, source), tempfile.TemporaryDirectory() as apart:
                    # a mutant that is compiled into other files must not be there when it is gone from its own
                    numba = "@njit" in (source / mutant.place).read_text(encoding="utf-8")
                    return mutant, fails([mutant.catcher], source, Path(apart) if numba else None)
            finally:
                copies.put(source)

        good = True
        with ThreadPoolExecutor(jobs) as pool:
            for catchers, holds in pool.map(passes, _together([each.catcher for each in chosen], jobs)):
                good &= holds
                if not holds:
                    print(f"FAILED   without any mutant, one of: {', '.join(catchers)}", flush=True)
            for mutant, seen in pool.map(caught, chosen):
                good &= seen
                print(f"{'caught' if seen else 'SURVIVED'}   {mutant.breaks}   ({_short(mutant.catcher)})", flush=True)
    return good


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.proof.mutants", description="Break it; who notices?")
    parser.add_argument("--only", default="", help="mutants whose file, words or catcher contain this")
    parser.add_argument("--full", action="store_true", help="all of them")
    parser.add_argument("--jobs", type=int, default=2, help="at a time")
    given, start = parser.parse_args(), time.perf_counter()
    everything, now = mutants(), share.turn()
    chosen = [each for each in everything if given.only in f"{each.file} {each.breaks} {each.catcher}"]
    if shutil.which("npm") is None:
        chosen = [each for each in chosen if not each.file.startswith("clients/")]
        print("Node is not installed: the mutants of the browser client are left out.", flush=True)
    if not given.full and not given.only:
        chosen = [each for each in chosen if share.belongs(each.breaks, now)]
        print(f"share {now} of {share.SHARES}", flush=True)
    good = run(chosen, given.jobs)
    print(f"{len(chosen)} of {len(everything)} mutants, {time.perf_counter() - start:.0f} s")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
