"""Reading a report accepts exactly what the wire format and the community accept."""

from __future__ import annotations

import math
import tracemalloc
from collections.abc import Callable
from typing import NamedTuple
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphldp import wire
from graphldp.collector import scan
from graphldp.collector.community import Community
from graphldp.collector.scan import LONGEST, Reading, read, reason
from graphldp.errors import WireError
from graphldp.wire import Choice

PUBLIC = Choice("public", math.inf, math.inf)
SPLITS = {"dprr": (0.1, 0.9), "rr": (0.0, 1.5), "noisy-degrees": (0.5, 0.0)}


def community(mechanism: str, n: int) -> Community:
    return Community("c", "c", n, mechanism, (Choice("a", *SPLITS[mechanism]), PUBLIC), "")


class Sent(NamedTuple):
    community: Community
    user: int
    body: bytes


def expected(each: Sent) -> Reading:
    try:
        report = wire.decode(each.body, n=each.community.n)
    except WireError:
        return Reading(False)
    refused = each.community.refuse(report, each.user)
    return Reading(False) if refused else Reading(True, report.noisy_degree)


SHORT = st.integers(2, 300) | st.integers(510, 1000)


@st.composite
def sent(draw: st.DrawFn, sizes: st.SearchStrategy[int] = SHORT) -> Sent:
    """A report of any mechanism and density, at times for another slot or community, at times damaged."""
    mechanism = draw(st.sampled_from(list(SPLITS)))
    n = draw(sizes)
    user = draw(st.integers(0, n - 1))
    kind = draw(st.sampled_from([mechanism, mechanism, "public"]))
    split = (math.inf, math.inf) if kind == "public" else SPLITS[kind]
    if kind == "dprr" and draw(st.integers(0, 9)) == 0:
        split = (0.2, 0.8)
    density = draw(st.sampled_from([0.0, 0.02, 0.2, 0.5, 0.9, 1.0]))
    listed = np.flatnonzero(np.random.default_rng(draw(st.integers(0, 2**32))).random(n) < density)
    listed = np.zeros(0, np.int64) if kind == "noisy-degrees" else listed[listed != user]
    degree = draw(st.integers(-300, 300)) if kind in wire.WITH_DEGREE else None
    body = bytearray(wire.encode(wire.Report(kind, n, user, *split, degree, listed)))
    change = draw(st.sampled_from(["none", "none", "none", "flip", "cut", "add", "slot", "n"]))
    if change == "flip":
        body[draw(st.integers(0, len(body) - 1))] ^= 1 << draw(st.integers(0, 7))
    elif change == "cut":
        del body[draw(st.integers(0, len(body) - 1)) :]
    elif change == "add":
        body += draw(st.binary(min_size=1, max_size=3))
    claimed = draw(st.integers(0, n)) if change == "slot" else user
    return Sent(community(mechanism, n + (change == "n")), claimed, bytes(body))


@settings(deadline=None, max_examples=300)
@given(st.lists(sent(), max_size=12))
def test_what_is_read_is_what_the_wire_format_says(batch: list[Sent]) -> None:
    assert [read(*each) for each in batch] == [expected(each) for each in batch]


@settings(deadline=None, max_examples=300)
@given(st.lists(st.binary(max_size=40), max_size=8), st.sampled_from([50, 600]))
def test_any_bytes(bodies: list[bytes], n: int) -> None:
    cats = community("dprr", n)
    batch = [Sent(cats, 3, bytes((0xE1, 2)) + body) for body in bodies]
    assert [read(*each) for each in batch] == [expected(each) for each in batch]


@pytest.mark.parametrize("n", [2, 127, 128, 129, 20_000])
def test_sizes_at_which_numbers_change_their_length(n: int) -> None:
    cats, batch = community("dprr", n), []
    for user in {0, 1, n // 2, n - 1}:
        listed = np.array([other for other in (0, 1, n // 3, n - 1) if other != user])
        report = wire.Report("dprr", n, user, 0.1, 0.9, -n, np.unique(listed))
        batch.append(Sent(cats, user, wire.encode(report)))
    assert [read(*each) for each in batch] == [Reading(True, -n)] * len(batch)


@settings(deadline=None, max_examples=200)
@given(sent(st.integers(9_000, 40_000)))
def test_long_lists_are_read_as_the_wire_format_says(each: Sent) -> None:
    with patch.object(scan, "_CHUNK", 32):  # many chunks, so that what happens between two of them is seen
        assert read(*each) == expected(each)


@settings(deadline=None, max_examples=200)
@given(sent(), st.sampled_from([LONGEST, 0]))
def test_both_ways_to_read_a_list_agree(each: Sent, longest: int) -> None:
    with patch.object(scan, "LONGEST", longest if each.community.n > wire.SMALL else LONGEST):
        assert read(*each) == expected(each)


@settings(deadline=None, max_examples=200)
@given(sent(SHORT | st.integers(9_000, 12_000)))
def test_there_is_a_reason_for_every_refusal_and_it_is_the_wire_formats(each: Sent) -> None:
    if read(*each).good:
        return
    said, decoded = reason(*each), error_of(each)
    assert said
    head_first = "slot" in said or "collects" in said or "choices" in said  # the list is not looked at then
    assert said == decoded or head_first or len(each.body) > LONGEST


def error_of(each: Sent) -> str | None:
    try:
        report = wire.decode(each.body, n=each.community.n)
    except WireError as error:
        return str(error)
    return each.community.refuse(report, each.user)


def peak_of(work: Callable[[], object]) -> int:
    """The most bytes that some work holds at a time."""
    work()  # what is computed once and kept is not what is counted
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("user", [0, 5])
def test_few_bytes_that_claim_millions_cost_few_bytes(user: int) -> None:
    """18 bytes that list everyone of three million; for slot 5 they are in the wrong place, and the reason is asked."""
    n = 3_000_000
    big = community("dprr", n)
    claimed = wire.encode(wire.Report("dprr", n, 0, 0.1, 0.9, 3, np.arange(1, n)))
    assert len(claimed) <= 18
    assert read(big, user, claimed) == (Reading(True, 3) if user == 0 else Reading(False))
    assert peak_of(lambda: read(big, user, claimed)) < 1 << 16
    assert user == 0 or peak_of(lambda: reason(big, user, claimed)) < 1 << 16


def test_a_long_report_costs_a_few_megabytes() -> None:
    """Of 2²⁴ users, half are listed: a bitmap of two megabytes. Unpacked, it would take over a hundred."""
    n = 1 << 24
    listed = np.flatnonzero(np.random.default_rng(0).random(n) < 0.5)
    body = wire.encode(wire.Report("public", n, 0, math.inf, math.inf, None, listed[listed > 0]))
    assert len(body) > 1 << 20
    assert read(community("rr", n), 0, body) == Reading(True)
    assert peak_of(lambda: read(community("rr", n), 0, body)) < 8 << 20
    wrong = body[:-1]
    assert read(community("rr", n), 0, wrong) == Reading(False)
    assert peak_of(lambda: reason(community("rr", n), 0, wrong)) < 8 << 20
