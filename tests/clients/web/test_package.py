"""The npm package: what its tarball holds, and its examples in a clean folder, in Node and in a browser."""

from __future__ import annotations

import gzip
import json
import re
import shutil
import subprocess
import tarfile
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from benchmarks.services import Collector
from playwright.sync_api import Browser, expect
from tests.clients.web.site import INQUIRY

import graphldp as gl
from graphldp.collector.storage.store import Store
from graphldp.wire import Choice, Invitation, decode

pytestmark = pytest.mark.long
WORKER = Path(gl.__file__).parent / "collector" / "web" / "join"
ROSTER = ["ann", "bob", "cid", "dan"]
# a pause is the one timer whose work is a promise's own; Node's are left as they are
HASTY = """const wait = setTimeout; globalThis.setTimeout = (work, pause, ...more) =>
wait(work, String(work).includes("[native code]") ? pause / 1000 : pause, ...more);"""


class Quiet(SimpleHTTPRequestHandler):
    """Files of a folder."""

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture(scope="module")
def tarball(web: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("package")
    packed = ["npm", "pack", "--silent", "--pack-destination", str(folder)]
    done = subprocess.run(packed, cwd=web, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    (file,) = folder.glob("*.tgz")
    return file


def test_the_package_has_no_more_than_it_needs(tarball: Path, web: Path) -> None:
    """Modules with their types, licence and README: no page, no tests, no sources."""
    with tarfile.open(tarball) as archive:
        names = {name.removeprefix("package/") for name in archive.getnames()}
    modules = {name.removesuffix(".js") for name in names if name.endswith(".js")}
    assert names == {"package.json", "README.md", "LICENSE"} | {
        f"{name}{end}" for name in modules for end in (".js", ".d.ts")
    }
    assert all(re.match(r"build/package/(index|(core|protocol|vault)/.*)$", name) for name in modules)
    sizes = [int(size) * 1000 for size in re.findall(r"(\d+) kB", (web / "README.md").read_text("utf-8"))]
    (worker,) = WORKER.glob("worker-*.js")
    assert [tarball.stat().st_size, len(gzip.compress(worker.read_bytes()))] == pytest.approx(sizes, rel=0.05)


@pytest.fixture(scope="module")
def clean(tarball: Path, web: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the installed package and its examples."""
    folder = tmp_path_factory.mktemp("clean")
    (folder / "package.json").write_text('{"private": true, "type": "module"}')
    command = ["npm", "install", "--silent", "--prefer-offline", "--no-audit", str(tarball)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode and "ENOTFOUND" in done.stderr + done.stdout:
        pytest.skip("needs the npm registry, or a cache of what it gave")
    assert done.returncode == 0, done.stderr
    for name in ("report.mjs", "report.html"):
        shutil.copy(web / "examples" / name, folder)
    (folder / "hasty.mjs").write_text(HASTY)
    (folder / "friends.txt").write_text("bob\ndan\nzoe\n")
    return folder


@pytest.fixture(scope="module")
def page(clean: Path) -> Iterator[str]:
    """The folder's address."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(clean))) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.fixture(scope="module")
def links(page: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Store, list[str]]]:
    """A running collector's store, and links of its members."""
    database = f"sqlite:///{tmp_path_factory.mktemp('package') / 'collector.db'}"
    store = Store.open(database)
    store.open_community("cats", ROSTER, mechanism="noisy-degrees", choices=[Choice("open", 5.0, 0.0)], inquiry=INQUIRY)
    with Collector(database, {"page_origin": page}) as collector:
        tokens = store.invite("cats")
        yield store, [Invitation(collector.url, "cats", tokens[user]).to_link() for user in range(len(ROSTER))]
    store.close()


def held(store: Store, user: int) -> bytes:
    """The report that the collector has."""
    return {each.user: each.body for each in store.stored(store.community("cats"))}[user]


def test_the_example_for_node_reports_once(clean: Path, links: tuple[Store, list[str]]) -> None:
    store, (link, *_) = links
    command = ["node", "--import", "./hasty.mjs", "report.mjs", link, "friends.txt", "open"]
    first = subprocess.run(command, cwd=clean, capture_output=True, text=True)
    assert (first.returncode, "It arrived" in first.stdout) == (0, True), first.stderr
    kept, body = clean / "vault" / "vault.json", held(store, 0)
    assert f'"bytes":{json.dumps([*body], separators=(",", ":"))}' in kept.read_text()
    assert '"friends":null' in kept.read_text()
    again = subprocess.run(command, cwd=clean, capture_output=True, text=True)
    assert ("It arrived" in again.stdout, held(store, 0)) == (True, body), again.stderr
    wrong = [*command[:4], link.replace("/cats", "/dogs"), *command[5:]]
    refused = subprocess.run(wrong, cwd=clean, capture_output=True, text=True)
    assert (refused.returncode, refused.stderr.count("\n")) == (1, 1), refused.stderr


def test_the_example_page_reports(browser: Browser, clean: Path, page: str, links: tuple[Store, list[str]]) -> None:
    store, (_, link, *_) = links
    server, _, secret = link.partition("/join#")
    with browser.new_context() as context:
        context.add_init_script(HASTY)
        tab = context.new_page()
        tab.goto(f"{page}/report.html#{secret}/{server}")
        expect(tab.locator("#inquiry")).to_contain_text("The cat club", timeout=60_000)
        tab.get_by_label("open").check()
        tab.locator("input[type=file]").set_input_files(clean / "friends.txt")
        tab.get_by_role("button", name="Draw").click()
        expect(tab.locator("output")).to_contain_text("It arrived", timeout=60_000)
    assert decode(held(store, 1)).user == 1
