"""Asking a collector and sending to it: one address per report, the same bytes on every try.

What fails for a while (no connection, a timeout, 408, 429, 5xx) is tried again after a growing, uneven pause; whatever
else is refused ends at once. A report goes to its own epoch and to no later one. Redirects are not followed: the token
goes to the invitation's server and to no other.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

from graphldp.client.published import Invitation
from graphldp.errors import MissingExtraError, SendError
from graphldp.wire import MEDIA_TYPE

if TYPE_CHECKING:
    import ssl

    import httpx

TIMEOUT = 30.0
PAUSES = (0.5, 1.0, 2.0, 4.0, 8.0)
LONGEST_PAUSE = 60.0
MOST_BYTES = 1 << 30  # of an answer: the roster of the largest community
EPOCH_OVER = "urn:graphldp:problem:epoch-over"
_OVER = (
    "The epoch that your report was drawn for is over, and takes no more reports. "
    "'graphldp client report --new-epoch' draws one for the epoch that is open, at its full ε."
)


class Sender:
    """The way to one community's collector.

    Args:
        invitation: where it is, and the token.
        pauses: seconds between tries; one try more than there are pauses.
        timeout: seconds that a connection, a read or a write may take.
    """

    def __init__(self, invitation: Invitation, *, pauses: tuple[float, ...] = PAUSES, timeout: float = TIMEOUT) -> None:
        self._invitation, self._pauses, self._timeout = invitation, pauses, timeout
        self._base = f"{invitation.server}/v1/communities/{invitation.community}"

    def fetch(self) -> dict[str, Any]:
        """What the community publishes."""
        answer = self._tried(lambda client: _read(client, self._base))
        try:
            fields = answer.json()
        except ValueError:
            fields = None
        if not isinstance(fields, dict):
            raise SendError("The collector's answer is not JSON.")
        return fields

    def put(self, user: int, epoch: int, body: bytes) -> bool:
        """Send an epoch's report until the collector acknowledges it; True where it had these bytes already."""
        headers = {"Content-Type": MEDIA_TYPE}
        address = f"{self._base}/reports/{user}?epoch={epoch}"
        return self._tried(lambda client: client.put(address, content=body, headers=headers)).status_code == 200

    def _tried(self, ask: Callable[[httpx.Client], httpx.Response]) -> httpx.Response:
        try:
            import httpx
        except ModuleNotFoundError:
            raise MissingExtraError("Sending reports", "client") from None
        headers = {"Authorization": f"Bearer {self._invitation.token}", "User-Agent": "graphldp"}
        with httpx.Client(timeout=self._timeout, follow_redirects=False, headers=headers, verify=_trusted()) as client:
            for pause in (*self._pauses, None):
                try:
                    answer = ask(client)
                except httpx.TransportError as error:
                    wait, why = pause, f"The collector was not reached ({type(error).__name__})."
                else:
                    if answer.status_code in (200, 201):
                        return answer
                    why = _reason(answer)
                    if answer.status_code not in (408, 429) and answer.status_code < 500:
                        raise SendError(why)
                    wait = None if pause is None else max(pause, _asked_pause(answer))
                if wait is not None:
                    time.sleep(wait * random.uniform(0.5, 1.5))  # noqa: S311 - spreads load, hides nothing
        raise SendError(f"{why} The report is kept; the same bytes are sent when you run this again.")


@cache
def _trusted() -> ssl.SSLContext:
    """Whose certificates are believed: httpx's own choice, read once, since that takes longer than to send a report."""
    import httpx

    return httpx.create_ssl_context()


def _read(client: httpx.Client, address: str) -> httpx.Response:
    """A GET whose answer is cut off where no honest collector would get to."""
    import httpx

    with client.stream("GET", address) as answer:
        parts, size = [], 0
        for part in answer.iter_bytes():
            size += len(part)
            if size > MOST_BYTES:
                raise SendError("The collector's answer is larger than any roster.")
            parts.append(part)
    return httpx.Response(answer.status_code, headers=_plain_headers(answer), content=b"".join(parts))


def _plain_headers(answer: httpx.Response) -> dict[str, str]:
    """The headers that are read again; the content is no longer compressed."""
    return {name: answer.headers[name] for name in ("content-type", "retry-after") if name in answer.headers}


def _asked_pause(answer: httpx.Response) -> float:
    asked = answer.headers.get("retry-after", "")
    return min(float(asked), LONGEST_PAUSE) if asked.isdigit() else 0.0


def _reason(answer: httpx.Response) -> str:
    """The problem's own words (RFC 9457), where the answer has them; what to do where the client knows it better."""
    try:
        fields = answer.json()
    except ValueError:
        fields = None
    fields = fields if isinstance(fields, dict) else {}
    if fields.get("type") == EPOCH_OVER:
        return _OVER
    words = [fields.get(key) for key in ("title", "detail")]
    said = " ".join(word[:300] for word in words if isinstance(word, str) and word.isprintable())
    return f"The collector answered {answer.status_code}. {said}".rstrip()
