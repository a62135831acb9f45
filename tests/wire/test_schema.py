"""The schemas are up to date, and agree with the readers on every vector and on what the collector really answers."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema_rs import Draft202012Validator, meta

pytest.importorskip("graphldp.collector.http.batch", reason="needs the collector, and so POSIX's locks")
from pydantic import ValidationError
from tools.schemas import FOLDER, texts

from graphldp.audit.fuzz import random_report
from graphldp.collector.http.batch import SCHEMAS as BATCHES
from graphldp.collector.http.batch import ReportBatch
from graphldp.errors import WireError
from graphldp.wire import (
    Choice,
    Invitation,
    Publication,
    Published,
    from_json,
    roster_digest,
    to_json,
    write_publication,
)
from graphldp.wire.problems import KINDS, problem
from graphldp.wire.schema import schemas

VECTORS = Path(__file__).parent / "vectors"
ALL = schemas() | BATCHES
SCHEMAS = {name: Draft202012Validator(schema) for name, schema in ALL.items()}
READERS: dict[str, Callable[[Any], object]] = {
    "community": Publication.from_json,
    "invitation": lambda message: Invitation.from_json(json.dumps(message)),
    "report": lambda message: from_json(json.dumps(message)),
}


def vectors(kind: str) -> list[Any]:
    return [
        pytest.param(name, each["message"], each.get("beyond_schema", False), id=f"{name}: {each['name']}")
        for name in ("community", "invitation")
        for each in json.loads((VECTORS / f"{name}.json").read_text("utf-8"))[kind]
    ]


def reads(name: str, message: Any) -> bool:
    try:
        READERS[name](message)
    except WireError:
        return False
    return True


def test_the_files_are_what_the_tool_writes() -> None:
    written = {path.name: path.read_text("utf-8") for path in FOLDER.iterdir()}
    assert written == texts(), "run python -m tools.schemas"


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_schema_is_one_and_stands_by_itself(name: str) -> None:
    meta.validate(ALL[name])
    assert "$ref" not in json.dumps(ALL[name])


@pytest.mark.parametrize(("name", "message", "beyond"), vectors("valid"))
def test_valid_vectors(name: str, message: Any, beyond: bool) -> None:
    assert SCHEMAS[name].is_valid(message)
    assert reads(name, message)


@pytest.mark.parametrize(("name", "message", "beyond"), vectors("invalid"))
def test_invalid_vectors(name: str, message: Any, beyond: bool) -> None:
    assert not reads(name, message)
    assert SCHEMAS[name].is_valid(message) == beyond


@pytest.mark.parametrize(("name", "message", "beyond"), vectors("valid"))
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_a_reader_is_never_laxer_than_the_schema(name: str, message: Any, beyond: bool, data: st.DataObject) -> None:
    """One field of a good message is swapped for any JSON, or one member of a choice."""
    anything = st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner, max_size=3),
        max_leaves=4,
    )
    message = json.loads(json.dumps(message))
    place = message
    if "choices" in message and data.draw(st.booleans()):
        place = message["choices"][0]
    place[data.draw(st.sampled_from(sorted(place)))] = data.draw(anything)
    assert SCHEMAS[name].is_valid(message) or not reads(name, message)


@pytest.mark.parametrize(
    "vector", json.loads((VECTORS / "valid.json").read_text("utf-8"))["valid"], ids=lambda v: v["name"]
)
def test_reports_of_the_vectors(vector: dict[str, Any]) -> None:
    assert SCHEMAS["report"].is_valid(vector["report"])
    assert not SCHEMAS["report"].is_valid(vector["report"] | {"epsilon3": 1})
    assert not SCHEMAS["report"].is_valid({key: value for key, value in vector["report"].items() if key != "n"})


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 2**32))
def test_any_report(seed: int) -> None:
    assert SCHEMAS["report"].is_valid(json.loads(to_json(random_report(np.random.default_rng(seed)))))


@pytest.mark.parametrize("mechanism", ["dprr", "rr", "noisy-degrees"])
def test_a_publication_comes_back_as_it_was(mechanism: str) -> None:
    roster = ["ann", "Dörte", '"\\']
    split = {"dprr": (0.1, 0.9), "rr": (0.0, 1.5), "noisy-degrees": (0.5, 0.0)}[mechanism]
    choices = (Choice("standard", *split), Choice("public", math.inf, math.inf))
    published = Published("cats", "Kätzchen", 3, mechanism, choices, roster_digest(roster), 2, user=1)
    fields = json.loads(write_publication(published, [1], json.dumps(roster)))
    assert SCHEMAS["community"].is_valid(fields)
    assert Publication.from_json(fields) == Publication(published, (1,), roster)
    assert Published.from_json(published.to_json()) == published


@pytest.mark.parametrize("keeps", [True, False])
def test_a_promise_to_delete_comes_back_as_it_was(keeps: bool) -> None:
    roster, choices = ["ann", "bob"], (Choice("one", 0.0, 1.0),)
    published = Published("cats", "Cats", 2, "rr", choices, roster_digest(roster), user=1)
    assert "retention_days" not in published.to_json()
    published = replace(published, retention_days=90, keeps_models=keeps)
    fields = json.loads(write_publication(published, [], json.dumps(roster)))
    assert SCHEMAS["community"].is_valid(fields)
    assert Publication.from_json(fields) == Publication(published, (), roster)
    for wrong in ({"retention_days": 0}, {"retention_days": 36_501}, {"retention_days": 7.0}, {"keeps_models": 1}):
        with pytest.raises(WireError):
            Publication.from_json(fields | wrong)


def test_groups_come_back_as_they_were() -> None:
    roster, names, groups = ["ann", "Dörte", '"\\'], ["north", "Süd"], [1, 0, 1]
    digest, choices = roster_digest(roster, names, groups), (Choice("one", 1.0, 0.0),)
    published = Published("cats", "Cats", 3, "friend-counts", choices, digest, group_names=tuple(names), user=1)
    fields = json.loads(write_publication(published, [], json.dumps(roster), groups=json.dumps(groups)))
    assert SCHEMAS["community"].is_valid(fields)
    assert Publication.from_json(fields) == Publication(published, (), roster, groups=groups)
    assert Published.from_json(published.to_json()) == published


@pytest.mark.parametrize("kind", KINDS)
def test_problems(kind: str) -> None:
    assert SCHEMAS["problem"].is_valid(problem(kind))
    assert SCHEMAS["problem"].is_valid(problem(kind, "Look at: report."))
    assert SCHEMAS["batch-results"].is_valid({"results": [{"status": 201}, problem(kind)]})
    assert not SCHEMAS["problem"].is_valid(problem(kind) | {"type": f"urn:graphldp:problem:no-{kind}"})
    assert not SCHEMAS["problem"].is_valid({"title": "…", "status": 409})


ITEM = {"community": "cats", "user": 2, "epoch": 1, "token": "2.x", "report": "4QADAg=="}


@pytest.mark.parametrize(
    ("message", "good"),
    [
        ({"reports": [ITEM]}, True),
        ({"reports": [ITEM | {"user": 2.0}, ITEM]}, True),
        ({"reports": []}, False),
        ({"reports": [ITEM], "more": 1}, False),
        ({"reports": [ITEM | {"more": 1}]}, False),
        ({"reports": [ITEM | {"community": "Cats"}]}, False),
        ({"reports": [ITEM | {"user": -1}]}, False),
        ({"reports": [ITEM | {"user": "2"}]}, False),
        ({"reports": [ITEM | {"user": True}]}, False),
        ({"reports": [ITEM | {"epoch": 0}]}, False),
        ({"reports": [ITEM | {"epoch": 1 << 31}]}, False),
        ({"reports": [ITEM | {"token": "x" * 65}]}, False),
        ({"reports": [{key: value for key, value in ITEM.items() if key != "epoch"}]}, False),
    ],
)
def test_batches(message: Any, good: bool) -> None:
    assert SCHEMAS["batch"].is_valid(message) == good
    if good:
        assert len(ReportBatch.model_validate_json(json.dumps(message)).reports) == len(message["reports"])
    else:
        with pytest.raises(ValidationError):
            ReportBatch.model_validate_json(json.dumps(message))
