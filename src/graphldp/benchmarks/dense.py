"""How fast dense lists are drawn and kept: randomized response as bits, beside plain NumPy in the same run.

Each number is the best of several warm repeats:

1. a draw of RR over the whole of a dataset (REDDIT-BINARY where it is at hand, the embedded threads otherwise), whose
   reports are bits, one a pair;
2. the names that these bits stand for;
3. a file of the bits, and one of the names: written, and read again;
4. the same law by NumPy with an n × n array for each graph, and its names.
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
from numpy.typing import NDArray

from graphldp.benchmarks.timing import best, dataset
from graphldp.graphs import GraphSet
from graphldp.mechanisms import RR
from graphldp.reports import Reports

EPSILON = 1.0


def run(*, root: Path | None = None, repeats: int = 3) -> Iterator[dict[str, Any]]:
    """Measure, one row at a time; ``against`` is how many times as long plain NumPy takes to draw.

    Args:
        root: where datasets lie.
        repeats: warm repeats of each measurement; the best counts.
    """
    graphs, mechanism = dataset(root), RR(epsilon=EPSILON)
    reports = mechanism.randomize(graphs, rng=1)  # compiles what there is to compile
    if (bits := reports.bits) is None:
        raise AssertionError("randomized response at ε = 1 draws bits")
    names = bits.names(reports.indptr)
    peer = best(lambda: _plain_draw(graphs), 1)
    drawn = best(lambda: mechanism.randomize(graphs, rng=1), repeats)
    named = best(lambda: bits.names(reports.indptr), repeats)

    def row(what: str, seconds: float, size: int, against: float | None = None) -> dict[str, Any]:
        whole = {"what": what, "seconds": round(seconds, 4), "mb": round(size / 1e6), "entries": len(names)}
        return whole if against is None else whole | {"against": round(against / seconds, 1)}

    yield row(f"{graphs.name}: draw, as bits", drawn, bits.words.nbytes, peer)
    yield row(f"{graphs.name}: draw, and names of all bits", drawn + named, names.nbytes, peer)
    yield row(f"{graphs.name}: draw, by plain NumPy on n × n arrays", peer, names.nbytes)
    with TemporaryDirectory() as folder:
        for what, kept in (("bits", reports), ("names", _by_name(reports, names))):
            path = Path(folder) / f"{what}.npz"
            written = best(partial(kept.save, path), repeats)
            size = path.stat().st_size
            yield row(f"file of {what}: write", written, size)
            yield row(f"file of {what}: read", best(partial(Reports.load, path), repeats), size)


def _by_name(reports: Reports, names: NDArray[np.int32]) -> Reports:
    return replace(reports, indices=names, as_bits=None, trusted=True)


def _plain_draw(graphs: GraphSet) -> int:
    """RR on an n × n array a graph, and the names in its rows: what a straightforward NumPy program does."""
    flip, rng, found = 1 / (1 + math.exp(EPSILON)), np.random.default_rng(0), 0
    for matrix in graphs.to_scipy():
        reported = matrix.toarray().astype(np.bool_) ^ (rng.random(matrix.shape, dtype=np.float32) < flip)
        np.fill_diagonal(reported, False)
        found += len(np.nonzero(reported)[1])
    return found
