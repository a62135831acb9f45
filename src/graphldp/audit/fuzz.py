"""Fuzzing the wire: whatever arrives is refused with a reason, or is the one encoding of what it says.

Inputs are random bytes behind a true beginning, and reports with bits flipped, bytes cut, added, or swapped for those
of another report. The generator is seeded: a failure can be seen again.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from graphldp.errors import WireError
from graphldp.wire import (
    FIRST_BYTE,
    MECHANISMS,
    MILLION,
    WITH_COUNTS,
    WITH_DEGREE,
    WITH_EDGES,
    WITH_HUBS,
    Choice,
    Report,
    Terms,
    decode,
    encode,
    from_json,
    most_groups,
    roster_digest,
    to_json,
    validate,
)

_SIZES = (1, 2, 5, 40, 300, 4000)


def fuzz(inputs: int, seed: int = 0) -> Counter[str]:
    """Decode so many inputs, and count what became of them, by reason.

    Raises:
        AssertionError: for an input that was accepted though :func:`~graphldp.wire.encode` would not have written it,
            and for one of which :func:`~graphldp.wire.validate` says something else.
    """
    rng = np.random.default_rng(seed)
    outcomes: Counter[str] = Counter()
    for terms, user, data in _inputs(inputs, rng):
        quick = validate(terms, user, data).good
        try:
            report = decode(data, n=terms.n)
        except WireError as error:
            if quick:
                raise AssertionError(f"Refused, but valid by the fast check: {data.hex()}") from None
            outcomes[re.sub(r"[0-9]+", "…", str(error))] += 1
            continue
        if encode(report) != data or encode(from_json(to_json(report))) != data:
            raise AssertionError(f"Accepted, but not canonical: {data.hex()}")
        if quick != (terms.refuse(report, user) is None):
            raise AssertionError(f"The fast check and the community disagree: {data.hex()}")
        outcomes["accepted"] += 1
    return outcomes


def random_report(rng: np.random.Generator) -> Report:
    """A valid report of any mechanism, size and density."""
    n = int(rng.choice(_SIZES))
    user, mechanism = int(rng.integers(n)), str(rng.choice(MECHANISMS))
    epsilon1, epsilon2 = (int(each) / 10**6 for each in rng.integers(1, 1 << 23, 2))
    listed = np.flatnonzero(rng.random(n) < rng.choice((0.0, 0.01, 0.2, 0.5, 0.9, 1.0))).astype(np.int32)
    noisy = int(rng.integers(-n - 100, n + 100))
    hub = bool(rng.integers(2))
    if mechanism in WITH_DEGREE and (mechanism not in WITH_EDGES or (mechanism == "hub-lists" and not hub)):
        asked = hub if mechanism == "hub-counts" else None
        return Report(mechanism, n, user, epsilon1, 0.0, noisy, listed[:0], asked)
    if mechanism in WITH_COUNTS:
        groups = int(rng.integers(2, most_groups(n) + 1)) if n > 1 else 2
        counts = tuple(int(each) for each in rng.integers(-n - 100, n + 100, groups))
        return Report(mechanism, max(n, 2), user, epsilon1, 0.0, None, listed[:0], counts=counts)
    listed = listed[listed != user]
    if mechanism == "public":
        return Report(mechanism, n, user, np.inf, np.inf, None, listed)
    if mechanism == "rr":
        return Report(mechanism, n, user, 0.0, epsilon2, None, listed)
    return Report(mechanism, n, user, epsilon1, epsilon2, noisy, listed)


def offering(report: Report) -> Terms:
    """A community that takes a report, and public ones."""
    mechanism = "rr" if report.mechanism == "public" else report.mechanism
    own, hub_from = Choice("own", report.epsilon1, report.epsilon2), None
    if mechanism in WITH_HUBS:
        hub_from = report.noisy_degree
    if mechanism == "hub-lists" and not report.hub and own.cost and own.cost > 1:  # a hub would have split it
        own = Choice("own", (own.cost // 2) / MILLION, (own.cost - own.cost // 2) / MILLION)
    names = tuple(f"group {number}" for number in range(len(report.counts or ())))
    choices = own, Choice("public", math.inf, math.inf)
    terms = Terms("fuzz", "Fuzz", report.n, mechanism, choices, roster_digest=roster_digest([]), hub_from=hub_from)
    return replace(terms, group_names=names)


def _inputs(count: int, rng: np.random.Generator) -> Iterator[tuple[Terms, int, bytes]]:
    """A community, a slot and bytes for it: a batch of mutants of each of many reports."""
    made, per_report = 0, 50
    other = encode(random_report(rng))
    while made < count:
        report = random_report(rng)
        data, terms = encode(report), offering(report)
        for _ in range(min(per_report, count - made)):
            yield terms, report.user, mutated(data, other, rng)
        made, other = made + per_report, data


def mutated(data: bytes, other: bytes, rng: np.random.Generator) -> bytes:
    """A report's bytes with some damage, at times none; ``other`` lends the rest of another report."""
    kind, at = int(rng.integers(8)), int(rng.integers(len(data) + 1))
    if kind == 0:
        return data
    if kind == 1:
        return data[:at]
    if kind == 2:
        return data + rng.bytes(int(rng.integers(1, 4)))
    if kind == 3:
        return data[:at] + rng.bytes(1) + data[at:]
    if kind == 4:
        return data[:at] + other[at:]
    if kind == 5:
        return bytes((FIRST_BYTE, int(rng.integers(256)))) + data[2:4] + rng.bytes(int(rng.integers(40)))
    changed = bytearray(data)
    for place in rng.integers(0, min(len(data), 24) if kind == 6 else len(data), int(rng.integers(1, 4))):
        changed[place] ^= 1 << int(rng.integers(8))
    return bytes(changed)
