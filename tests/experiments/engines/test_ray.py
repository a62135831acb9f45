from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from graphldp.errors import GraphLDPError, MissingExtraError
from graphldp.experiments.cells import Row
from graphldp.experiments.draws import Context
from graphldp.experiments.engines.ray import RayEngine
from graphldp.experiments.plans.plan import make_plan
from graphldp.experiments.results import ResultsFile
from graphldp.experiments.runs.runner import run

pytest.importorskip("ray", reason="needs the extra [ray]")
pytestmark = pytest.mark.filterwarnings(
    "ignore::ResourceWarning", "ignore::DeprecationWarning", "ignore::FutureWarning"
)


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """A real cluster: a head that computes nothing and two workers with one core each."""
    from ray.cluster_utils import Cluster

    cluster: Any = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "object_store_memory": 80_000_000})
    try:
        for _ in range(2):
            cluster.add_node(num_cpus=1, object_store_memory=80_000_000)
        yield cluster.address
    finally:
        cluster.shutdown()


@pytest.mark.long
def test_a_killed_worker_changes_nothing(tmp_path: Path, address: str) -> None:
    grid: dict[str, tuple[float, ...]] = {"layers": (2, 3), "hidden": (4,)}
    plan = make_plan("accuracy-epsilon", "synthetic:threads", Context(), effort="smoke", seeds=1, grid=grid)
    plan = replace(plan, entries=tuple(e for e in plan.entries if e.series in ("dprr", "local-lap", "size-control")))
    killed: list[int] = []

    def kill_one(_: Row) -> None:
        if not killed:
            killed.extend(_workers()[:1])
            for pid in killed:
                os.kill(pid, signal.SIGKILL)

    with ResultsFile(tmp_path / "r.sqlite") as table:
        run([plan], table, Context(), engine=RayEngine(address), on_row=kill_one)
        found = table.rows()
    assert killed
    with ResultsFile(tmp_path / "local.sqlite") as table:
        run([plan], table, Context(), workers=2)
        here = table.rows()
    assert {row.status for row in found.values()} == {"done"}
    assert {key: row.numbers for key, row in found.items()} == {key: row.numbers for key, row in here.items()}


def _workers() -> list[int]:
    """The processes that run our task now: Ray names a worker after what it does."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            name = path.read_bytes()
        except OSError:
            continue
        if name.startswith(b"ray::_work"):
            found.append(int(path.parent.name))
    return found


def test_an_address_that_does_not_answer() -> None:
    with pytest.raises(GraphLDPError, match=r"Ray could not reach or start the cluster at 127\.0\.0\.1:1"):
        list(RayEngine("127.0.0.1:1").run([], Context()))


def test_ray_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'graphldp\[ray\]'"):
        list(RayEngine().run([], Context()))
