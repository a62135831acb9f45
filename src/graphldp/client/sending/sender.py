"""Asking a collector and sending to it: one address per report, the same bytes on every try.

What fails for a while (no connection, a timeout, 408, 429, 5xx) is tried again after a growing, uneven pause; whatever
else is refused ends at once. A report goes to its own epoch and to no later one. Redirects are not followed: the token
goes to the invitation's server and to no other. An answer is taken as it is, uncompressed, and read up to a limit. All
tries together end at a deadline, however slowly the other side speaks.
"""

from __future__ import annotations

import json
import random
import socket
import threading
import time
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from graphldp.errors import MissingExtraError, SendError, WireError
from graphldp.files.text import printable
from graphldp.wire import ANSWER_TYPE, MEDIA_TYPE, Invitation, problems
from graphldp.wire.community import MOST_BRACKETS, MOST_BYTES, MOST_COMMAS
from graphldp.wire.strict_json import read_object

if TYPE_CHECKING:
    import ssl

    import httpx

TIMEOUT = 30.0
TOTAL = 900.0  # seconds: more than all tries and pauses take, and the largest roster over a slow line
PAUSES = (0.5, 1.0, 2.0, 4.0, 8.0)
LONGEST_PAUSE = 60.0
SHORT = 1 << 16  # bytes of any other answer
_CONNECTED = ("connect_tcp.complete", "start_tls.complete")
_OVER = (
    "The epoch that your report was drawn for is over, and takes no more reports. "
    "'graphldp client report --new-epoch' shows what the community publishes now, and draws one for it at its full ε."
)

_OLD_KEY = (
    "The collector has changed the key that reports are sealed to. "
    "Take the invitation again ('graphldp client join'), and send the same report."
)


@dataclass(frozen=True)
class _Answer:
    status: int
    body: bytes
    retry_after: str

    def fields(self) -> dict[str, Any]:
        """The JSON object that it is; empty where it is none."""
        brackets = self.body.count(b"{") + self.body.count(b"[")
        if brackets > MOST_BRACKETS or self.body.count(b",") > MOST_COMMAS:
            return {}
        try:
            return read_object(self.body)
        except WireError:
            return {}


class Sender:
    """The way to one community's collector.

    Args:
        invitation: where it is, and the token.
        pauses: seconds between tries; one try more than there are pauses.
        timeout: seconds that a connection, a read or a write may take.
        total: seconds that everything may take, from the first try to the end of the last.
        asking: whom to ask where the collector refuses for good, in words.
    """

    def __init__(
        self,
        invitation: Invitation,
        *,
        pauses: tuple[float, ...] = PAUSES,
        timeout: float = TIMEOUT,
        total: float = TOTAL,
        asking: str = "",
    ) -> None:
        self._asking = asking
        self._invitation, self._pauses, self._timeout, self._total = invitation, pauses, timeout, total
        self._base = f"{invitation.server}/v1/communities/{invitation.community}"

    def fetch(self) -> dict[str, Any]:
        """The publication of the community."""
        fields = self._tried("GET", self._base).fields()
        if not fields:
            raise SendError("The collector's answer is not what a community publishes.")
        return fields

    def holds(self, epoch: int, what: str = "held") -> bool:
        """Whether the collector holds the report of an epoch, or its ``"answered"`` question; or does not say."""
        held = self.fetch().get(what)
        return epoch in held if isinstance(held, list) else True

    def question(self, epoch: int) -> bytes:
        """The second question of an epoch, as the collector asks it."""
        return self._tried("GET", f"{self._base}/question?epoch={epoch}").body

    def put(self, user: int, epoch: int, body: bytes) -> None:
        """Send an epoch's report until the collector acknowledges it."""
        headers = {"Content-Type": MEDIA_TYPE}
        self._tried("PUT", f"{self._base}/reports/{user}?epoch={epoch}", content=body, headers=headers)

    def put_answer(self, user: int, epoch: int, body: bytes) -> None:
        """Send an epoch's answer until the collector acknowledges it."""
        headers = {"Content-Type": ANSWER_TYPE}
        self._tried("PUT", f"{self._base}/answers/{user}?epoch={epoch}", content=body, headers=headers)

    def carry(self, relay: str, message: bytes) -> None:
        """Give a sealed message to a relay until it is acknowledged. The relay gets no token."""
        item = {"community": self._invitation.community, "sealed": b64encode(message).decode()}
        answer = self._tried("POST", f"{relay}/v1/reports:batch", known=False, json={"reports": [item]})
        results = answer.fields().get("results")
        result = results[0] if isinstance(results, list) and results else None
        status = result.get("status") if isinstance(result, dict) else None
        if status not in (200, 201):
            if isinstance(result, dict) and isinstance(status, int):
                raise SendError(_reason(_Answer(status, json.dumps(result).encode(), "")))
            raise SendError("The relay's answer does not say what became of the report.")

    def withdraw(self, user: int, epoch: int) -> None:
        """Ask for the deletion of all that was sent up to an epoch, until the collector acknowledges it."""
        self._tried("DELETE", f"{self._base}/reports/{user}?epoch={epoch}")

    def _tried(self, method: str, address: str, *, known: bool = True, **content: Any) -> _Answer:
        try:
            import httpx
        except ModuleNotFoundError:
            raise MissingExtraError("Sending reports", "client") from None
        headers = {"User-Agent": "graphldp", "Accept-Encoding": "identity"}
        if known:  # not to a relay, which must not learn who this is
            headers["Authorization"] = f"Bearer {self._invitation.token}"
        deadline = Deadline(self._total)
        content["extensions"] = {"trace": deadline.trace}
        with httpx.Client(timeout=self._timeout, follow_redirects=False, headers=headers, verify=_trusted()) as client:
            for pause in (*self._pauses, None):
                try:
                    with deadline.kept():
                        answer = _asked(client, client.build_request(method, address, **content))
                    if not deadline.left:  # what was cut off may look whole
                        break
                except httpx.TransportError as error:
                    wait, why = pause, f"The collector was not reached ({type(error).__name__})."
                    if not deadline.left:
                        break
                else:
                    if answer.status in (200, 201, 204):
                        return answer
                    why = _reason(answer)
                    if answer.status not in (408, 429) and answer.status < 500:
                        raise SendError(f"{why} {self._asking}".rstrip())
                    wait = None if pause is None else max(pause, _asked_pause(answer))
                if wait is not None:
                    wait *= random.uniform(0.5, 1.5)  # noqa: S311 - spreads load, hides nothing
                    time.sleep(min(wait, deadline.left))
        if not deadline.left:
            why = "The collector took too long to answer."
        raise SendError(f"{why} Run this again later; a report that was drawn is kept, and the same bytes are sent.")


@cache
def _trusted() -> ssl.SSLContext:
    """The certificates that are believed: httpx's own choice, read once, since that takes longer than a report does."""
    import httpx

    return httpx.create_ssl_context()


def _asked(client: httpx.Client, request: httpx.Request) -> _Answer:
    """The answer to one request, never decompressed, and given up where no honest collector would get to."""
    answer = client.send(request, stream=True)
    try:
        published = request.method == "GET" and answer.status_code == 200
        if answer.headers.get("content-encoding", "identity") != "identity":
            raise SendError("The collector's answer is compressed, which was not asked for.")
        body, limit = bytearray(), MOST_BYTES if published else SHORT
        for part in answer.iter_raw():
            body += part
            if len(body) > limit:
                raise SendError("The collector's answer is larger than any that the client expects.")
    finally:
        answer.close()
    return _Answer(answer.status_code, bytes(body), answer.headers.get("retry-after", ""))


def _asked_pause(answer: _Answer) -> float:
    asked = answer.retry_after
    return min(float(asked), LONGEST_PAUSE) if asked.isascii() and asked.isdigit() else 0.0


def _reason(answer: _Answer) -> str:
    """The problem's own words (RFC 9457), where the answer has them; what to do where the client knows it better."""
    fields = answer.fields()
    if fields.get("type") == problems.urn("epoch-over"):
        return _OVER
    if fields.get("type") == problems.urn("unknown-key"):
        return _OLD_KEY
    words = [fields.get(key) for key in ("title", "detail")]
    said = " ".join(printable(word[:300]) for word in words if isinstance(word, str))
    return f"The collector answered {answer.status}. {said}".rstrip()


class Deadline:
    """The moment by which everything has to be over: connections are cut then, whatever they wait for.

    A timeout begins anew with each byte. A server that sends one byte now and then would hold the client, and with it
    the vault's lock, for as long as it likes.

    Args:
        seconds: from now on.
    """

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds
        self._sockets: list[socket.socket] = []

    @property
    def left(self) -> float:
        """Seconds until then; 0 afterwards."""
        return max(self._end - time.monotonic(), 0.0)

    @property
    def trace(self) -> Callable[[str, Mapping[str, Any]], None]:
        """A trace for a request's extensions, in which httpx says which connection it has opened."""

        def note(event: str, info: Mapping[str, Any]) -> None:
            if event.endswith(_CONNECTED):
                self._sockets.append(info["return_value"].get_extra_info("socket"))
                if not self.left:
                    self._cut()

        return note

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Cut the connections at the deadline unless this block is over before."""
        watchdog = threading.Timer(self.left, self._cut)
        watchdog.daemon = True
        watchdog.start()
        try:
            yield
        finally:
            watchdog.cancel()

    def _cut(self) -> None:
        for each in self._sockets:
            with suppress(OSError):  # it is closed already
                socket.socket.shutdown(each, socket.SHUT_RDWR)  # of TLS too: nothing more is said, not even goodbye
