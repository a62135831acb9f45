"""How long the browser client draws and encodes a report, in Chromium, in a worker: python -m benchmarks.web.

Needs Node and Chromium. The first draw counts too: a member draws once, with code that her browser has never run.
Writes benchmarks/results/web.json.
"""

import functools
import gzip
import json
import shutil
import statistics
import subprocess
import tempfile
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

from graphldp.machines.local import describe
from graphldp.wire.bundle import installed_bundle

ROOT = Path(__file__).parents[1]
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


def measure(url: str) -> tuple[str, list[dict[str, Any]]]:
    rows = []
    with sync_playwright() as playwright:
        path = shutil.which("chromium")
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        page = browser.new_page()
        page.goto(url)
        for mechanism, n, epsilon1, epsilon2 in CASES:
            times = page.evaluate(IN_WORKER, message(mechanism, n, epsilon1, epsilon2))
            row = {"mechanism": mechanism, "n": n, "epsilon1": epsilon1, "epsilon2": epsilon2}
            rows.append(row | {"first_ms": round(times[0], 1), "median_ms": round(statistics.median(times), 1)})
            print(rows[-1], flush=True)
        version = browser.version
        browser.close()
    return version, rows


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        build(folder)
        handler = functools.partial(Quiet, directory=folder)
        with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            version, rows = measure(f"http://127.0.0.1:{server.server_port}/")
            server.shutdown()
    machine = {key: describe("cpu")[key] for key in ("cpu", "cores", "memory_gb", "system")}
    size = sum(len(gzip.compress(body, 9, mtime=0)) for body in installed_bundle().values())
    found = {"machine": machine | {"chromium": version}, "bundle_gzip_bytes": size, "rows": rows}
    (ROOT / "benchmarks/results/web.json").write_text(json.dumps(found, indent=2) + "\n")


if __name__ == "__main__":
    main()
