"""The client against answers that no honest collector gives."""

from __future__ import annotations

import gzip
import threading
import time
import tracemalloc
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from graphldp.client.sending import sender
from graphldp.client.sending.sender import Sender
from graphldp.errors import SendError
from graphldp.wire import Invitation


class Answers(ThreadingHTTPServer):
    """Answers every request with the same status, headers and parts, the last of which repeats for ever."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.status, self.parts, self.endless = 200, [b""], False
        self.headers: dict[str, str] = {}
        self.sent = 0
        self.drips: bytes | None = None
        self.requests: list[tuple[str, str, dict[str, str]]] = []

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that hangs up is what this is about."""


class Handler(BaseHTTPRequestHandler):
    server: Answers

    def do_GET(self) -> None:
        self.server.requests.append((self.command, self.path, dict(self.headers)))
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.server.drips is not None:
            self.wfile.write(self.server.drips)
            while True:  # until the client hangs up
                self.wfile.write(b"x")
                time.sleep(0.05)
        self.send_response(self.server.status)
        for name, value in self.server.headers.items():
            self.send_header(name, value)
        self.end_headers()
        for part in self.server.parts:
            self.wfile.write(part)
        while self.server.endless:
            self.server.sent += self.wfile.write(self.server.parts[-1])

    def do_PUT(self) -> None:
        self.do_GET()

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture
def answers() -> Iterator[Answers]:
    server = Answers()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    server.endless = False
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def way(answers: Answers) -> Sender:
    return Sender(Invitation(f"http://127.0.0.1:{answers.server_address[1]}", "c", "t"), pauses=(), timeout=60.0)


def asks(way: Sender) -> tuple[Callable[[], object], ...]:
    return (way.fetch, lambda: way.holds(1), lambda: way.put(3, 1, b"report"))


@pytest.mark.attack("device")
@pytest.mark.parametrize("status", [200, 201, 404, 503])
def test_compressed_answers_are_not_unpacked(answers: Answers, way: Sender, status: int) -> None:
    """A gzip bomb in an answer."""
    answers.status, answers.headers = status, {"Content-Encoding": "gzip"}
    answers.parts = [gzip.compress(bytes(50_000_000))]
    for ask in asks(way):
        tracemalloc.start()
        with pytest.raises(SendError, match="compressed"):
            ask()
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 10_000_000
    assert {request[2]["Accept-Encoding"] for request in answers.requests} == {"identity"}


@pytest.mark.attack("device")
@pytest.mark.parametrize("status", [200, 404])
def test_answers_without_an_end_are_given_up(
    answers: Answers, way: Sender, status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An endless answer, a million empty objects, 22 million names of two letters."""
    monkeypatch.setattr(sender, "MOST_BYTES", 1 << 20)
    answers.status, answers.parts, answers.endless = status, [bytes(1 << 16)], True
    for ask in asks(way):
        with pytest.raises(SendError, match="larger than any"):
            ask()


@pytest.mark.attack("device")
@pytest.mark.parametrize(("part", "count", "most"), [(b"{}", 1_000_000, 30_000_000), (b"1", 9_000_000, 90_000_000)])
def test_many_small_parts_are_not_read(answers: Answers, way: Sender, part: bytes, count: int, most: int) -> None:
    """An endless answer, a million empty objects, 22 million names of two letters."""
    answers.parts = [b'{"roster": [' + (part + b",") * count + part + b"]}"]
    tracemalloc.start()
    with pytest.raises(SendError, match="not what a community publishes"):
        way.fetch()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < most


@pytest.mark.parametrize("body", [b"", b"[]", b"[" * 60_000, b"3", b'{"a": ' + b"9" * 5000 + b"}", b"\xff"])
def test_what_is_no_json_object_is_refused(answers: Answers, way: Sender, body: bytes) -> None:
    answers.parts = [body]
    with pytest.raises(SendError, match="not what a community publishes"):
        way.fetch()


@pytest.mark.attack("device")
def test_a_problem_cannot_write_to_the_terminal(answers: Answers, way: Sender) -> None:
    """Escape sequences in names, choices and problems."""
    answers.status = 422
    answers.parts = [b'{"title": "\\u001b[2Jgone", "detail": "a\\u009b31m\\u202eb"}']
    with pytest.raises(SendError) as caught:
        way.put(3, 1, b"report")
    assert str(caught.value).isprintable()
    assert "gone" in str(caught.value)


def test_redirects_are_not_followed(answers: Answers, way: Sender) -> None:
    answers.status, answers.headers = 307, {"Location": f"http://localhost:{answers.server_address[1]}/elsewhere"}
    for ask in asks(way):
        with pytest.raises(SendError, match="answered 307"):
            ask()
    assert len(answers.requests) == 3


@pytest.mark.attack("device")
@pytest.mark.parametrize("asked", ["0", "\xb2", "-1", "soon", "9" * 400, ""])
def test_any_pause_that_is_asked_for_is_survived(answers: Answers, asked: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A pause of `²` seconds, a server `https://[a`."""
    monkeypatch.setattr(sender, "LONGEST_PAUSE", 0.01)
    answers.status, answers.headers = 429, {"Retry-After": asked}
    address = f"http://127.0.0.1:{answers.server_address[1]}"
    with pytest.raises(SendError, match="429"):
        Sender(Invitation(address, "c", "t"), pauses=(0.0,), timeout=60.0).put(3, 1, b"report")
    assert len(answers.requests) == 2


@pytest.mark.attack("device")
@pytest.mark.parametrize(
    "drips",
    [b"", b"HTTP/1.1 200 OK\r\nX-Long: ", b"HTTP/1.1 200 OK\r\nContent-Length: 60000\r\n\r\n"],
    ids=["status", "header", "body"],
)
def test_a_server_that_drips_is_left_at_the_deadline(answers: Answers, drips: bytes) -> None:
    """An answer that sends one byte now and then, in its status, a header or its body.

    A byte every twentieth of a second, for ever: each one begins a new timeout. The bytes are no honest status.
    """
    sender._trusted()  # reads certificates the first time, which may take as long as the deadline
    answers.drips = drips or b"HTTP/1.1 2"
    sending = Sender(
        Invitation(f"http://127.0.0.1:{answers.server_address[1]}", "c", "t"),
        pauses=(0.0,) * 5,
        timeout=10.0,
        total=2.0,
    )
    with pytest.raises(SendError, match=r"took too long.*the same bytes are sent"):
        sending.put(3, 1, b"report")
    assert len(answers.requests) == 1  # nor is it tried again


def test_a_deadline_that_is_over_before_there_is_a_connection(answers: Answers) -> None:
    answers.drips = b"HTTP/1.1 200 OK\r\nX-Long: "
    sending = Sender(Invitation(f"http://127.0.0.1:{answers.server_address[1]}", "c", "t"), pauses=(), total=0.0)
    with pytest.raises(SendError, match="took too long"):
        sending.fetch()
