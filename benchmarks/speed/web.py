"""How long the browser client draws and encodes a report, in Chromium, in a worker.

Needs Node and Chromium. The first draw counts too: a member draws once, with code that her browser has never run.
"""

import functools
import shutil
import statistics
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).parents[2]
ROUNDS = 20
CASES = [
    ("dprr", 1_000, 0.5, 0.5),
    ("dprr", 100_000, 0.5, 0.5),
    ("dprr", 1_000, 0.1, 3.9),
    ("rr", 1_000, 0.0, 1.0),
    ("rr", 100_000, 0.0, 1.0),
    ("noisy-degrees", 100_000, 0.01, 0.0),
    ("hub-lists", 1_000, 0.4, 1.6),
    ("hub-lists", 100_000, 0.4, 1.6),
]
HUB_FROM = 50  # of hub-lists: who draws here is one
PAGE = "<!doctype html><meta charset=utf-8><title>speed</title>"
IN_WORKER = """async (message) => {
    const worker = new Worker("speed.js", { type: "module" });
    const first = new Promise((resolve, reject) => {
        worker.onmessage = (answer) => resolve(answer.data);
        worker.onerror = (error) => reject(new Error(error.message));
    });
    worker.postMessage(message);
    const times = await first;
    worker.terminate();
    return times;
}"""


class Quiet(SimpleHTTPRequestHandler):
    """Files of a folder, without a line on the screen for each."""

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


def build(folder: str) -> None:
    vite = [str(ROOT / "clients/web/node_modules/.bin/vite"), "build", "--ssr", "tests/speed.ts", "--outDir", folder]
    subprocess.run([*vite, "--emptyOutDir", "--logLevel", "warn"], cwd=ROOT / "clients/web", check=True)
    Path(folder, "index.html").write_text(PAGE)


def message(mechanism: str, n: int, epsilon1: float, epsilon2: float) -> dict[str, Any]:
    choices = [{"name": "one", "epsilon1": epsilon1, "epsilon2": epsilon2}]
    published = {"n": n, "user": 3, "mechanism": mechanism, "choices": choices, "hubFrom": HUB_FROM}
    return {"published": published, "friends": list(range(10, 210)), "rounds": ROUNDS}


def run(root: Path | None) -> Iterator[dict[str, Any]]:
    """Measure, a row for each case."""
    with tempfile.TemporaryDirectory() as folder:
        build(folder)
        handler = functools.partial(Quiet, directory=folder)
        with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server, sync_playwright() as playwright:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
            page = browser.new_page()
            page.goto(f"http://127.0.0.1:{server.server_port}/")
            for mechanism, n, epsilon1, epsilon2 in CASES:
                times = page.evaluate(IN_WORKER, message(mechanism, n, epsilon1, epsilon2))
                row = {"mechanism": mechanism, "n": n, "epsilon1": epsilon1, "epsilon2": epsilon2}
                yield row | {"first_ms": round(times[0], 1), "median_ms": round(statistics.median(times), 1)}
            browser.close()
            server.shutdown()
