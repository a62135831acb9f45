"""The client's protocol, against a collector that fails: whatever happens, one report leaves the device.

A server on loopback takes reports and answers badly: it drops connections before and after reading, is busy, or takes
the report and loses the answer. The real client runs against it again and again. All bodies that arrived are compared.
"""

from __future__ import annotations

import json
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from graphldp.audit import Finding
from graphldp.client.protocol import Client
from graphldp.errors import SendError
from graphldp.wire import Choice, Invitation, Published, roster_digest, write_publication

ROSTER = [f"user{number}" for number in range(40)]
USER, TOKEN, EPSILON = 7, "a-token", (0.5, 0.5)
_MISHAPS = ("drop", 503, "lost", 500, "drop", "lost", 201)


@dataclass(frozen=True)
class Request:
    """One request, as it arrived; the body is None where it was not read."""

    method: str
    path: str
    headers: tuple[tuple[str, str], ...]
    body: bytes | None = None


class FailingCollector(ThreadingHTTPServer):
    """A community of forty users.

    ``requests`` are all that arrive, ``bodies`` the reports and ``answers`` the answers among them; ``mishaps`` are
    what PUTs and DELETEs are answered with in turn (a status, a problem by its type, a lost connection or answer),
    ``changes`` go over what is published, ``question`` is the second question. A redirect leads to ``/elsewhere``.
    """

    daemon_threads = True

    def __init__(self, mishaps: tuple[str | int, ...] = ()) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.bodies: list[bytes] = []
        self.answers: list[bytes] = []
        self.question: bytes | None = None
        self.requests: list[Request] = []
        self.mishaps = list(mishaps)
        self.epoch = 1
        self.changes: dict[str, Any] = {}

    @property
    def invitation(self) -> Invitation:
        """An invitation for the one user of this audit."""
        return Invitation(f"http://127.0.0.1:{self.server_address[1]}", "audit", TOKEN)

    def published(self) -> dict[str, Any]:
        """What a community publishes."""
        roster = self.changes.get("roster", ROSTER)
        names = [name for name in roster or () if isinstance(name, str)]
        groups = [self.changes.get(name) or () for name in ("group_names", "groups")]
        digest = roster_digest(names, *groups)
        choices = (Choice("standard", *EPSILON),)
        honest = Published("audit", "Audit", len(ROSTER), "dprr", choices, digest, self.epoch, user=USER)
        reports = [each.path for each in self.requests if each.method == "PUT" and "/reports/" in each.path]
        held = [epoch for epoch in range(1, self.epoch + 1) if any(path.endswith(f"epoch={epoch}") for path in reports)]
        fields: dict[str, Any] = json.loads(write_publication(honest, held, json.dumps(roster)))
        return fields | self.changes

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that goes away is what this server is for."""


class _Handler(BaseHTTPRequestHandler):
    server: FailingCollector

    def do_GET(self) -> None:
        self._record(None)
        if "/question" not in self.path:
            self._answer(200, json.dumps(self.server.published()).encode())
        elif self.server.question is None:
            self._answer(409, b"")
        else:
            self._answer(200, self.server.question)

    def do_PUT(self) -> None:
        mishap = self.server.mishaps.pop(0) if self.server.mishaps else 200
        if mishap == "drop":
            self._record(None)
            self.close_connection = True
            return
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self._record(body)
        (self.server.answers if "/answers/" in self.path else self.server.bodies).append(body)
        self._mishap(mishap)

    def do_DELETE(self) -> None:
        mishap = self.server.mishaps.pop(0) if self.server.mishaps else 204
        self._record(None)
        self._mishap(mishap)

    def _mishap(self, mishap: str | int) -> None:
        if isinstance(mishap, int):
            self._answer(mishap, b"")
        elif mishap.startswith("urn:"):
            self._answer(422, json.dumps({"type": mishap, "status": 422}).encode())
        self.close_connection = True

    def _record(self, body: bytes | None) -> None:
        headers = tuple((name, str(value)) for name, value in self.headers.items())
        self.server.requests.append(Request(self.command, self.path, headers, body))

    def _answer(self, status: int, body: bytes) -> None:
        self.send_response(status)
        if 300 <= status < 400:
            self.send_header("Location", f"/elsewhere{self.path}")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


@contextmanager
def failing_collector(mishaps: tuple[str | int, ...] = ()) -> Iterator[FailingCollector]:
    """A running :class:`FailingCollector`."""
    server = FailingCollector(mishaps)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def one_report() -> Finding:
    """Run the client against the failing collector until it has come through, and some more."""
    with tempfile.TemporaryDirectory() as folder, failing_collector(_MISHAPS) as server:
        home, friends = Path(folder) / "home", Path(folder) / "friends.txt"
        friends.write_text("\n".join(ROSTER[10:20]))
        client = Client(home, tick=0.0, pauses=(0.0,), timeout=5.0)
        client.join(server.invitation, accept=10**6)
        for _ in _MISHAPS:
            with suppress(SendError):
                client.report("audit", friends_file=friends)
        different = len(set(server.bodies))
        claimed = sum(EPSILON)
        effort = f"{len(server.bodies)} sendings in {len(_MISHAPS)} runs, {different} different"
        return Finding("protocol", claimed, claimed * different, different == 1, effort)
