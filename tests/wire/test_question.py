from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphldp.errors import WireError
from graphldp.wire import Question

VECTORS = json.loads((Path(__file__).parent / "vectors" / "questions.json").read_text())


@pytest.mark.parametrize("vector", VECTORS["valid"], ids=lambda v: v["name"])
def test_valid_vectors(vector: dict[str, Any]) -> None:
    data = bytes.fromhex(vector["hex"])
    question = Question(np.isin(np.arange(vector["n"]), vector["busy"]))
    assert question.encode() == data
    assert question.digest == vector["digest"] == sha256(data).hexdigest()
    assert np.flatnonzero(Question.decode(data, n=vector["n"]).busy).tolist() == vector["busy"]


@pytest.mark.parametrize("vector", VECTORS["invalid"], ids=lambda v: v["name"])
def test_invalid_vectors(vector: dict[str, Any]) -> None:
    with pytest.raises(WireError) as caught:
        Question.decode(bytes.fromhex(vector["hex"]), n=vector["n"])
    assert str(caught.value) == vector["reason"]


@given(st.binary(max_size=6), st.integers(1, 24))
def test_what_is_accepted_is_what_would_be_written(rest: bytes, n: int) -> None:
    data = bytes((0xE3, n)) + rest
    try:
        found = Question.decode(data, n=n)
    except WireError:
        return
    assert found.encode() == data


@pytest.mark.parametrize("busy", [[], [[True]], [1, 0], np.zeros(0, np.bool_)])
def test_what_is_no_question_cannot_be_made(busy: Any) -> None:
    with pytest.raises(WireError):
        Question(np.array(busy))
