"""How fast dense lists are drawn and kept: randomized response as bits, beside plain NumPy in the same run.

Each number is the best of several warm repeats:

1. a draw of RR over the whole of a dataset (REDDIT-BINARY where it is at hand, the embedded threads otherwise), whose
   reports are bits, one a pair; and the same with the names of all bits;
2. the same law by NumPy with an n × n array for each graph, to bits and to names, on one core;
3. a file of the bits, and one of the names: written, and read again.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from benchmarks.speed.timing import best

from graphldp.experiments.speed import dataset
from graphldp.graphs import GraphSet
from graphldp.mechanisms import RR
from graphldp.reports import Reports

EPSILON, REPEATS = 1.0, 3


def run(root: Path | None) -> Iterator[dict[str, Any]]:
    """Measure, one row at a time; ``against`` is how many times as long plain NumPy takes to draw."""
    graphs, mechanism = dataset(root), RR(epsilon=EPSILON)
    reports = mechanism.randomize(graphs, rng=1)
    bits = reports.bits
    assert bits is not None
    for what, ours, size in (
        ("bits", lambda: mechanism.randomize(graphs, rng=1), bits.words.nbytes),
        ("names", lambda: mechanism.randomize(graphs, rng=1).indices, reports.indices.nbytes),
    ):
        peer = best(partial(plain_draw, graphs, names=what == "names"), REPEATS)
        seconds = best(ours, REPEATS)
        against = {"mb": round(size / 1e6), "against": round(peer / seconds, 1)}
        yield {"what": f"{graphs.name}: draw {what}", "seconds": round(seconds, 4)} | against
        yield {"what": f"{graphs.name}: draw {what} by plain NumPy", "seconds": round(peer, 4)}
    with TemporaryDirectory() as folder:
        for what, kept in (("bits", reports), ("names", replace(reports, as_bits=None, trusted=True))):
            path = Path(folder) / f"{what}.npz"
            written = best(partial(kept.save, path), REPEATS)
            mb = round(path.stat().st_size / 1e6)
            yield {"what": f"file of {what}: write", "seconds": round(written, 4), "mb": mb}
            read = best(partial(Reports.load, path), REPEATS)
            yield {"what": f"file of {what}: read", "seconds": round(read, 4), "mb": mb}


def plain_draw(graphs: GraphSet, *, names: bool) -> int:
    """RR on an n × n array a graph, as a straightforward NumPy program does it; how many pairs it reports."""
    flip, rng, found = 1 / (1 + math.exp(EPSILON)), np.random.default_rng(0), 0
    for matrix in graphs.to_scipy():
        reported = matrix.toarray().astype(np.bool_) ^ (rng.random(matrix.shape, dtype=np.float32) < flip)
        np.fill_diagonal(reported, False)
        if names:
            found += len(np.nonzero(reported)[1].astype(np.int32))
        else:
            found += int(np.bitwise_count(np.packbits(reported, axis=1)).sum())
    return found
