from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphldp.errors import WireError
from graphldp.wire import DEGREE_RANGE, MAX_ANSWER, MAX_USERS, Answer

VECTORS = json.loads((Path(__file__).parent / "vectors" / "answers.json").read_text())
GOOD: dict[str, Any] = {"n": 5, "user": 2, "question": "ab" * 32, "busy_friends": 3}
answers = st.integers(1, MAX_USERS).flatmap(
    lambda n: st.builds(
        Answer,
        st.just(n),
        st.integers(0, n - 1),
        st.binary(min_size=32, max_size=32).map(bytes.hex),
        st.integers(*DEGREE_RANGE),
    )
)


@pytest.mark.parametrize("vector", VECTORS["valid"], ids=lambda v: v["name"])
def test_valid_vectors(vector: dict[str, Any]) -> None:
    data = bytes.fromhex(vector["hex"])
    assert Answer.from_json(json.dumps(vector["answer"])).encode() == data
    assert json.loads(Answer.decode(data, n=vector["answer"]["n"]).to_json()) == vector["answer"]


@pytest.mark.parametrize("vector", VECTORS["invalid"], ids=lambda v: v["name"])
def test_invalid_vectors(vector: dict[str, Any]) -> None:
    with pytest.raises(WireError) as caught:
        Answer.decode(bytes.fromhex(vector["hex"]), n=vector["n"])
    assert str(caught.value) == vector["reason"]


@given(answers)
def test_an_answer_has_one_encoding_and_keeps_the_cap(answer: Answer) -> None:
    data = answer.encode()
    assert len(data) <= MAX_ANSWER
    assert Answer.decode(data, n=answer.n) == answer == Answer.from_json(answer.to_json())


@given(answers, st.data())
def test_what_is_accepted_is_what_would_be_written(answer: Answer, data: st.DataObject) -> None:
    body = bytearray(answer.encode())
    for _ in range(data.draw(st.integers(1, 3))):
        body[data.draw(st.integers(0, len(body) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    try:
        found = Answer.decode(bytes(body), n=answer.n)
    except WireError:
        return
    assert found.encode() == bytes(body)


@pytest.mark.parametrize(
    "changes",
    [
        {"n": 0},
        {"user": 5},
        {"user": True},
        {"question": "ab"},
        {"question": "AB" * 32},
        {"question": b"ab" * 32},
        {"busy_friends": 1.0},
        {"busy_friends": None},
        {"busy_friends": 1 << 27},
    ],
)
def test_what_is_no_answer_cannot_be_made(changes: dict[str, Any]) -> None:
    with pytest.raises(WireError):
        Answer(**GOOD | changes)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"n": 5, "n": 5}', '{"n": 5, "user": 2, "question": "", "busy": 1}'])
def test_json_is_read_strictly(text: str) -> None:
    with pytest.raises(WireError):
        Answer.from_json(text)
