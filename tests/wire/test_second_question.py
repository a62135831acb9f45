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
from graphldp.wire import DEGREE_RANGE, MAX_ANSWER, MAX_USERS, Answer, NoisyLists, Question

ANSWERS = json.loads((Path(__file__).parent / "vectors" / "answers.json").read_text("utf-8"))
QUESTIONS = json.loads((Path(__file__).parent / "vectors" / "questions.json").read_text("utf-8"))
LISTS = json.loads((Path(__file__).parent / "vectors" / "noisy-lists.json").read_text("utf-8"))
GOOD: dict[str, Any] = {"n": 5, "user": 2, "question": "ab" * 32, "count": 3}
answers = st.integers(1, MAX_USERS).flatmap(
    lambda n: st.builds(
        Answer,
        st.just(n),
        st.integers(0, n - 1),
        st.binary(min_size=32, max_size=32).map(bytes.hex),
        st.integers(*DEGREE_RANGE),
    )
)


@pytest.mark.parametrize("vector", ANSWERS["valid"], ids=lambda v: v["name"])
def test_valid_answers(vector: dict[str, Any]) -> None:
    data = bytes.fromhex(vector["hex"])
    assert Answer.from_json(json.dumps(vector["answer"])).encode() == data
    assert json.loads(Answer.decode(data, n=vector["answer"]["n"]).to_json()) == vector["answer"]


@pytest.mark.parametrize("vector", ANSWERS["invalid"], ids=lambda v: v["name"])
def test_invalid_answers(vector: dict[str, Any]) -> None:
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
        {"count": 1.0},
        {"count": None},
        {"count": 1 << 27},
    ],
)
def test_what_is_no_answer_cannot_be_made(changes: dict[str, Any]) -> None:
    with pytest.raises(WireError):
        Answer(**GOOD | changes)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"n": 5, "n": 5}', '{"n": 5, "user": 2, "question": "", "busy": 1}'])
def test_json_is_read_strictly(text: str) -> None:
    with pytest.raises(WireError):
        Answer.from_json(text)


@pytest.mark.parametrize("vector", QUESTIONS["valid"], ids=lambda v: v["name"])
def test_valid_questions(vector: dict[str, Any]) -> None:
    data = bytes.fromhex(vector["hex"])
    question = Question(np.isin(np.arange(vector["n"]), vector["busy"]))
    assert question.encode() == data
    assert question.digest == vector["digest"] == sha256(data).hexdigest()
    assert np.flatnonzero(Question.decode(data, n=vector["n"]).busy).tolist() == vector["busy"]


@pytest.mark.parametrize("vector", QUESTIONS["invalid"], ids=lambda v: v["name"])
def test_invalid_questions(vector: dict[str, Any]) -> None:
    with pytest.raises(WireError) as caught:
        Question.decode(bytes.fromhex(vector["hex"]), n=vector["n"])
    assert str(caught.value) == vector["reason"]


@given(st.binary(max_size=6), st.integers(1, 24))
def test_what_is_read_of_a_question_is_what_would_be_written(rest: bytes, n: int) -> None:
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


@pytest.mark.parametrize("vector", LISTS["valid"], ids=lambda v: v["name"])
def test_valid_noisy_lists(vector: dict[str, Any]) -> None:
    data, n = bytes.fromhex(vector["hex"]), vector["n"]
    listed = np.array([np.isin(np.arange(n), each) for each in vector["lists"]]).reshape(n, n)
    lists = NoisyLists(listed)
    assert lists.encode() == data
    assert lists.digest == vector["digest"] == sha256(data).hexdigest()
    assert (np.asarray(NoisyLists.decode(data, n=n).listed) == listed).all()
    among = lists.among(range(0, n, 2))
    assert [*map(list, among)] == (listed.astype(int) + listed.T)[::2, ::2].tolist()


@pytest.mark.parametrize("vector", LISTS["invalid"], ids=lambda v: v["name"])
def test_invalid_noisy_lists(vector: dict[str, Any]) -> None:
    with pytest.raises(WireError) as caught:
        NoisyLists.decode(bytes.fromhex(vector["hex"]), n=vector["n"])
    assert str(caught.value) == vector["reason"]


@given(st.binary(max_size=4), st.integers(1, 6))
def test_what_is_read_of_noisy_lists_is_what_would_be_written(rest: bytes, n: int) -> None:
    data = bytes((0xE5, n)) + rest
    try:
        found = NoisyLists.decode(data, n=n)
    except WireError:
        return
    assert found.encode() == data


@pytest.mark.parametrize("listed", [np.eye(3) > 0, np.zeros((2, 3), np.bool_), np.zeros(3, np.bool_), np.zeros((3, 3))])
def test_what_are_no_noisy_lists_cannot_be_made(listed: Any) -> None:
    with pytest.raises(WireError):
        NoisyLists(listed)
