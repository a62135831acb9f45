"""An error that nobody thought of is a problem too, and still reaches the log."""

from __future__ import annotations

import asyncio
import json

import pytest
from starlette.datastructures import Headers
from starlette.types import Message, Receive, Scope, Send

from graphldp.collector.http.members.front import Front
from graphldp.collector.http.members.reception import Reception


class Broken(Reception):
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
        asyncio.run(Front(nothing, Broken())(scope, receive, send))
    assert sent[0]["status"] == 500
    assert (b"content-type", b"application/problem+json") in sent[0]["headers"]
    assert json.loads(sent[1]["body"])["type"] == "urn:graphldp:problem:internal"
