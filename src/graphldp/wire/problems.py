"""The one error body: RFC 9457 problem details, ``application/problem+json``.

A problem says what kind it is and what to do. It repeats nothing that was sent: no token, no list, no field's value.
"""

from __future__ import annotations

from typing import Any

MEDIA_TYPE = "application/problem+json"

KINDS: dict[str, tuple[int, str]] = {
    "unauthorized": (401, "The token opens no slot of this community."),
    "forbidden": (403, "The form is out of date, or came from another page."),
    "not-allowed": (403, "Your role does not allow this."),
    "not-found": (404, "There is nothing at this address."),
    "no-operator": (401, "This is no operator's key, or it is no longer one."),
    "slow-body": (408, "The body took too long to arrive."),
    "slot-taken": (409, "Another report was accepted for this slot; the first one counts."),
    "not-asked": (409, "This slot is asked no second question, or none yet."),
    "answer-taken": (409, "Another answer was accepted for this slot; the first one counts."),
    "report-deleted": (410, "This slot's report was deleted; it takes no other."),
    "community-closed": (409, "The community takes no more reports."),
    "epoch-over": (409, "The community's epoch is another one; the report was not stored."),
    "refused": (409, "The community, as it is, does not allow this. Nothing was done."),
    "changed": (412, "Somebody else changed the community since you looked at it. Nothing was done."),
    "too-large": (413, "The body is larger than any report of this community."),
    "wrong-type": (415, "The body's media type is not the one that is taken here."),
    "bad-report": (422, "The report cannot be accepted."),
    "bad-answer": (422, "The answer cannot be accepted."),
    "bad-request": (422, "The request is not as the API describes it."),
    "unknown-key": (409, "The message is sealed to a key that is not in use; take the community's current one."),
    "bad-seal": (422, "The sealed message cannot be opened for this community."),
    "too-many": (429, "Too many requests; wait and try again."),
    "not-http": (400, "The bytes that arrived are no HTTP request."),
    "too-busy": (503, "The collector has as much to do as it can hold; try again later."),
    "store-unavailable": (503, "The report could not be stored; send the same bytes again later."),
    "no-room": (507, "The server's disk has no room for the file."),
    "internal": (500, "The collector failed; nothing is known to be stored."),
}
"""Of each kind its HTTP status and its title, which is always the same."""


def urn(kind: str) -> str:
    """A kind's name, for programs."""
    return f"urn:graphldp:problem:{kind}"


def problem(kind: str, detail: str | None = None) -> dict[str, Any]:
    """The members of a problem.

    Args:
        kind: one of :data:`KINDS`.
        detail: what is the matter in this case; never what was sent.
    """
    status, title = KINDS[kind]
    body: dict[str, Any] = {"type": urn(kind), "title": title, "status": status}
    return body if detail is None else body | {"detail": detail}
