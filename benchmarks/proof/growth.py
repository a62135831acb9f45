"""The cost of each public function as a formula, and how time and memory grow, measured at three sizes in one run.

Time is the processor's, and memory the peak of what NumPy and Python take. A row holds if either grows by no more than
the power that its formula says, and 0.5 for noise. ``docs/reference/cost.md`` lists the rows.
"""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import inf
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any
from unittest.mock import patch

import numpy as np
from benchmarks.proof.setting import Finding, Scale

import graphldp as gl
from graphldp.mechanisms.drawing.backend import compile_loops

MARGIN = 0.5
REPEATS = 2
Work = Callable[[], object]


@dataclass(frozen=True)
class Cost:
    """The cost of some functions.

    Args:
        what: their names.
        time: their processor time, as a formula.
        memory: their memory, likewise.
        varied: what is varied when they are measured; nothing where that tells nothing, or takes a service.
        power: by which time grows with it at most.
        size: the smallest size.
        prepared: the work at one size, ready to be timed.
        times: how much larger each of the other two sizes is than the one before.
        room: the power by which memory grows at most; infinite where torch holds it, which nothing here counts.
    """

    what: str
    time: str
    memory: str
    varied: str = ""
    power: float = 0.0
    size: int = 0
    prepared: Callable[[int], Work] = field(default=lambda size: lambda: None, repr=False)
    times: int = 4
    room: float = 1.0


def _graph(users: int, m: int = 4) -> gl.GraphSet:
    return gl.synthetic.barabasi_albert(n=users, m=m, num_graphs=1, seed=0)


def _many(graphs: int) -> gl.GraphSet:
    """Graphs of 25 users of two kinds."""
    one, two = (gl.synthetic.barabasi_albert(n=25, m=m, num_graphs=graphs // 2, seed=m) for m in (1, 3))
    source, target = (
        np.concatenate([each + k * one.num_users for k, each in enumerate(some)])
        for some in zip(_edges(one), _edges(two), strict=True)
    )
    return gl.GraphSet.from_edges(source, target, [25] * (graphs // 2 * 2), np.repeat([0, 1], graphs // 2))


def _edges(graphs: gl.GraphSet) -> tuple[Any, Any]:
    owner = np.repeat(np.arange(graphs.num_users), graphs.degrees)
    target = graphs.indices + np.repeat(graphs.graph_ptr[:-1], graphs.sizes)[owner]
    return owner, target


def _draw(mechanism: gl.Mechanism, m: int = 4) -> Callable[[int], Work]:
    def prepared(users: int) -> Work:
        graphs = _graph(users, m)
        return lambda: mechanism.randomize(graphs, rng=0)

    return prepared


def _saved(users: int) -> Work:
    reports = gl.DPRR(1.0).randomize(_graph(users), rng=0)

    def work() -> None:
        with TemporaryDirectory() as folder:
            reports.save(f"{folder}/reports.npz")
            gl.Reports.load(f"{folder}/reports.npz")

    return work


def _statistics(mechanism: gl.Mechanism) -> Callable[[int], Work]:
    def prepared(users: int) -> Work:
        reports = mechanism.randomize(_graph(users), rng=0)
        return lambda: gl.statistics(reports)

    return prepared


def _synthesized(users: int) -> Work:
    reports = gl.NoisyDegrees(1.0).randomize(_graph(users), rng=0)
    return lambda: gl.synthesize(reports, rng=0)


def _recipe_fits(graphs: int) -> Work:
    reports = gl.NoisyDegrees(1.0, noise="discrete").randomize(_many(graphs), rng=0)
    return lambda: gl.ProfileClassifier(seed=0).fit(reports)


def _recipe_labels(graphs: int) -> Work:
    reports = gl.NoisyDegrees(1.0, noise="discrete").randomize(_many(graphs), rng=0)
    fitted = gl.ProfileClassifier(seed=0).fit(reports.subset(np.r_[:50, graphs - 50 : graphs]))
    return lambda: fitted.predict_proba(reports)


def _network_fits(graphs: int) -> Work:
    reports = gl.DPRR(1.0).randomize(_many(graphs), rng=0)
    few = reports.subset([0, graphs - 1])
    return lambda: gl.GINClassifier(max_epochs=3, min_epochs=0, seed=0, device="cpu").fit(reports, validation=few)


def _similar(users: int) -> Work:
    from graphldp.learn.nodes import similarity

    rng = np.random.default_rng(0)
    rows = similarity.scaled(rng.normal(size=(50, 30))[rng.integers(0, 50, users)] + rng.normal(size=(users, 30)))

    def work() -> None:
        with patch.object(similarity, "EXACT", 0):
            similarity._searched(rows, similarity.NEIGHBOURS)

    return work


def _one_by_one(users: int) -> Work:
    graphs = _graph(users)
    source, target = _edges(graphs)
    first = source < target
    return lambda: gl.GraphSet.from_edges(source[first], target[first], [users])


COSTS: Sequence[Cost] = (
    Cost(
        "`DPRR`, `NonPrivPart`, `HubLists`, `HubCounts`, `NonPrivFull`",
        "n + e + ẽ",
        "n + e + ẽ",
        "n",
        1,
        50_000,
        _draw(gl.DPRR(1)),
    ),
    Cost("`RR`, `Blink`", "n²", "n²/8 bytes; refused where that is not free", "n", 2, 1_500, _draw(gl.RR(1)), room=2),
    Cost(
        "`ARR(sampling=s)`",
        "n + e + s·n²",
        "n + e + 4s·n² bytes",
        "n",
        2,
        2_000,
        _draw(gl.ARR(1, sampling=0.01)),
        room=2,
    ),
    Cost("`LocalLap`, `LapGraph`", "n + e·log e", "n + e", "n", 1.1, 10_000, _draw(gl.LocalLap(1))),
    Cost("`NoisyDegrees`, `CategoryRR`", "n", "n", "n", 1, 100_000, _draw(gl.NoisyDegrees(1), 1)),
    Cost("`FriendCounts`, `MultiBit`, `Joint`", "n·(groups or columns) + e", "the same"),
    Cost(
        "`GraphSet`, `load_dataset`, `split`, `customized`, `match_public_fraction`",
        "(n + e)·log e",
        "n + e",
        "n",
        1.1,
        20_000,
        _one_by_one,
    ),
    Cost("`Reports.save`, `Reports.load`", "n + ẽ", "n + ẽ", "n", 1, 40_000, _saved),
    Cost("`statistics` of degrees and counts", "n + groups²", "n", "n", 1, 20_000, _statistics(gl.NoisyDegrees(1))),
    Cost("`statistics` of lists, with triangles", "n³", "256·n + n²/8 bytes", "n", 3, 200, _statistics(gl.RR(2)), 2, 2),
    Cost("`plan`", "degrees below n", "the same"),
    Cost("`synthesize`", "n + e·log e", "n + e", "n", 1.1, 2_000, _synthesized),
    Cost("`ProfileClassifier.fit`", "n + G·log G + min(G, 3000)³", "n + G + 3000²", "G", 3, 200, _recipe_fits, 2, 2),
    Cost("`ProfileClassifier.predict`", "n + G·min(G′, 3000)", "n + G", "G", 1, 1_000, _recipe_labels),
    Cost("`SizeControl`, `DegreeControl`", "n + G·log G", "n + G"),
    Cost("`RobustProfileClassifier`", "levels²·G, levels ≤ log n", "n + G"),
    Cost(
        "`GINClassifier`, `GCNClassifier`, `SAGEClassifier`",
        "epochs·(c + ẽ)",
        "c + ẽ",
        "G",
        1,
        200,
        _network_fits,
        room=inf,
    ),
    Cost("`LinkPosterior`", "n + ẽ", "n + ẽ"),
    Cost("`FeatureView`, up to 50,000 users", "n²·columns", "256·n + n·columns"),
    Cost("`FeatureView`, above", "n√n·columns", "n·columns", "n", 1.5, 5_000, _similar, 2),
    Cost("`NodeClassifier`", "steps·(n + ẽ)", "n + ẽ"),
    Cost("`compare`", "seeds · mechanisms · ε · (a draw and a fit)", "one fit on each core"),
)


def exponent(sizes: Sequence[int], costs: Sequence[float]) -> float:
    """The power by which a cost grows: the slope of a straight line through both logarithms."""
    return float(np.polyfit(np.log(sizes), np.log(np.maximum(costs, 1e-9)), 1)[0])


def _seconds(work: Work) -> float:
    found = []
    for _ in range(REPEATS):
        began = process_time()
        work()
        found.append(process_time() - began)
    return min(found)


def _megabytes(work: Work) -> float:
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1] / 1e6
    finally:
        tracemalloc.stop()


def prove(scale: Scale, kind: str) -> Finding:
    """Measure time or memory of every row that says what is varied."""
    compile_loops()
    finding, read = Finding(f"growth of {kind}"), {"time": _seconds, "memory": _megabytes}[kind]
    for cost in COSTS:
        most = cost.power if kind == "time" else cost.room
        if not cost.varied or most == inf:
            continue
        sizes = [cost.size * cost.times**step for step in range(3)]
        cost.prepared(sizes[0])()  # loads and compiles
        costs = [read(cost.prepared(size)) for size in sizes]
        power = exponent(sizes, costs)
        finding.facts[f"{cost.what}: as {cost.varied} to the power of {most:g} at most"] = power <= most + MARGIN
        finding.numbers[cost.what] = f"power {power:.2f}: {', '.join(f'{each:.3g}' for each in costs)} at {sizes}"
    return finding
