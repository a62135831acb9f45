"""Long answers: sent in pieces, so that a slow reader keeps one of them, and within a budget for all answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from graphldp.collector.http.problems import RETRY_SECONDS, ProblemError, answer

_PIECE = 1 << 16


class AnswerBudget:
    """A budget for the bytes of long answers that are held at a time. Bytes that several answers share count once."""

    def __init__(self, most: int) -> None:
        self._most, self._now = most, 0
        self._readers: Counter[int] = Counter()

    @contextmanager
    def share(self, body: bytes) -> Iterator[None]:
        """Hold bytes while they are sent."""
        key, count = id(body), len(body)  # held until the block ends, so nothing else has its id
        if key not in self._readers:
            if self._now and self._now + count > self._most:
                raise ProblemError("too-busy", headers={"Retry-After": str(RETRY_SECONDS)})
            self._now += count
        self._readers[key] += 1
        try:
            yield
        finally:
            self._readers[key] -= 1
            if not self._readers[key]:
                del self._readers[key]
                self._now -= count

    def in_pieces(self, send: Send) -> Send:
        """A way to send on which a long answer begins where there is room for it, and waits for its reader."""
        start: Message | None = None

        async def sent(message: Message) -> None:
            nonlocal start
            if message["type"] == "http.response.start":
                start = message  # until the length of what follows is known
                return
            body, begun = message.get("body", b""), start
            start = None
            if len(body) <= _PIECE:
                if begun is not None:
                    await send(begun)
                await send(message)
                return
            try:
                with self.share(body):
                    if begun is not None:
                        await send(begun)
                        begun = None
                    for at in range(0, len(body), _PIECE):
                        more = at + _PIECE < len(body) or message.get("more_body", False)
                        await send({"type": message["type"], "body": body[at : at + _PIECE], "more_body": more})
            except ProblemError as error:
                if begun is None:  # its client sees that the answer is cut short
                    raise
                refused = answer(error)  # the framework thinks that it has answered already
                await send({"type": "http.response.start", "status": error.status, "headers": refused.raw_headers})
                await send({"type": "http.response.body", "body": refused.body})

        return sent


class PartsResponse(Response):
    """An answer in several parts, the long one of which others share."""

    def __init__(self, parts: Sequence[bytes], budget: AnswerBudget, media_type: str) -> None:
        super().__init__(media_type=media_type, headers={"content-length": str(sum(map(len, parts)))})
        self._parts, self._budget = parts, budget

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it."""
        with self._budget.share(self._parts[-1]):
            await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
            for part in self._parts[:-1]:
                await send({"type": "http.response.body", "body": part, "more_body": True})
            await send({"type": "http.response.body", "body": self._parts[-1], "more_body": False})
