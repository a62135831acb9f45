"""Reading a report accepts exactly what the wire format and the community accept."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphldp import wire
from graphldp.collector.community import Choice, Community
from graphldp.collector.scan import LONGEST, Reading, read
from graphldp.errors import WireError

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
    except WireError as error:
        return Reading(wrong=str(error))
    return Reading(report.noisy_degree, each.community.refuse(report, each.user))


@st.composite
def sent(draw: st.DrawFn) -> Sent:
    """A report of any mechanism and density, at times for another slot or community, at times damaged."""
    mechanism = draw(st.sampled_from(list(SPLITS)))
    n = draw(st.integers(2, 300) | st.integers(510, 1000))
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
    assert [read(*each) for each in batch] == [Reading(-n)] * len(batch)


def test_a_long_report_is_read_alone() -> None:
    n = 200_000
    listed = np.flatnonzero(np.random.default_rng(0).random(n) < 0.5)[1:]
    body = wire.encode(wire.Report("public", n, 0, math.inf, math.inf, None, listed[listed > 0]))
    assert len(body) > LONGEST
    assert read(community("rr", n), 0, body) == Reading()
