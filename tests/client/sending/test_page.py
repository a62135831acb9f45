from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from typer.testing import CliRunner

from graphldp.cli.client import app
from graphldp.client.sending.page import verify_page
from graphldp.errors import SendError, WireError
from graphldp.wire import spoken
from graphldp.wire.bundle import BUNDLE_LIST, PAGE, bundle_digest, installed_bundle

FILE = next(path for path in installed_bundle() if path.endswith(".js"))


class Host(ThreadingHTTPServer):
    """Somebody's server with files that a test may change; it notes what it was asked."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.files: dict[str, bytes | int] = {
            "/join" if path == PAGE else f"/{path}": body for path, body in installed_bundle().items()
        }
        self.asked: list[str] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    server: Host

    def do_GET(self) -> None:
        self.server.asked.append(self.path + str(self.headers))
        found = self.server.files.get(self.path, 404)
        self.send_response(found if isinstance(found, int) else 200)
        if isinstance(found, int) and 300 <= found < 400:
            self.send_header("Location", f"/elsewhere{self.path}")
        body = b"" if isinstance(found, int) else found
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def host() -> Iterator[Host]:
    with Host() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def test_our_own_page_is_the_same_and_a_token_goes_nowhere(host: Host) -> None:
    for url in (host.url, f"{host.url}/join", f"{host.url}/join/", f"{host.url}/join#2.secret/cats"):
        check = verify_page(url)
        assert check.same
        assert {each.file for each in check.files} == set(installed_bundle())
    assert not [each for each in host.asked if "secret" in each]


@pytest.mark.parametrize("path", sorted(installed_bundle()))
def test_one_byte_of_any_file_is_seen(host: Host, path: str) -> None:
    body = installed_bundle()[path]
    changed = bytes((body[0] ^ 1,)) + body[1:]
    host.files["/join" if path == PAGE else f"/{path}"] = changed
    assert [each.file for each in verify_page(host.url).files if not each.same] == [path]


def test_missing_moved_and_further_files_are_named(host: Host) -> None:
    host.files[f"/{FILE}"] = 302
    host.files[f"/elsewhere/{FILE}"] = installed_bundle()[FILE]
    more = json.loads(installed_bundle()[BUNDLE_LIST])
    more["files"]["join/more.js"] = "0" * 64
    host.files[f"/{BUNDLE_LIST}"] = json.dumps(more).encode()
    found = {each.file: each.found for each in verify_page(host.url).files if not each.same}
    assert set(found) == {FILE, BUNDLE_LIST, "join/more.js"}
    assert "302" in found[FILE]
    host.files[f"/{BUNDLE_LIST}"] = b"[]"
    assert {each.file for each in verify_page(host.url).files if not each.same} == {FILE, BUNDLE_LIST}


def test_what_cannot_be_compared(host: Host) -> None:
    host.files["/join"] = bytes((1 << 22) + 1)
    with pytest.raises(SendError, match="larger"):
        verify_page(host.url)
    with pytest.raises(SendError, match="not reached"):
        verify_page("http://127.0.0.1:9")
    for bad in ("", "reports.example.org", "http://reports.example.org", "ftp://a.example"):
        with pytest.raises(WireError):
            verify_page(bad)


def test_the_command(host: Host) -> None:
    digest = bundle_digest(installed_bundle()[BUNDLE_LIST])
    good = CliRunner().invoke(app, ["verify-web", host.url])
    assert good.exit_code == 0
    assert spoken(digest) in good.stdout
    host.files["/join"] = b"<p>Send me your list."
    bad = CliRunner().invoke(app, ["verify-web", host.url, "--json"])
    assert bad.exit_code == 1
    assert json.loads(bad.stdout)["digest"] == digest
    assert [each["file"] for each in json.loads(bad.stdout)["files"] if not each["same"]] == [PAGE]
