"""What a stranger's batch costs the server: memory that is counted."""

from __future__ import annotations

import select
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from tests.collector.people import report
from tests.collector.site import Site, linux, problem

MEGABYTE = 1_000_000


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    made = Site(tmp_path_factory.mktemp("site"), {"held_bytes": 20 * MEGABYTE})
    with made.collector:
        yield made
    made.http.close()
    made.store.close()


def peak(site: Site) -> int:
    """The most memory that the server has had, in bytes."""
    status = (linux(site.collector.pid) / "status").read_text("utf-8")
    return int(status.partition("VmHWM:")[2].split()[0]) * 1024


def filled(start: bytes, part: bytes, end: bytes, size: int) -> bytes:
    return start + part * ((size - len(start) - len(end)) // len(part)) + end


@pytest.mark.attack("collector")
@pytest.mark.parametrize(
    "body",
    [
        filled(b'{"reports":[{}', b",{}", b"]}", MEGABYTE // 2),
        filled(b'{"reports":[{}', b",{}", b"]}", 8 * MEGABYTE),
        filled(b'{"reports":[', b"1,", b"1]}", 8 * MEGABYTE),
        filled(b'{"reports":', b"[", b"", 8 * MEGABYTE),
        filled(b'{"reports":[{"user":', b"1", b"}]}", 8 * MEGABYTE),
        filled(b'{"reports":[{"token":"', b"\\u0041", b'"}]}', 8 * MEGABYTE),
        filled(b'{"reports":[{}', b" ", b"]}", 8 * MEGABYTE),
        filled(b"", b'{"a":', b"", 8 * MEGABYTE),
        filled(b'{"reports":[{"', b"a", b'":1}]}', 8 * MEGABYTE),
        filled(b'{"reports":[{"token":"', "🐈".encode(), b'"}]}', 8 * MEGABYTE),
    ],
    ids=["objects", "more objects", "numbers", "lists", "a number", "a string", "nothing", "depth", "a key", "cats"],
)
def test_what_is_no_batch_costs_little_more_than_its_bytes(site: Site, body: bytes) -> None:
    """`{"reports":[{},…]}` without a token. A key of megabytes was copied into six errors while all waited."""
    address, headers = f"{site.collector.url}/v1/reports:batch", {"Content-Type": "application/json"}
    before = peak(site)
    for _ in range(3):
        assert problem(site.http.post(address, content=body, headers=headers)) == (422, "bad-request")
    assert peak(site) - before < 10 * MEGABYTE + 5 * len(body)
    assert site.put(0, report(0)).status_code in (200, 201)


@pytest.mark.attack("collector")
def test_unfinished_batches_hold_so_much_and_no_more(site: Site) -> None:
    """Forty unfinished batches.

    Forty connections send half of a batch of eight megabytes. Those who hold a token are served all the same.
    """
    head = b"POST /v1/reports:batch HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
    head += b"Content-Length: 8000000\r\n\r\n"
    before = peak(site)
    with ExitStack() as stack:
        waiting = set()
        for _ in range(40):
            address = ("127.0.0.1", site.collector.port)
            connection = stack.enter_context(socket.create_connection(address, timeout=60))
            waiting.add(connection)
            connection.sendall(head + bytes(4 * MEGABYTE))
        assert site.put(1, report(1)).status_code == 201
        while len(waiting) > 5:
            answered, _, _ = select.select(waiting, [], [], 10)
            assert answered
            for connection in answered:
                assert connection.recv(12) == b"HTTP/1.1 503"
                waiting.remove(connection)
    assert peak(site) - before < 60 * MEGABYTE
    url, end = f"{site.collector.url}/v1/reports:batch", time.monotonic() + 90
    while site.http.post(url, json={"reports": []}).status_code == 503:
        assert time.monotonic() < end  # what they held is free again, once the server has seen that they went
