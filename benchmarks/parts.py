"""Parts that were written by hand, measured beside what there is to take instead.

    python -m benchmarks.parts --out benchmarks/results/parts.json

docs/development.md shows the rows, with what was decided.
"""

from __future__ import annotations

import argparse
import asyncio
import io
import json
import math
import platform
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from graphldp.collector.http.connection import Limits, State, limited
from graphldp.collector.storage.copies.backup import back_up
from graphldp.collector.storage.store import Store
from graphldp.pages import plots
from graphldp.wire import Choice

ROOT = Path(__file__).resolve().parents[1]
_SLOW, _WAIT = 60, 14.0  # connections that send a byte a second, and how long
_LIMIT = 50


async def _app(scope: Any, receive: Any, send: Any) -> None:
    if scope["type"] == "http":
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"ok"})


def connections() -> dict[str, Any]:
    """Heads that never end: how many connections stay, and what an honest request gets meanwhile."""
    seconds = {State.HEAD: 5.0, State.BODY: 10.0, State.REST: 2.0, State.ANSWER: 5.0}
    ours = limited(Limits(_LIMIT, 0, seconds, "127.0.0.1"))
    return {"ours": _slow(ours), "uvicorn's limits": _slow(H11Protocol)}


def _slow(protocol: Any) -> dict[str, Any]:
    config = uvicorn.Config(
        *(_app, "127.0.0.1", 0), http=protocol, lifespan="off", log_level="critical", timeout_keep_alive=5
    )
    config.limit_concurrency = _LIMIT
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        time.sleep(0.02)
    port = server.servers[0].sockets[0].getsockname()[1]
    found = asyncio.run(_drip(port))
    server.should_exit = server.force_exit = True
    thread.join()
    return found


async def _drip(port: int) -> dict[str, Any]:
    async def one() -> bool:
        """Whether the connection was still there in the end."""
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        closed = asyncio.create_task(reader.read())
        with suppress(ConnectionError):
            writer.write(b"GET / HTTP/1.1\r\nHost: x\r\nX: ")
            for _ in range(int(_WAIT)):
                if closed.done():
                    return False
                writer.write(b"x")
                await asyncio.sleep(1.0)
            return not closed.done()
        return False

    slow = [asyncio.create_task(one()) for _ in range(_SLOW)]
    await asyncio.sleep(_WAIT - 2)
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    answer = (await reader.read()).split(b"\r\n", 1)[0].decode()
    stay = sum(await asyncio.gather(*slow))
    return {"open after 14 s": f"{stay} of {_SLOW}", "an honest request": answer.partition(" ")[2]}


def backups() -> dict[str, Any]:
    """A backup of 20,000 reports, beside SQLite's own copy of its file, which PostgreSQL cannot read or write."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        url = f"sqlite:///{folder / 'collector.db'}"
        store = Store.open(url)
        choice = Choice("standard", 1.0, 0.0)
        for number in range(20):
            names = [f"user {user}" for user in range(1000)]
            store.open_community(f"c{number}", names, mechanism="noisy-degrees", choices=[choice])
            store.invite(f"c{number}")
        ours = seconds(lambda: back_up(store.engine, folder / "ours.backup"))

        def copy() -> None:
            files = (folder / "collector.db", folder / "copy.db")
            with closing(sqlite3.connect(files[0])) as source, closing(sqlite3.connect(files[1])) as target:
                source.backup(target)

        theirs = seconds(copy)
        store.close()
        size = (folder / "ours.backup").stat().st_size / (folder / "copy.db").stat().st_size
    return {"seconds": round(ours, 2), "sqlite3.backup, seconds": round(theirs, 2), "bytes by its": round(size, 2)}


def seconds(run: Callable[[], object]) -> float:
    began = time.perf_counter()
    run()
    return time.perf_counter() - began


def charts() -> dict[str, Any]:
    """One chart with three lines and error bars, ours beside matplotlib's."""
    xs = [0.1 * k for k in range(1, 21)]
    waves = [[(x, math.sin(x) + s) for x in xs] for s in range(3)]
    lines = [plots.Series("dprr", "line", [(x, y, (y - 0.1, y + 0.1)) for x, y in wave]) for wave in waves]

    def ours() -> str:
        return plots.chart(lines, plots.Axis("ε"), plots.Axis("accuracy"), "a chart")

    def theirs() -> str:
        from matplotlib.figure import Figure

        axes = (figure := Figure(figsize=(4.6, 2.5))).subplots()
        for each in lines:
            axes.errorbar(xs, [p[1] for p in each.points], 0.1, label=each.label)
        axes.legend()
        text = io.StringIO()
        figure.savefig(text, format="svg")
        return text.getvalue()

    first = {name: round(seconds(run), 3) for name, run in (("ours", ours), ("matplotlib", theirs))}
    warm = {name: round(min(seconds(run) for _ in range(3)), 4) for name, run in (("ours", ours), ("m", theirs))}
    return {
        "first chart, seconds, ours and matplotlib": [first["ours"], first["matplotlib"]],
        "next ones, seconds": [warm["ours"], warm["m"]],
        "bytes": [len(ours()), len(theirs())],
    }


def sign_in() -> dict[str, Any]:
    """Lines of our own part of signing in, and what importing it and Authlib's client take."""
    ours = ROOT / "src" / "graphldp" / "collector" / "dashboard" / "oidc.py"
    found: dict[str, Any] = {"lines": len(ours.read_text().splitlines())}
    with tempfile.TemporaryDirectory() as place:
        pip = [
            sys.executable,
            "-m",
            "pip",
            "-q",
            "install",
            "--no-compile",
            "--target",
            place,
            "authlib",
            "itsdangerous",
        ]
        if subprocess.run([*pip, "--no-deps"], capture_output=True, check=False).returncode:
            return found | {"Authlib": "not to be had here"}
        size = sum(path.stat().st_size for path in Path(place).rglob("*.py"))
        lines = sum(len(path.read_text().splitlines()) for path in Path(place).rglob("authlib/**/*.py"))
    return found | {"Authlib, lines": lines, "Authlib, MB": round(size / 1e6, 1)}


def stubs() -> dict[str, Any]:
    """Lines of our stubs, and of those that are published."""
    own = {each.name: _lines(each, "*.pyi") for each in sorted((ROOT / "stubs").iterdir())}
    published = {"yaml": "types-PyYAML", "pandas": "pandas-stubs", "pyarrow": "pyarrow-stubs"}
    found: dict[str, Any] = {"all of ours": sum(own.values())}
    for name, package in published.items():
        with tempfile.TemporaryDirectory() as place:
            pip = [sys.executable, "-m", "pip", "-q", "install", "--no-deps", "--target", place, package]
            got = subprocess.run(pip, capture_output=True, check=False).returncode == 0
            found[f"{name}: ours, {package}"] = [own[name], _lines(Path(place), "*.pyi") if got else None]
    return found


def _lines(folder: Path, pattern: str) -> int:
    return sum(len(path.read_text(errors="replace").splitlines()) for path in folder.rglob(pattern))


PARTS: dict[str, Callable[[], dict[str, Any]]] = {
    "collector: limits of a connection": connections,
    "collector: backups": backups,
    "pages: charts": charts,
    "collector: sign-in": sign_in,
    "stubs": stubs,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--part", action="append", choices=[*PARTS], help="only this one")
    given = parser.parse_args()
    rows = {name: measure() for name, measure in PARTS.items() if given.part is None or name in given.part}
    about = {"python": platform.python_version(), "platform": f"{platform.system()} {platform.machine()}"}
    given.out.write_text(json.dumps({"about": about, "rows": rows}, indent=2, ensure_ascii=False) + "\n")
    print(json.dumps(rows, indent=2, ensure_ascii=False))


if __name__ == "__main__":
    main()
