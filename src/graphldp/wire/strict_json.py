"""JSON, read strictly: one object, each field once, no number that JSON does not have."""

from __future__ import annotations

import json
from typing import Any, NoReturn

from graphldp.errors import WireError


def read_object(text: str | bytes) -> dict[str, Any]:
    """The object that a text is; bytes are UTF-8.

    Raises:
        WireError: for any other text.
    """
    try:
        if isinstance(text, bytes):
            text = text.decode("utf-8-sig")
        found = json.loads(text, object_pairs_hook=_distinct, parse_constant=_refuse_constant)
    except WireError:
        raise
    except (ValueError, RecursionError):
        raise WireError("The text is not JSON.") from None
    if not isinstance(found, dict):
        raise WireError("The text is not an object in JSON.")
    return found


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise WireError("An object in JSON names each field once.")
    return found


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(name)
