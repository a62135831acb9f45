from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphldp.audit.fuzz import fuzz, random_report
from graphldp.errors import ParameterError, WireError
from graphldp.wire import (
    MAX_GROUPS,
    MAX_HEADER,
    Report,
    decode,
    encode,
    from_json,
    max_size,
    quantize,
    to_json,
    to_millionths,
)
from graphldp.wire.codes.golomb import pack

VECTORS = Path(__file__).parent / "vectors"
VALID = json.loads((VECTORS / "valid.json").read_text("utf-8"))["valid"]
INVALID = json.loads((VECTORS / "invalid.json").read_text("utf-8"))["invalid"]


def report(**changes: Any) -> Report:
    fields: dict[str, Any] = {
        "mechanism": "dprr",
        "n": 5,
        "user": 2,
        "epsilon1": 0.1,
        "epsilon2": 0.9,
        "noisy_degree": -3,
    }
    return Report(**(fields | {"neighbours": np.array([0, 4])} | changes))


COUNTED = {"mechanism": "friend-counts", "epsilon2": 0.0, "noisy_degree": None, "neighbours": [], "counts": (3, -2)}


def log2_choose(n: int, d: int) -> float:
    return (math.lgamma(n + 1) - math.lgamma(d + 1) - math.lgamma(n - d + 1)) / math.log(2)


@pytest.mark.parametrize("vector", VALID, ids=lambda v: v["name"])
def test_valid_vectors(vector: dict[str, Any]) -> None:
    data, text = bytes.fromhex(vector["hex"]), json.dumps(vector["report"])
    assert encode(from_json(text)) == data
    assert json.loads(to_json(decode(data, n=vector["report"]["n"]))) == vector["report"]


@pytest.mark.parametrize("vector", INVALID, ids=lambda v: v["name"])
def test_invalid_vectors(vector: dict[str, Any]) -> None:
    with pytest.raises(WireError) as caught:
        decode(bytes.fromhex(vector["hex"]), n=vector.get("n"))
    assert str(caught.value) == vector["reason"]


def test_a_report_comes_back_as_it_was() -> None:
    found = decode(encode(report()))
    assert (found.mechanism, found.n, found.user, found.noisy_degree) == ("dprr", 5, 2, -3)
    assert (found.epsilon1, found.epsilon2) == (0.1, 0.9)
    assert found.neighbours.tolist() == [0, 4]
    assert np.asarray(found.neighbours).dtype == np.int32
    assert "neighbours" not in repr(found)  # lists stay out of logs


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 2**32))
def test_any_report_has_one_encoding_and_keeps_the_cap(seed: int) -> None:
    drawn = random_report(np.random.default_rng(seed))
    data = encode(drawn)
    assert len(data) <= max_size(drawn.n, len(drawn.counts or ()))
    again = decode(data, n=drawn.n)
    assert again.neighbours.tolist() == drawn.neighbours.tolist()
    assert encode(again) == data == encode(from_json(to_json(drawn)))


def test_the_header_has_24_bytes_at_most() -> None:
    longest = report(
        n=1 << 27, user=(1 << 27) - 1, epsilon1=16.777215, epsilon2=16.777215, noisy_degree=-(1 << 27), neighbours=[]
    )
    assert len(encode(longest)) == MAX_HEADER - 3  # an empty list's count takes one byte of its four
    full = decode(encode(report(n=3_000_000, user=0, neighbours=np.arange(1, 3_000_000))))
    assert len(encode(full)) <= MAX_HEADER  # nobody is absent: no payload at all
    assert len(full.neighbours) == 2_999_999


def test_the_longest_counts_are_as_long_as_the_cap() -> None:
    """And how long counts are follows from the noisy numbers alone: one byte up to 63, and so on."""
    most = COUNTED | {"n": 1 << 27, "user": (1 << 27) - 1, "counts": (-(1 << 27),) * MAX_GROUPS}
    assert len(encode(report(**most))) <= max_size(1 << 27, MAX_GROUPS)
    sizes = [
        len(encode(report(**COUNTED | {"counts": (value, 0)}))) for value in (0, 63, -64, 64, 8191, -8193, 1 << 20)
    ]
    assert sizes == [10, 10, 10, 11, 11, 12, 13]


@pytest.mark.parametrize("n", [81, 90, 150, 300, 513, 1000, 3782, 100_000])
@pytest.mark.parametrize("density", [0.0, 0.02, 0.05, 0.1, 0.2, 0.38, 0.5, 0.62, 0.9])
def test_payloads_are_within_ten_percent_of_the_limit(n: int, density: float) -> None:
    d = max(40, min(int(n * density), n - 41))
    rng = np.random.default_rng((n, d))
    for _ in range(20 if n < 10_000 else 2):
        others = np.sort(rng.choice(n - 1, d, replace=False))
        _, payload = pack((others if d <= (n - 1) // 2 else np.setdiff1d(np.arange(n - 1), others)).tolist())
        assert 8 * len(payload) <= 1.1 * log2_choose(n - 1, d) + (8 if n <= 512 else 0)


def test_no_list_of_a_small_community_costs_more_than_its_bitmap_and_each_has_one_code() -> None:
    """All lists of up to eight others, and all codes that anybody could send in their place: one is taken."""
    for n in range(1, 10):
        head = public(n, [])[:-1]
        written = set()
        for members in range(1 << (n - 1)):
            listed = [other for other in range(n - 1) if members >> other & 1]
            data = public(n, listed)
            assert len(data) <= len(head) + 1 + -(-(n - 1) // 8)
            assert decode(data, n=n).neighbours.tolist() == listed
            written.add(data)
        assert len(written) == 1 << (n - 1)
        sent = (
            bytes((head[0], head[1] | k, *head[2:], count)) + body
            for k in (0, 1, 2, 3, 4, 31)
            for count in range(n)
            for body in BODIES
        )
        assert {each for each in sent if is_read(each, n)} == written


BODIES = [b"", *(bytes((byte,)) for byte in range(256)), *(bytes((byte, 0)) for byte in range(0, 256, 17))]


def public(n: int, listed: list[int]) -> bytes:
    return encode(Report("public", n, n - 1, math.inf, math.inf, None, np.array(listed, np.int32)))


def is_read(data: bytes, n: int) -> bool:
    try:
        decode(data, n=n)
    except WireError:
        return False
    return True


@pytest.mark.parametrize(
    "changes",
    [
        {"mechanism": "arr"},
        {"n": 0},
        {"n": (1 << 27) + 1},
        {"n": 5.0},
        {"user": 5},
        {"user": -1},
        {"user": True},
        {"epsilon1": 0.0},
        {"epsilon1": math.inf},
        {"epsilon1": math.nan},
        {"epsilon2": 1e-7},
        {"epsilon2": 0.1 + 0.2},
        {"epsilon2": 17.0},
        {"noisy_degree": None},
        {"noisy_degree": 1 << 27},
        {"noisy_degree": 0.5},
        {"neighbours": [0, 2]},
        {"neighbours": [4, 0]},
        {"neighbours": [0, 0]},
        {"neighbours": [5]},
        {"neighbours": [-1]},
        {"neighbours": [0.0]},
        {"neighbours": [[0]]},
        {"mechanism": "rr"},
        {"mechanism": "rr", "epsilon1": 0.0},
        {"mechanism": "public"},
        {"mechanism": "public", "epsilon1": math.inf, "epsilon2": math.inf},
        {"mechanism": "noisy-degrees", "epsilon2": 0.0},
        {"mechanism": "noisy-degrees", "neighbours": []},
        {"asked": False},
        {"mechanism": "hub-counts", "epsilon2": 0.0, "neighbours": []},
        {"mechanism": "hub-counts", "epsilon2": 0.0, "neighbours": [], "asked": 1},
        {"mechanism": "hub-counts", "epsilon2": 0.0, "asked": True},
        {"mechanism": "hub-counts", "neighbours": [], "asked": True},
        {"mechanism": "hub-lists", "epsilon2": 0.0},
        {"mechanism": "hub-lists", "epsilon2": False, "neighbours": []},
        {"mechanism": "hub-lists", "epsilon2": None, "neighbours": []},
        {"mechanism": "hub-lists", "epsilon1": 0.0, "neighbours": []},
        {"mechanism": "hub-lists", "epsilon2": 0.0, "neighbours": [], "noisy_degree": None},
        {"mechanism": "hub-lists", "epsilon2": 0.0, "neighbours": [], "asked": False},
        {"counts": (1, 2)},
        COUNTED | {"counts": None},
        COUNTED | {"counts": (1,)},
        COUNTED | {"counts": (1, 2, 3, 4, 5, 6)},
        COUNTED | {"counts": (0,) * 257, "n": 1000},
        COUNTED | {"counts": [1, 2]},
        COUNTED | {"counts": (1, 2.0)},
        COUNTED | {"counts": (1, True)},
        COUNTED | {"counts": (1, 1 << 27)},
        COUNTED | {"noisy_degree": 3},
        COUNTED | {"neighbours": [0]},
        COUNTED | {"epsilon1": 0.0},
        COUNTED | {"epsilon2": 0.5},
        COUNTED | {"asked": False},
    ],
)
def test_what_is_no_report_cannot_be_made(changes: dict[str, Any]) -> None:
    with pytest.raises(WireError):
        report(**changes)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        "null",
        '{"mechanism": ["dprr"]}',
        '{"mechanism": "public", "n": 5, "user": 2}',
        '{"mechanism": "public", "n": 5, "user": 2, "neighbours": [0], "epsilon1": 0.1}',
        '{"mechanism": "public", "n": 5, "n": 5, "user": 2, "neighbours": [0]}',
        '{"mechanism": "public", "n": 5, "user": 2, "neighbours": [true]}',
        '{"mechanism": "public", "n": 5, "user": 2, "neighbours": [99999999999999999999]}',
        '{"mechanism": "public", "n": 5, "user": 2, "neighbours": {"0": 1}}',
        '{"mechanism": "public", "n": "5", "user": 2, "neighbours": [0]}',
        '{"mechanism": "rr", "n": 5, "user": 2, "epsilon2": "1", "neighbours": [0]}',
        '{"mechanism": "rr", "n": 5, "user": 2, "epsilon2": NaN, "neighbours": [0]}',
        '{"mechanism": "rr", "n": 5, "user": 2, "epsilon2": true, "neighbours": [0]}',
        '{"mechanism": "rr", "n": 5, "user": 2, "epsilon2": null, "neighbours": [0]}',
        '{"mechanism": "hub-counts", "n": 5, "user": 2, "epsilon1": 1, "noisy_degree": 3, "neighbours": []}',
        '{"mechanism": "hub-counts", "epsilon1": 1, "noisy_degree": 3, "asked": 1, "neighbours": []}',
        '{"mechanism": "friend-counts", "n": 5, "user": 2, "epsilon1": 1, "counts": "12", "neighbours": []}',
        '{"mechanism": "friend-counts", "n": 5, "user": 2, "epsilon1": 1, "counts": [1, true], "neighbours": []}',
        '{"mechanism": "friend-counts", "n": 5, "user": 2, "epsilon1": 1, "neighbours": []}',
        "[" * 100_000,
    ],
)
def test_json_is_read_strictly(text: str) -> None:
    with pytest.raises(WireError):
        from_json(text)


def test_epsilon_is_a_whole_number_of_millionths() -> None:
    assert to_millionths(0.1) == 100_000
    assert quantize((1 - 0.9) * 1.0) == 0.1
    assert quantize(math.sqrt(8 / 3781)) == 0.045998
    for units in (1, 46_001, 333_333, 900_000, 16_777_215):
        assert to_millionths(units / 10**6) == units
    with pytest.raises(ParameterError):
        quantize(0.0)


def test_few_bytes_cannot_claim_a_list_of_millions() -> None:
    bomb = encode(report(n=1 << 20, user=0, neighbours=np.arange(1, 1 << 20)))
    assert len(bomb) < 20
    with pytest.raises(WireError, match="not 5"):
        decode(bomb, n=5)


def test_fuzzed_inputs_are_refused_with_a_reason_or_canonical() -> None:
    outcomes = fuzz(20_000, seed=11)
    assert sum(outcomes.values()) == 20_000
    assert len(outcomes) > 15
