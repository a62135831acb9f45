"""A JSON Schema (2020-12) of every message in JSON, for clients in other languages.

The limits are those that the readers use. What a schema cannot say stands in its descriptions: a reader of this package
is never laxer, and at times stricter. The collector describes its API by the same schemas, and ``tools/schemas.py``
writes them to ``docs/schema``.
"""

from __future__ import annotations

from typing import Any

from graphldp.privacy.pairs import PAIR_USERS
from graphldp.wire import problems
from graphldp.wire.community import (
    DAY_PATTERN,
    DIGEST_PATTERN,
    ID_PATTERN,
    KEY_PATTERN,
    MAX_EPOCH,
    MAX_RETENTION,
)
from graphldp.wire.invitation import BEARER_PATTERN
from graphldp.wire.layout import (
    DEGREE_RANGE,
    LAYOUTS,
    MAX_EPSILON,
    MAX_GROUPS,
    MAX_USERS,
    MAY_LACK_LIST,
    MECHANISMS,
    WITH_COUNTS,
    WITH_EDGES,
    WITH_EPSILON1,
    WITH_HUBS,
    WITH_SECOND,
)
from graphldp.wire.report import field_names
from graphldp.wire.roster import LONGEST_NAME
from graphldp.wire.terms import LONGEST_TEXTS, PRIVATE_MECHANISMS

Schema = dict[str, Any]

_USERS: Schema = {"type": "integer", "minimum": 1, "maximum": MAX_USERS}
_USER: Schema = {"type": "integer", "minimum": 0, "maximum": MAX_USERS - 1}
_EPOCH: Schema = {"type": "integer", "minimum": 1, "maximum": MAX_EPOCH}
_EPSILON: Schema = {
    "type": "number",
    "exclusiveMinimum": 0,
    "maximum": MAX_EPSILON,
    "description": "A whole number of millionths.",
}
_NOISY: Schema = {"type": "integer", "minimum": DEGREE_RANGE[0], "maximum": DEGREE_RANGE[1]}
_NAME: Schema = {
    "type": "string",
    "minLength": 1,
    "maxLength": LONGEST_NAME,
    "pattern": r"^[^\u0000-\u001f\u007f-\u009f]*$",
    "description": "Printable characters only.",
}
_SERVER: Schema = {
    "type": "string",
    "anyOf": [
        {"pattern": "^[Hh][Tt][Tt][Pp][Ss]://[!-~]+$"},
        {"pattern": r"^[Hh][Tt][Tt][Pp]://([Ll][Oo][Cc][Aa][Ll][Hh][Oo][Ss][Tt]|127\.0\.0\.1|\[::1\])([:/][!-~]*)?$"},
    ],
    "description": "The collector's address, without user, query or fragment: https, or this machine.",
}


_OPTIONAL = (*LONGEST_TEXTS, "retention_days", "keeps_models", "sealing_key")
_TEXTS = {
    "purpose": "What the reports are for, in words for members.",
    "operator": "Who asks.",
    "contact": "Whom members can write to.",
}
_GROUPS: Schema = {
    "group_names": {
        "type": "array",
        "items": _NAME,
        "minItems": 2,
        "maxItems": MAX_GROUPS,
        "uniqueItems": True,
        "description": "What the groups are called, in the order of their numbers; n of them at most.",
    },
    "groups": {
        "type": "array",
        "items": {"type": "integer", "minimum": 0, "maximum": MAX_GROUPS - 1},
        "description": "The number of each user's group, in the order of the roster; no group is empty.",
    },
    "dealt": {
        "type": "boolean",
        "description": "Whether users were dealt into these groups, called 1, 2 and so on (docs/reference/wire.md).",
    },
}


def schemas() -> dict[str, Schema]:
    """The schemas, by the names of their messages."""
    return {
        "answer": _answer(),
        "community": _community(),
        "invitation": _invitation(),
        "problem": _problem(),
        "report": _report(),
    }


def _report() -> Schema:
    fields: Schema = {
        "n": _USERS | {"description": "Users in the community."},
        "user": _USER | {"description": "The reporting user's number; below n."},
        "epsilon1": _EPSILON,
        "epsilon2": _EPSILON,
        "noisy_degree": _NOISY,
        "asked": {"type": "boolean", "description": "Whether she looks like a hub, and is to be asked again."},
        "counts": {
            "type": "array",
            "items": _NOISY,
            "minItems": 2,
            "maxItems": MAX_GROUPS,
            "description": "The noisy number of her friends in each group; n groups at most.",
        },
        "neighbours": {
            "type": "array",
            "items": _USER,
            "uniqueItems": True,
            "description": "In ascending order, below n, without the user herself.",
        },
    }
    kinds = []
    for mechanism in MECHANISMS:
        names = field_names(mechanism)
        properties = {"mechanism": {"const": mechanism}} | {name: fields[name] for name in names[1:]}
        kind = {"type": "object", "required": names, "properties": properties, "additionalProperties": False}
        without = properties | {"neighbours": {"const": []}}
        if mechanism in MAY_LACK_LIST:
            kinds.append(kind | {"properties": without | {"epsilon2": {"const": 0}}})
        elif mechanism in WITH_EPSILON1 and mechanism not in WITH_EDGES:
            kind |= {"properties": without}
        kinds.append(kind)
    return {"description": "One user's report in the form for people. On the wire it is bytes.", "oneOf": kinds}


def _answer() -> Schema:
    properties: Schema = {
        "n": _USERS | {"description": "Users in the community."},
        "user": _USER | {"description": "The answering user's number; below n."},
        "question": {"type": "string", "pattern": DIGEST_PATTERN, "description": "SHA-256 of the question's bytes."},
        "count": _NOISY,
    }
    return {
        "description": "An answer to a second question in the form for people. On the wire it is bytes.",
        "type": "object",
        "required": list(properties),
        "properties": properties,
        "additionalProperties": False,
    }


def _community() -> Schema:
    properties: Schema = {
        "id": {"type": "string", "pattern": ID_PATTERN},
        "name": _NAME | {"description": "What people call it; printable characters only."},
        **{
            name: _NAME | {"maxLength": LONGEST_TEXTS[name], "description": f"{words} All three texts, or none."}
            for name, words in _TEXTS.items()
        },
        "n": _USERS | {"description": "How many users the roster names."},
        "user": _USER | {"description": "The slot that the token opens; below n."},
        "mechanism": {"enum": list(PRIVATE_MECHANISMS)},
        "choices": {"type": "array", "minItems": 1, "description": "By distinct names."},
        "epoch": _EPOCH | {"description": "Which collection this is of the same people."},
        "held": {
            "type": "array",
            "items": _EPOCH,
            "description": "The epochs in which the collector has this slot's report, or had it deleted.",
        },
        "roster_digest": {
            "type": "string",
            "pattern": DIGEST_PATTERN,
            "description": "SHA-256 over the roster's names, each after its length as eight bytes, big-endian; "
            "then over the groups, where there are any: docs/reference/wire.md has the order.",
        },
        "retention_days": {
            "type": "integer",
            "minimum": 1,
            "maximum": MAX_RETENTION,
            "description": "After how many days a report is deleted; missing where no end is promised.",
        },
        "keeps_models": {
            "type": "boolean",
            "description": "Whether what was learned from a report may be used after that; true where missing.",
        },
        "sealing_key": {
            "type": "string",
            "pattern": KEY_PATTERN,
            "description": "The collector's key, where it takes sealed reports: a point of P-256, in hex.",
        },
        "roster": {
            "type": "array",
            "items": _NAME,
            "description": "The users' names, by number; no two look alike (docs/reference/wire.md, Names).",
        },
    }
    offers: list[Schema] = [
        {"properties": {"mechanism": {"const": name}, "choices": {"items": _choice(name)}}}
        for name in PRIVATE_MECHANISMS
    ]
    for name in WITH_HUBS:
        gated = offers[PRIVATE_MECHANISMS.index(name)]
        gated["required"] = ["hub_from"]
        gated["properties"]["hub_from"] = {
            "type": ["integer", "null"],
            "minimum": DEGREE_RANGE[0],
            "maximum": DEGREE_RANGE[1],
            "description": "The noisy degree from which on a user is a hub; null where nobody is.",
        }
    for name in WITH_SECOND:
        asking = offers[PRIVATE_MECHANISMS.index(name)]
        asking["required"] = [*asking.get("required", ()), "answered"]
        asking["properties"]["answered"] = {
            "type": "array",
            "items": _EPOCH,
            "description": "The epochs in which the collector has this slot's answer to the second question.",
        }
        if LAYOUTS[name].asks_all:
            asking["required"].append("answer_until")
            asking["properties"]["answer_until"] = {
                "type": "string",
                "pattern": DAY_PATTERN,
                "description": "The last day on which devices keep lists for the second question.",
            }
            asking["properties"]["n"] = {"maximum": PAIR_USERS}
            asking["properties"]["choices"] |= {"maxItems": 1, "items": _choice(name, public=False)}
    for name in WITH_COUNTS:
        counting = offers[PRIVATE_MECHANISMS.index(name)]
        counting["required"] = ["group_names", "groups"]
        counting["properties"] |= _GROUPS
    about = "A community, as the holder of one slot sees it. A reader leaves fields alone that it does not know."
    return {
        "description": about,
        "type": "object",
        "required": [name for name in properties if name not in _OPTIONAL],
        "properties": properties,
        "dependentRequired": {name: [each for each in LONGEST_TEXTS if each != name] for name in LONGEST_TEXTS},
        "oneOf": offers,
    }


def _choice(mechanism: str, *, public: bool = True) -> Schema:
    as_it_is: Schema = {"epsilon1": {"type": "null"}, "epsilon2": {"type": "null"}}
    spent = {
        name: _EPSILON if mechanism in users else {"const": 0}
        for name, users in (("epsilon1", WITH_EPSILON1), ("epsilon2", WITH_EDGES))
    }
    if mechanism in MAY_LACK_LIST:  # what a hub spends; everybody else spends both on her degree
        spent["epsilon2"] = {"anyOf": [_EPSILON, {"const": 0}], "description": "0 where nobody sends a list."}
    return {
        "description": "An offer of ε. Null stands for an infinite ε: the list is published as it is.",
        "type": "object",
        "required": ["name", "epsilon1", "epsilon2"],
        "properties": {"name": _NAME},
        "oneOf": [{"properties": spent}, *([{"properties": as_it_is}] if public else [])],
    }


def _invitation() -> Schema:
    properties = {
        "server": _SERVER,
        "community": {"type": "string", "pattern": ID_PATTERN},
        "token": {"type": "string", "pattern": BEARER_PATTERN, "description": "The secret of one slot."},
    }
    return {
        "description": "Where a user may report, and the token that lets her.",
        "type": "object",
        "required": list(properties),
        "properties": properties,
        "additionalProperties": False,
    }


def _problem() -> Schema:
    kinds = sorted(problems.urn(kind) for kind in problems.KINDS)
    return {
        "description": "An error, as RFC 9457 describes it.",
        "type": "object",
        "required": ["type", "title", "status"],
        "properties": {
            "type": {"enum": [*kinds, "about:blank"], "description": "The kind of problem; about:blank is HTTP's own."},
            "title": {"type": "string", "description": "The kind in words; always the same for a type."},
            "status": {"type": "integer", "minimum": 400, "maximum": 599, "description": "The HTTP status."},
            "detail": {"type": "string", "description": "What is the matter in this case, where more can be said."},
        },
        "additionalProperties": False,
    }
