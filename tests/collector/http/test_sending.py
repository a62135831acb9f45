"""Long answers: in pieces, at their reader's pace, within a budget."""

from __future__ import annotations

import asyncio
import socket
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from starlette.types import Message
from tests.collector.site import Site, linux

from graphldp.collector.http.problems import ProblemError
from graphldp.collector.http.sending import AnswerBudget, PartsResponse

LONG = bytes(300_000)


def sent(sending: AnswerBudget, *messages: Message) -> list[Message]:
    """What a client gets of some messages."""
    found: list[Message] = []

    async def send(message: Message) -> None:
        found.append(message)

    async def all_of_them() -> None:
        way = sending.in_pieces(send)
        for message in messages:
            await way(message)

    asyncio.run(all_of_them())
    return found


START: Message = {"type": "http.response.start", "status": 200, "headers": []}


def body(content: bytes, more: bool = False) -> Message:
    return {"type": "http.response.body", "body": content, "more_body": more}


def test_a_long_answer_goes_in_pieces() -> None:
    start, *pieces = sent(AnswerBudget(10**6), START, body(LONG, more=True), body(b"end"))
    assert start is START
    assert b"".join(piece["body"] for piece in pieces) == LONG + b"end"
    assert max(len(piece["body"]) for piece in pieces) == 1 << 16
    assert [piece["more_body"] for piece in pieces] == [True] * 5 + [False]


def test_short_answers_go_as_they_are() -> None:
    assert sent(AnswerBudget(0), START, body(b"short")) == [START, body(b"short")]


@pytest.mark.attack("collector")
def test_who_reads_slowly_holds_a_budget_that_others_see() -> None:
    """Answers that nobody reads filled the memory: one was kept for each reader."""
    sending, other = AnswerBudget(len(LONG)), bytes(len(LONG))
    with sending.share(LONG), sending.share(LONG):  # the same bytes count once
        with pytest.raises(ProblemError), sending.share(other):
            pass
        refused = sent(sending, START, body(other))
        assert (refused[0]["status"], b"too-busy" in refused[1]["body"]) == (503, True)
    assert sent(sending, START, body(other))[0] is START
    with sending.share(bytes(2 * len(LONG))):  # one alone may be longer
        pass


def test_parts_are_one_answer() -> None:
    found: list[Any] = []

    async def send(message: Message) -> None:
        found.append(message)

    async def receive() -> Message:
        return {"type": "http.disconnect"}

    response = PartsResponse([b"head", LONG], AnswerBudget(1), "application/json")
    asyncio.run(response({"type": "http"}, receive, send))
    assert (b"content-length", str(len(LONG) + 4).encode()) in found[0]["headers"]
    assert b"".join(each["body"] for each in found[1:]) == b"head" + LONG


@pytest.mark.attack("collector")
def test_slow_readers_of_a_long_roster_share_it(tmp_path: Path) -> None:
    """Fifty-eight readers of a roster of 14 MB who did not read took 812 MB."""
    site = Site(tmp_path, {})
    names = [f"{place:05d}{'x' * 195}" for place in range(40_000)]
    site.store.open_community("large", names, mechanism="dprr", choices=site.cats.choices)
    token = site.store.invite("large", [0])[0]
    head = f"GET /v1/communities/large HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n\r\n".encode()

    def memory() -> int:
        status = (linux(site.collector.pid) / "status").read_text("utf-8")
        return int(status.partition("VmRSS:")[2].split()[0]) * 1024

    with site.collector, ExitStack() as lines:
        for count in (1, 20):
            for _ in range(count):
                line = lines.enter_context(socket.socket())
                line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                line.settimeout(20)
                line.connect(("127.0.0.1", site.collector.port))
                line.sendall(head)
                assert line.recv(12) == b"HTTP/1.1 200"
            if count == 1:
                quiet = memory()
        assert memory() - quiet < 20 * sum(map(len, names)) / 4
    site.http.close()
    site.store.close()
