"""How fast lists are drawn: absolute numbers, and ratios to a plain dense implementation of the same law in one run.

Four measurements, each the best of several warm repeats:

1. DPRR over the whole of a dataset (REDDIT-BINARY where it is at hand, the embedded threads otherwise);
2. DPRR on one graph of 263,000 users with 76 neighbours on average: reported neighbours a second;
3. the same at Orkut's size, 3,072,441 users and 117 million edges: cost of a neighbour against (2), and peak memory
   beside the input against the size of the output;
4. the ratio to a dense NumPy implementation at n = 4,000.

Beside each stands how long it takes to write as many ones and nothing else, on one core. Between (2) and (3) a ladder
of sizes shows that time is a straight line in entries.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.speed.pictures import plotted
from benchmarks.speed.timing import best
from numpy.typing import NDArray

from graphldp.experiments.speed import dataset
from graphldp.graphs import GraphSet
from graphldp.mechanisms import DPRR
from graphldp.mechanisms.drawing import backend
from graphldp.mechanisms.drawing.rows import UserRows
from graphldp.mechanisms.drawing.streams import key_from

ORKUT_USERS, ORKUT_EDGES = 3_072_441, 117_185_083
MIDDLE_USERS, MIDDLE_DEGREE = 263_000, 76.0
DENSE_USERS = 4_000
LADDER = (10_000, 30_000, 100_000, 263_000, 800_000)


def run(root: Path | None) -> Iterator[dict[str, Any]]:
    """Measure, one row at a time; Orkut's size needs about 4 GB of memory."""
    mechanism = DPRR(epsilon=1.0)
    graphs = dataset(root)
    yield _row(f"{graphs.name}, all graphs", graphs, mechanism)
    yield _against_dense(mechanism)
    per_entry = 0.0
    for users in LADDER:
        row = _row(f"one graph, n = {users:,}", _lists(users, MIDDLE_DEGREE), mechanism)
        if users == MIDDLE_USERS:
            per_entry = row["ns_per_entry"]
        yield row
    large = _lists(ORKUT_USERS, 2 * ORKUT_EDGES / ORKUT_USERS)
    row = _row(f"one graph, n = {ORKUT_USERS:,} (Orkut's size)", large, mechanism, 2)
    yield row | {"cost_against_263k": round(row["ns_per_entry"] / per_entry, 3)}


def picture(rows: Sequence[Mapping[str, Any]], path: Path) -> None:
    """Seconds against entries written."""
    ladder = [(row["entries_out"], row["seconds"]) for row in rows if row["what"].startswith("one graph")]
    words = {"xlabel": "reported neighbours", "title": "Time is a straight line in what is written"}
    plotted(ladder, path, "DPRR, ε = 1, one graph", words)


def _row(name: str, graphs: GraphSet, mechanism: DPRR, repeats: int = 5) -> dict[str, Any]:
    backend.compile_loops()
    mechanism.randomize(graphs[:1] if graphs.num_graphs > 1 else _lists(100, 5.0), rng=0)  # compiles
    before, reset = _memory("VmRSS"), _reset_peak()
    entries = mechanism.randomize(graphs, rng=1).num_entries
    peak = _memory("VmHWM") - before if reset else None
    seconds = best(lambda: mechanism.randomize(graphs, rng=1), repeats)
    return {
        "what": name,
        "users": graphs.num_users,
        "entries_in": graphs.num_entries,
        "entries_out": entries,
        "seconds": round(seconds, 4),
        "million_entries_per_s": round(entries / seconds / 1e6, 1),
        "ns_per_entry": round(seconds / entries * 1e9, 2),
        "writing_ns_per_entry": round(best(lambda: np.ones(entries, np.int32), repeats) / entries * 1e9, 2),
        "peak_against_output": None if peak is None else round(peak / (4 * entries + 8 * graphs.num_users), 2),
    }


def _against_dense(mechanism: DPRR) -> dict[str, Any]:
    graphs = _lists(DENSE_USERS, 5.0)
    budget = mechanism.budget(graphs.n_max)
    matrix = graphs.to_scipy()[0].toarray().astype(np.bool_)
    rng = np.random.default_rng(0)
    dense = best(lambda: _dense(matrix, float(budget.degree), float(budget.edges), rng))
    row = _row(f"one graph, n = {DENSE_USERS:,}, mean degree 5", graphs, mechanism)
    return row | {"dense_seconds": round(dense, 4), "dense_ratio": round(dense / row["seconds"], 1)}


def _dense(matrix: NDArray[np.bool_], epsilon1: float, epsilon2: float, rng: np.random.Generator) -> NDArray[np.bool_]:
    """DPRR on an n × n array: what a straightforward NumPy program does."""
    n = len(matrix)
    noisy = np.maximum(matrix.sum(axis=1) + rng.laplace(scale=1 / epsilon1, size=n), 0.0)
    p = np.exp(epsilon2) / (np.exp(epsilon2) + 1)
    q = np.minimum(noisy / (noisy * (2 * p - 1) + (n - 1) * (1 - p)), 1.0)[:, None]
    flipped = matrix ^ (rng.random((n, n)) < 1 - p)
    reported: NDArray[np.bool_] = flipped & (rng.random((n, n)) < q)
    np.fill_diagonal(reported, False)
    return reported


def _lists(users: int, mean_degree: float) -> GraphSet:
    """One directed graph with heavy-tailed degrees (log-normal, σ = 1), drawn by the sampler itself."""
    degrees = np.random.default_rng(users).lognormal(np.log(mean_degree) - 0.5, 1.0, size=users)
    nobody = UserRows(
        np.zeros(users + 1, np.int64),
        np.zeros(0, np.int32),
        np.arange(users),
        np.full(users, users),
        np.zeros(users, np.int64),
    )
    rate = np.minimum(degrees / max(users - 1, 1), 1.0)
    indptr, indices, _ = backend.sample_lists(nobody, np.zeros(users), rate, key_from(3, "benchmark"))
    return GraphSet(indptr, indices, np.array([0, users]), directed=True, trusted=True)


def _memory(field: str) -> int:
    """Bytes that the kernel counts for this process under ``field`` of its status."""
    status = Path("/proc/self/status")
    if not status.is_file():
        return 0
    return next(int(line.split()[1]) * 1024 for line in status.read_text().splitlines() if line.startswith(field))


def _reset_peak() -> bool:
    """Start counting peak memory anew; False where the system does not offer it."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return False
    return True
