"""Validating a report accepts exactly what the wire format and the community accept."""

from __future__ import annotations

import json
import math
import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphldp import wire
from graphldp.audit.fuzz import mutated, offering, random_report
from graphldp.errors import WireError
from graphldp.wire import LONGEST, Choice, Reading, Terms, reason, validate
from graphldp.wire.codes import golomb, long_lists

PUBLIC = Choice("public", math.inf, math.inf)
SPLITS = {
    "dprr": (0.1, 0.9),
    "rr": (0.0, 1.5),
    "noisy-degrees": (0.5, 0.0),
    "hub-counts": (0.7, 0.0),
    "hub-lists": (0.4, 1.6),
    "friend-counts": (0.8, 0.0),
}
GROUPS = ("east", "west")
HUB_FROM = 20


def community(mechanism: str, n: int) -> Terms:
    hub_from = HUB_FROM if mechanism in wire.WITH_HUBS and n % 3 else None
    groups = GROUPS if mechanism in wire.WITH_COUNTS else ()
    choices = (Choice("a", *SPLITS[mechanism]), PUBLIC)
    return Terms("c", "c", n, mechanism, choices, "", hub_from=hub_from, group_names=groups)


class Sent(NamedTuple):
    community: Terms
    user: int
    body: bytes


def expected(each: Sent) -> Reading:
    try:
        report = wire.decode(each.body, n=each.community.n)
    except WireError:
        return Reading(False)
    refused = each.community.refuse(report, each.user)
    return Reading(False) if refused else Reading(True, report.noisy_degree)


SHORT = st.integers(2, 40) | st.integers(2, 1000)


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
    if kind == "hub-lists" and draw(st.booleans()):
        split = draw(st.sampled_from([(2.0, 0.0), (2.0, 0.0), (2.0, 0.0), (0.4, 0.0), (2.0, 1.6)]))
    density = draw(st.sampled_from([0.0, 0.02, 0.2, 0.5, 0.9, 1.0]))
    listed = np.flatnonzero(np.random.default_rng(draw(st.integers(0, 2**32))).random(n) < density).astype(np.int32)
    listed = listed[listed != user] if split[1] else listed[:0]
    degree = draw(st.integers(-300, 300)) if kind in wire.WITH_DEGREE else None
    asked = draw(st.booleans()) if kind == "hub-counts" else None
    counts = None
    if kind in wire.WITH_COUNTS:
        length = draw(st.sampled_from([2, 2, 2, 3])) if n > 2 else 2
        counts = tuple(draw(st.lists(st.integers(-300, 300), min_size=length, max_size=length)))
    body = bytearray(wire.encode(wire.Report(kind, n, user, *split, degree, listed, asked, counts)))
    change = draw(st.sampled_from(["none", "none", "none", "flip", "cut", "add", "slot", "n"]))
    if change == "flip":
        body[draw(st.integers(0, len(body) - 1))] ^= 1 << draw(st.integers(0, 7))
    elif change == "cut":
        del body[draw(st.integers(0, len(body) - 1)) :]
    elif change == "add":
        body += draw(st.binary(min_size=1, max_size=3))
    claimed = draw(st.integers(0, n)) if change == "slot" else user
    return Sent(community(mechanism, n + (change == "n")), claimed, bytes(body))


VECTORS = Path(__file__).parent / "vectors"
VALID = json.loads((VECTORS / "valid.json").read_text("utf-8"))["valid"]
INVALID = json.loads((VECTORS / "invalid.json").read_text("utf-8"))["invalid"]


@pytest.mark.parametrize("vector", VALID, ids=lambda v: v["name"])
def test_valid_vectors(vector: dict[str, Any]) -> None:
    body = bytes.fromhex(vector["hex"])
    report = wire.decode(body)
    offers = (Choice("a", report.epsilon1, report.epsilon2),)
    mechanism = "rr" if report.mechanism == "public" else report.mechanism
    terms = Terms("c", "c", report.n, mechanism, offers, "", hub_from=0 if mechanism in wire.WITH_HUBS else None)
    terms = replace(terms, group_names=tuple(map(str, range(len(report.counts or ())))))
    assert validate(terms, report.user, body) == Reading(True, report.noisy_degree)
    assert not validate(terms, report.user + 1, body).good
    assert not validate(replace(terms, n=report.n + 1), report.user, body).good


@pytest.mark.attack("collector")
@pytest.mark.parametrize(
    ("spent", "degree", "hub_from", "good"),
    [
        ((0.4, 1.6), 20, 20, True),
        ((0.4, 1.6), 19, 20, False),
        ((0.4, 1.6), 20, None, False),
        ((2.0, 0.0), 19, 20, True),
        ((2.0, 0.0), 99, 20, True),  # her rough degree was below
        ((2.0, 0.0), 19, None, True),
        ((0.4, 0.0), 19, 20, False),
        ((2.0, 1.6), 20, 20, False),
    ],
)
def test_who_is_no_hub_by_her_degree_sends_no_list(
    spent: tuple[float, float], degree: int, hub_from: int | None, good: bool
) -> None:
    """A list from a user whose d* says that she is not a hub of `hub-lists`, to weigh more in training.

    And who is one sends what the choice leaves for her list, on top of no more than it leaves for her degree.
    """
    terms = Terms("c", "c", 40, "hub-lists", (Choice("a", 0.4, 1.6), PUBLIC), "", hub_from=hub_from)
    report = wire.Report("hub-lists", 40, 3, *spent, degree, np.array([1, 2][: 2 * (spent[1] > 0)], np.int32))
    assert validate(terms, 3, wire.encode(report)).good is good
    assert (terms.refuse(report, 3) is None) is good


@pytest.mark.attack("collector")
@pytest.mark.parametrize(("counts", "good"), [((3, -2), True), ((3, -2, 0), False), ((300, -8193), True)])
def test_counts_are_of_the_communitys_groups(counts: tuple[int, ...], good: bool) -> None:
    """Counts of more or fewer groups than the community has."""
    terms = community("friend-counts", 40)
    report = wire.Report("friend-counts", 40, 3, 0.8, 0.0, None, np.zeros(0, np.int32), counts=counts)
    assert validate(terms, 3, wire.encode(report)) == Reading(good)
    assert (terms.refuse(report, 3) is None) is good


def test_a_community_without_groups_takes_no_counts() -> None:
    report = wire.Report("friend-counts", 40, 3, 0.8, 0.0, None, np.zeros(0, np.int32), counts=(3, -2))
    terms = replace(community("friend-counts", 40), mechanism="noisy-degrees", group_names=())
    assert not validate(terms, 3, wire.encode(report)).good
    assert "collects reports by noisy-degrees" in reason(terms, 3, wire.encode(report))


@pytest.mark.parametrize("vector", INVALID, ids=lambda v: v["name"])
def test_invalid_vectors_are_refused_by_every_community_and_slot(vector: dict[str, Any]) -> None:
    body = bytes.fromhex(vector["hex"])
    sizes = [vector["n"]] if "n" in vector else [1, 2, 5, 6, 9, 600, 1000]
    units = {int.from_bytes(body[at : at + 3], "little") / 10**6 for at in range(2, min(12, len(body) - 2))} - {0.0}
    for mechanism, n, user in product(SPLITS, sizes, range(6)):
        groups = GROUPS if mechanism in wire.WITH_COUNTS else ()
        pairs = [
            (e if mechanism != "rr" else 0.0, f if mechanism in wire.WITH_EDGES else 0.0)
            for e, f in product(units, repeat=2)
            if mechanism != "hub-lists" or e + f <= wire.MAX_EPSILON
        ]
        offers = (*(Choice("a", *pair) for pair in pairs), PUBLIC)
        everybody = wire.DEGREE_RANGE[0] if mechanism in wire.WITH_HUBS else None
        terms = Terms("c", "c", n, mechanism, offers, "", hub_from=everybody, group_names=groups)
        assert not validate(terms, user, body).good


@settings(deadline=None, max_examples=100)
@given(st.integers(0, 2**32))
def test_mutants_of_reports_are_judged_as_decode_judges_them(seed: int) -> None:
    """The audit's fuzzer, on communities that offer what the report was drawn with before it was damaged."""
    rng = np.random.default_rng(seed)
    report = random_report(rng)
    terms = offering(report)
    other = wire.encode(random_report(rng))
    for _ in range(20):
        each = Sent(terms, report.user, mutated(wire.encode(report), other, rng))
        assert validate(*each) == expected(each)


@settings(deadline=None, max_examples=300)
@given(st.lists(sent(), max_size=12))
def test_what_is_read_is_what_the_wire_format_says(batch: list[Sent]) -> None:
    assert [validate(*each) for each in batch] == [expected(each) for each in batch]


@settings(deadline=None, max_examples=300)
@given(st.lists(st.binary(max_size=40), max_size=8), st.sampled_from([50, 600]))
def test_any_bytes(bodies: list[bytes], n: int) -> None:
    cats = community("dprr", n)
    batch = [Sent(cats, 3, bytes((0xE1, 2)) + body) for body in bodies]
    assert [validate(*each) for each in batch] == [expected(each) for each in batch]


@pytest.mark.parametrize("n", [2, 127, 128, 129, 20_000])
def test_sizes_at_which_numbers_change_their_length(n: int) -> None:
    cats, batch = community("dprr", n), []
    for user in {0, 1, n // 2, n - 1}:
        listed = np.array([other for other in (0, 1, n // 3, n - 1) if other != user])
        report = wire.Report("dprr", n, user, 0.1, 0.9, -n, np.unique(listed))
        batch.append(Sent(cats, user, wire.encode(report)))
    assert [validate(*each) for each in batch] == [Reading(True, -n)] * len(batch)


@settings(deadline=None, max_examples=200)
@given(sent(st.integers(9_000, 40_000)))
def test_long_lists_are_read_as_the_wire_format_says(each: Sent) -> None:
    with patch.object(long_lists, "_CHUNK", 32):  # many chunks, so that what happens between two of them is seen
        assert validate(*each) == expected(each)


@settings(deadline=None, max_examples=200)
@given(sent(), st.sampled_from([LONGEST, 0]))
def test_both_ways_to_read_a_list_agree(each: Sent, longest: int) -> None:
    with patch.object(golomb, "LONGEST", longest):
        assert validate(*each) == expected(each)


@settings(deadline=None, max_examples=200)
@given(sent(SHORT | st.integers(9_000, 12_000)))
def test_there_is_a_reason_for_every_refusal_and_it_is_the_wire_formats(each: Sent) -> None:
    if validate(*each).good:
        return
    said, decoded = reason(*each), error_of(each)
    assert said
    head_first = any(
        word in said for word in ("slot", "is a hub", "collects", "choices", "the community has")
    )  # the list is not looked at then
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


@pytest.mark.attack("collector")
@pytest.mark.parametrize("user", [0, 5])
def test_few_bytes_that_claim_millions_cost_few_bytes(user: int) -> None:
    """18 bytes that list everybody among three million.

    18 bytes that list everyone of three million; for slot 5 they are in the wrong place, and the reason is asked.
    """
    n = 3_000_000
    big = community("dprr", n)
    claimed = wire.encode(wire.Report("dprr", n, 0, 0.1, 0.9, 3, np.arange(1, n, dtype=np.int32)))
    assert len(claimed) <= 18
    assert validate(big, user, claimed) == (Reading(True, 3) if user == 0 else Reading(False))
    assert peak_of(lambda: validate(big, user, claimed)) < 1 << 16
    assert user == 0 or peak_of(lambda: reason(big, user, claimed)) < 1 << 16


def test_a_long_report_costs_a_few_megabytes() -> None:
    """Of 2²⁴ users, half are listed: a bitmap of two megabytes. Unpacked, it would take over a hundred."""
    n = 1 << 24
    listed = np.flatnonzero(np.random.default_rng(0).random(n) < 0.5).astype(np.int32)
    body = wire.encode(wire.Report("public", n, 0, math.inf, math.inf, None, listed[listed > 0]))
    assert len(body) > 1 << 20
    assert validate(community("rr", n), 0, body) == Reading(True)
    assert peak_of(lambda: validate(community("rr", n), 0, body)) < 8 << 20
    wrong = body[:-1]
    assert validate(community("rr", n), 0, wrong) == Reading(False)
    assert peak_of(lambda: reason(community("rr", n), 0, wrong)) < 8 << 20
