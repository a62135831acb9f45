"""Whoever has no token gets one answer, whatever there is and whatever is sent."""

from __future__ import annotations

import asyncio
import base64
import json
import socket
from collections.abc import Iterator
from typing import Any

import pytest
from starlette.datastructures import Headers
from starlette.types import Message, Receive, Scope, Send
from tests.collector.people import N, open_cats, report
from tests.collector.site import HASTY, SETTINGS, Site, running

from graphldp import wire
from graphldp.collector.http.member_requests import MemberRequests, ReportShortcut

LARGE = 100_000  # users: a report of theirs may be longer than any of cats
STRANGER = f"0.{'x' * 43}"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    yield from running(_fill_site(Site(tmp_path_factory.mktemp("site"), SETTINGS)))


@pytest.fixture(scope="module")
def hasty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    yield from running(_fill_site(Site(tmp_path_factory.mktemp("hasty"), HASTY)))


def _fill_site(made: Site) -> Site:
    roster = [f"user {place}" for place in range(LARGE)]
    made.store.open_community("large", roster, mechanism="dprr", choices=made.cats.choices)
    made.tokens[-1] = made.store.invite("large", [0])[0]
    open_cats(made.store, "renewed")
    made.store.open_epoch("renewed")
    return made


def exchange(
    site: Site, community: str, token: str, body: bytes, *, query: str = "", length: int | None = None
) -> bytes:
    """All that the server sends to one request, but for the time of day."""
    head = (
        f"PUT /v1/communities/{community}/reports/0{query} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n"
        f"Content-Type: {wire.MEDIA_TYPE}\r\nConnection: close\r\n"
        f"Content-Length: {len(body) if length is None else length}\r\n\r\n"
    )
    received = b""
    with socket.create_connection(("127.0.0.1", site.collector.port), timeout=60) as connection:
        connection.sendall(head.encode())
        try:
            connection.sendall(body)
            while chunk := connection.recv(4096):
                received += chunk
        except (ConnectionResetError, BrokenPipeError):
            pass  # it answered, and closed on bytes that it had not read
    return b"\r\n".join(line for line in received.split(b"\r\n") if not line.startswith(b"date: "))


BODIES = [b"", report(0), b"x" * 30, b"x" * 32, b"x" * 500, b"x" * 1024, b"x" * 1025, b"x" * 12_600]


@pytest.mark.attack("collector")
@pytest.mark.parametrize("query", ["", "?epoch=1", "?epoch=2", "?epoch=3"])
def test_a_stranger_gets_one_answer(site: Site, query: str) -> None:
    """Body sizes, epochs and bodies that never come, to tell which communities there are."""
    assert site.put(40, report(40)).status_code < 300  # cats are known to the server, the others are not yet
    answers = {
        exchange(site, community, token, body, query=query)
        for community in ("cats", "large", "renewed", "nobody")
        for token in (STRANGER, site.tokens[3], "nonsense")
        for body in BODIES
    }
    assert len(answers) == 1
    assert answers.pop().startswith(b"HTTP/1.1 401 ")


@pytest.mark.parametrize(("length", "status"), [(20, 408), (1024, 408), (1025, 401), (1 << 40, 401)])
def test_a_body_that_does_not_come_tells_nothing(hasty: Site, length: int, status: int) -> None:
    assert hasty.put(40, report(40)).status_code < 300
    answers = {exchange(hasty, each, STRANGER, b"", length=length) for each in ("cats", "large", "nobody")}
    assert len(answers) == 1
    assert answers.pop().startswith(f"HTTP/1.1 {status} ".encode())


def test_a_batch_of_a_stranger_gets_one_answer_each(site: Site) -> None:
    items = [
        {
            "community": community,
            "user": user,
            "epoch": epoch,
            "token": token,
            "report": base64.b64encode(body).decode(),
        }
        for community in ("cats", "large", "renewed", "nobody")
        for user in (0, N, LARGE)
        for epoch in (1, 2)
        for token in (STRANGER, "nonsense")
        for body in BODIES
    ]
    answer = site.http.post(f"{site.collector.url}/v1/reports:batch", json={"reports": items})
    results: list[dict[str, Any]] = answer.json()["results"]
    assert len(results) == len(items)
    assert all(each == results[0] for each in results)
    assert results[0]["status"] == 401


def test_members_still_learn_what_is_wrong(site: Site) -> None:
    assert exchange(site, "large", site.tokens[-1], b"x" * 12_600).startswith(b"HTTP/1.1 413 ")
    assert exchange(site, "large", site.tokens[-1], b"x" * 12_000).startswith(b"HTTP/1.1 422 ")
    assert exchange(site, "cats", site.tokens[0], b"x" * 500).startswith(b"HTTP/1.1 413 ")
    assert exchange(site, "cats", site.tokens[0], b"x" * 5000).startswith(b"HTTP/1.1 413 ")
    assert exchange(site, "cats", site.tokens[0], b"x" * 20).startswith(b"HTTP/1.1 422 ")
    assert exchange(site, "cats", site.tokens[0], report(0), query="?epoch=2").startswith(b"HTTP/1.1 409 ")


class Broken(MemberRequests):
    def __init__(self) -> None:
        pass

    async def take(self, headers: Headers, receive: Receive, id: str, user: int, epoch: int | None) -> int:
        raise ZeroDivisionError


async def nothing(scope: Scope, receive: Receive, send: Send) -> None:
    raise AssertionError


def test_an_unexpected_error_is_answered_and_passed_on() -> None:
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    async def receive() -> Message:
        raise AssertionError

    path = "/v1/communities/cats/reports/3"
    scope = {"type": "http", "method": "PUT", "path": path, "query_string": b"epoch=1", "headers": []}
    with pytest.raises(ZeroDivisionError):
        asyncio.run(ReportShortcut(nothing, Broken())(scope, receive, send))
    assert sent[0]["status"] == 500
    assert (b"content-type", b"application/problem+json") in sent[0]["headers"]
    assert json.loads(sent[1]["body"])["type"] == "urn:graphldp:problem:internal"
