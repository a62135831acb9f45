"""Connections that would stay for ever, one kind for each state, and too many from one address."""

from __future__ import annotations

import socket
import time
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest
from tests.collector.people import report
from tests.collector.site import Site

PATIENCE = 15.0
ALONE = "127.0.0.3"  # an address from which nothing else comes
HEALTH = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"


@pytest.fixture(scope="module")
def site(hasty: Site) -> Site:
    return hasty


def connect(site: Site, source: str = "127.0.0.1") -> socket.socket:
    return socket.create_connection(("127.0.0.1", site.collector.port), timeout=PATIENCE, source_address=(source, 0))


def ends_while_sending(connection: socket.socket, part: bytes) -> bool:
    """Whether the server ends a connection on which a little more arrives all the time."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        try:
            connection.sendall(part)
        except (ConnectionResetError, BrokenPipeError):
            return True
        except TimeoutError:
            return False
        time.sleep(0.1)
    return False


@pytest.mark.attack("collector")
@pytest.mark.parametrize(
    "head",
    [
        "PUT /v1/communities/cats/reports/0 HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n",
        "POST /nothing/here HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n",
        "GET /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n",
    ],
)
def test_a_body_that_goes_on_after_its_answer(site: Site, head: str) -> None:
    """A body that drips on after its answer."""
    with connect(site) as connection:
        connection.sendall(head.encode())
        assert connection.recv(4096).startswith(b"HTTP/1.1 ")
        assert ends_while_sending(connection, b"x")


def test_a_head_that_never_ends(site: Site) -> None:
    with connect(site) as connection:
        connection.sendall(HEALTH)
        assert connection.recv(4096).startswith(b"HTTP/1.1 200")
        assert ends_while_sending(connection, b"x")


BATCH = b"POST /v1/reports:batch HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
BATCH += b"Transfer-Encoding: chunked\r\n\r\n"


@pytest.mark.attack("collector")
@pytest.mark.parametrize(
    ("chunk", "count", "status"),
    [(b"1\r\n \r\n", 200, 400), (b"1\r\n \r\n", 90, 422), (b"200\r\n" + b" " * 512 + b"\r\n", 200, 422)],
    ids=["crumbs", "a few crumbs", "chunks"],
)
def test_a_body_in_crumbs_is_not_read(site: Site, chunk: bytes, count: int, status: int) -> None:
    """A body in chunks of one byte.

    A chunk of one byte costs the server as much work as one of a thousand.
    """
    with connect(site) as connection:
        connection.sendall(BATCH + chunk * count + b"0\r\n\r\n")
        assert connection.recv(12) == f"HTTP/1.1 {status}".encode()
        while status == 400 and connection.recv(4096):
            pass  # the connection ends


@pytest.mark.attack("collector")
def test_bytes_that_are_no_http_after_an_answer_end_the_connection(site: Site) -> None:
    """Bytes that are not HTTP, after an answer."""
    with connect(site) as connection:
        connection.sendall(BATCH.replace(b"application/json", b"text/plain"))
        assert connection.recv(12) == b"HTTP/1.1 415"
        connection.sendall(b"no chunk\r\n")
        while connection.recv(4096):
            pass  # the rest of the answer, and the connection ends
    assert "Traceback" not in site.collector.output()


@pytest.mark.attack("collector")
@pytest.mark.parametrize("path", ["/", "/v1/communities/cats/reports/0"])
def test_a_long_method_is_no_http(site: Site, path: str) -> None:
    """A method of 60,000 letters: traces would keep two thousand of them."""
    with connect(site) as connection:
        connection.sendall(f"{'A' * 60_000} {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        assert connection.recv(12) == b"HTTP/1.1 400"


@pytest.mark.attack("collector")
def test_nonsense_fills_no_log(site: Site) -> None:
    """Bytes that are not HTTP, and wishes for WebSockets: each wrote a line or two, as often as anybody liked."""
    wish = HEALTH.replace(b"Host: x", b"Host: x\r\nConnection: Upgrade\r\nUpgrade: websocket")
    before = site.collector.output().count("\n")
    for sent in (b"nonsense\r\n\r\n", wish, BATCH + b"no chunk\r\n") * 10:
        with connect(site) as connection:
            connection.sendall(sent)
            assert connection.recv(12).startswith(b"HTTP/1.1 ")
    assert site.collector.output().count("\n") == before


def large_answer(site: Site, id: str) -> tuple[int, bytes]:
    """The least bytes of a community's answer, some megabytes, and the request for it."""
    names = [f"{place:05d}{'x' * 195}" for place in range(20_000)]
    site.store.open_community(id, names, mechanism="dprr", choices=site.cats.choices)
    token = site.store.invite(id, [0])[0]
    head = f"GET /v1/communities/{id} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n\r\n"
    return sum(map(len, names)), head.encode()


@pytest.mark.attack("collector")
def test_a_reader_that_never_reads(site: Site) -> None:
    """An answer that is never read, and is larger than every buffer on the way."""
    _, head = large_answer(site, "unread")
    with socket.socket() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.settimeout(PATIENCE)
        connection.connect(("127.0.0.1", site.collector.port))
        connection.sendall(head)
        assert ends_while_sending(connection, b"x")


@pytest.mark.attack("collector")
def test_a_slow_but_steady_reader_gets_its_answer(site: Site) -> None:
    """A large answer that is read in more than three times what one part of it may take."""
    least, head = large_answer(site, "large")
    received = 0
    with connect(site) as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 16)
        connection.sendall(head)
        while chunk := connection.recv(1 << 16):
            received += len(chunk)
            time.sleep(0.03)
    assert received > least


@pytest.mark.attack("collector")
def test_requests_that_do_not_wait_for_answers(site: Site) -> None:
    """Hundreds of requests in one packet: each connection made the work of hundreds."""
    with connect(site) as connection:
        connection.sendall(HEALTH * 300)
        received = b""
        while chunk := connection.recv(1 << 16):
            received += chunk
    assert 1 <= received.count(b"HTTP/1.1 ") <= 10
    with httpx.Client(base_url=site.collector.url, limits=httpx.Limits(max_connections=1)) as http:
        ports = {http.get("/healthz").extensions["network_stream"].get_extra_info("client_addr") for _ in range(30)}
    assert len(ports) == 1  # one after the other


@pytest.mark.attack("collector")
def test_one_address_cannot_take_all_connections(tmp_path: Path) -> None:
    """All connections from one address."""
    site = Site(tmp_path, {"address_connections": 3, "connections": 100, "trusted_proxies": "192.0.2.1"})
    with site.collector, ExitStack() as stack:
        held = [stack.enter_context(connect(site, ALONE)) for _ in range(3)]
        for connection in held:
            connection.sendall(HEALTH)
            assert connection.recv(4096).startswith(b"HTTP/1.1 200")
        for _ in range(3):  # told why, while they are few
            connection = stack.enter_context(connect(site, ALONE))
            connection.sendall(HEALTH)
            assert connection.recv(4096).startswith(b"HTTP/1.1 503")
        silent = [stack.enter_context(connect(site, ALONE)) for _ in range(6)]
        late = silent[-1]
        try:
            unheard = late.recv(4096)
        except ConnectionResetError:
            unheard = b""
        assert unheard == b""
        other = stack.enter_context(connect(site, "127.0.0.4"))
        other.sendall(HEALTH)
        assert other.recv(4096).startswith(b"HTTP/1.1 200")
    site.http.close()
    site.store.close()


def test_a_proxy_stands_for_many(tmp_path: Path) -> None:
    site = Site(tmp_path, {"address_connections": 1})
    with site.collector, ExitStack() as stack:
        for _ in range(5):
            connection = stack.enter_context(connect(site))
            connection.sendall(HEALTH)
            assert connection.recv(4096).startswith(b"HTTP/1.1 200")
        assert site.put(0, report(0)).status_code == 201
    site.http.close()
    site.store.close()
