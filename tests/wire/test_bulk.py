"""Many reports at once say what each says alone."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from graphldp.audit.fuzz import mutated, random_report
from graphldp.errors import WireError
from graphldp.wire import decode, encode
from graphldp.wire.bulk import read_plain

VECTORS = Path(__file__).parent / "vectors"


def check(bodies: list[bytes], sizes: list[int]) -> int:
    """Whatever is read at once is what decode reads, and has no list; how many were read."""
    found = read_plain(bodies, np.array(sizes, np.int64))
    for place in np.flatnonzero(found.read).tolist():
        alone = decode(bodies[place], n=sizes[place])
        assert (alone.epsilon2, alone.counts, len(alone.neighbours)) == (0.0, None, 0)
        assert alone.epsilon1 == found.epsilon1[place]
        assert alone.noisy_degree == found.noisy_degree[place]
        assert bool(alone.asked) == found.asked[place]
    for place in np.flatnonzero(~found.read).tolist():
        try:
            alone = decode(bodies[place], n=sizes[place])
        except WireError:
            continue
        assert alone.epsilon2 or alone.counts is not None  # a good one without list or counts is never left over
    return int(found.read.sum())


def test_good_reports_and_bytes_changed_at_random() -> None:
    """Reports of every mechanism side by side, as they are and damaged."""
    rng = np.random.default_rng(0)
    bodies, sizes, other = [], [], b""
    for _ in range(800):
        report = random_report(rng)
        body = encode(report)
        for each in (body, mutated(body, other, rng), mutated(body, other, rng)):
            bodies.append(each)
            sizes.append(report.n)
        other = body
    assert check(bodies, sizes) > 300
    assert check([], []) == 0


@pytest.mark.parametrize("file", ["valid", "invalid"])
def test_the_shared_vectors(file: str) -> None:
    found = json.loads((VECTORS / f"{file}.json").read_text("utf-8"))[file]
    bodies = [bytes.fromhex(each["hex"]) for each in found]
    sizes = [each["report"]["n"] if "report" in each else 5 for each in found]
    read = check(bodies, sizes)
    assert (read > 0) == (file == "valid")
