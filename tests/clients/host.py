"""A host of the page that is no collector: its files and headers are what a test makes them."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import PurePath

from graphldp.wire.bundle import HEADERS, PAGE, POLICY, TYPES, installed_bundle


class Host(ThreadingHTTPServer):
    """Somebody's server with the page's files, as docs/guides/page.md has it; it notes what it was asked.

    ``files`` are bodies or statuses by path, ``headers`` are sent with all of them and ``of`` with some.
    """

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Files)
        self.restore()

    def restore(self) -> None:
        """Be as honest as at first."""
        self.files: dict[str, bytes | int] = {
            "/join" if path == PAGE else f"/{path}": body for path, body in installed_bundle().items()
        }
        self.headers = HEADERS | {"x-content-type-options": "nosniff", "cache-control": "no-store"}
        self.of: dict[str, dict[str, str]] = {}
        self.asked: list[str] = []

    def allow(self, collector: str) -> None:
        """Let the page ask a collector."""
        policy = POLICY.replace("connect-src 'self'", f"connect-src 'self' {collector}")
        self.headers["content-security-policy"] = policy

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _Files(BaseHTTPRequestHandler):
    server: Host

    def do_GET(self) -> None:
        self.server.asked.append(self.path + str(self.headers))
        path = self.path.partition("?")[0]
        found = self.server.files.get(path, 404)
        body = b"" if isinstance(found, int) else found
        self.send_response(found if isinstance(found, int) else 200)
        if isinstance(found, int) and 300 <= found < 400:
            self.send_header("Location", f"/elsewhere{path}")
        kind = TYPES.get(PurePath(path).suffix, TYPES[".html"])
        headers = {"content-type": kind, "content-length": str(len(body))} | self.server.headers
        for name, value in (headers | self.server.of.get(path, {})).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


@contextmanager
def running_host() -> Iterator[Host]:
    """A running :class:`Host`."""
    with Host() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()
