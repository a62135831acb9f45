"""A report's address, read by hand: declared parameters would cost as much as all the rest of a request."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from fastapi import Request

from graphldp import wire
from graphldp.collector.problems import ProblemError

COMMUNITY_PATTERN = "^[a-z0-9-]{1,64}$"
_COMMUNITY = re.compile(r"[a-z0-9-]{1,64}")
_NUMBER = re.compile(r"[0-9]{1,10}")
_MAX_EPOCH = (1 << 31) - 1

PARAMETERS: list[dict[str, Any]] = [
    {
        "name": "community",
        "in": "path",
        "required": True,
        "description": "The community's id.",
        "schema": {"type": "string", "pattern": COMMUNITY_PATTERN},
    },
    {
        "name": "user",
        "in": "path",
        "required": True,
        "description": "The user's number in the roster.",
        "schema": {"type": "integer", "minimum": 0, "maximum": wire.MAX_USERS - 1},
    },
    {
        "name": "epoch",
        "in": "query",
        "required": False,
        "description": "Refuse the report where the community is in another epoch.",
        "schema": {"type": "integer", "minimum": 1, "maximum": _MAX_EPOCH},
    },
]


class Address(NamedTuple):
    """Where a report is to go."""

    community: str
    user: int
    epoch: int | None


def address_of(request: Request) -> Address:
    """The address of a request.

    Raises:
        ProblemError: 422, naming what cannot be.
    """
    path = request.path_params
    community, user = path["community"], _number(path["user"], 0, wire.MAX_USERS - 1)
    if not _COMMUNITY.fullmatch(community):
        raise ProblemError("bad-request", "Look at: path.community.")
    if user is None:
        raise ProblemError("bad-request", "Look at: path.user.")
    if not request.scope["query_string"] or (given := request.query_params.get("epoch")) is None:
        return Address(community, user, None)
    epoch = _number(given, 1, _MAX_EPOCH)
    if epoch is None:
        raise ProblemError("bad-request", "Look at: query.epoch.")
    return Address(community, user, epoch)


def _number(text: str, low: int, high: int) -> int | None:
    return int(text) if _NUMBER.fullmatch(text) and low <= int(text) <= high else None
