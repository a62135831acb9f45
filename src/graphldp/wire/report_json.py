"""A report as JSON, for people: the same fields as its bytes, read as strictly."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np

from graphldp.errors import WireError
from graphldp.wire.reading.strict import read_object
from graphldp.wire.report import MAX_USERS, MECHANISMS, WITH_COUNTS, WITH_DEGREE, WITH_EDGES, WITH_EPSILON1, Report


def to_json(report: Report) -> str:
    """The form for people: the fields that the mechanism has, and nothing else."""
    fields: dict[str, Any] = {"mechanism": report.mechanism, "n": report.n, "user": report.user}
    for name in field_names(report.mechanism)[3:-1]:
        fields[name] = getattr(report, name)
    return json.dumps(fields | {"neighbours": report.neighbours.tolist()})


def from_json(text: str) -> Report:
    """Read the form for people, as strictly as :func:`decode`."""
    fields = read_object(text)
    if fields.get("mechanism") not in MECHANISMS:
        raise WireError(f"A report in JSON is an object whose mechanism is one of {', '.join(MECHANISMS)}.")
    names = field_names(fields["mechanism"])
    if set(fields) != set(names):
        raise WireError(f"A report by {fields['mechanism']} in JSON has the fields {', '.join(names)}.")
    neighbours = fields.pop("neighbours")
    if not isinstance(neighbours, list) or not all(type(j) is int and 0 <= j < MAX_USERS for j in neighbours):
        raise WireError("A report's list must be a flat array of whole numbers.")
    if "counts" in fields:
        if not isinstance(fields["counts"], list):
            raise WireError("A report's counts must be one whole number for each group.")
        fields["counts"] = tuple(fields["counts"])
    rest = math.inf if fields["mechanism"] == "public" else 0.0
    given: dict[str, Any] = {"epsilon1": rest, "epsilon2": rest, "noisy_degree": None} | fields
    return Report(**given, neighbours=np.array(neighbours, np.int32))


def field_names(mechanism: str) -> list[str]:
    """The fields that a report by a mechanism has."""
    names = ["mechanism", "n", "user"]
    names += ["epsilon1"] if mechanism in WITH_EPSILON1 else []
    names += ["epsilon2"] if mechanism in WITH_EDGES else []
    names += ["noisy_degree"] if mechanism in WITH_DEGREE else []
    names += ["asked"] if mechanism == "hub-counts" else []
    names += ["counts"] if mechanism in WITH_COUNTS else []
    return [*names, "neighbours"]
