"""Rows of graphs through Ray Data are those that are read here."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.experiments.filled_store import fill_store

from graphldp.collector.storage.store import Store
from graphldp.experiments.engines.ray_rows import RayRows, _one
from graphldp.experiments.service.gathering import read_profiles, unwatched

pytest.importorskip("ray", reason="needs the extra [ray]")
pytestmark = pytest.mark.filterwarnings(
    "ignore::ResourceWarning", "ignore::DeprecationWarning", "ignore::FutureWarning"
)


@pytest.mark.long
def test_rows_through_ray_are_those_read_here(tmp_path: Path) -> None:
    """Every number of every graph, though a worker holds only a few communities at a time."""
    store = Store.open(f"sqlite:///{tmp_path / 'collector.db'}")
    fill_store(store, communities=12, labelled=8)
    found, told = store.communities(), []
    rows = RayRows(folder=tmp_path, users=100)(store, found, lambda doing, _share: told.append(doing))
    here = read_profiles(store, found, unwatched)
    assert rows.digest == here.digest
    assert rows.provenance(0) == here.provenance(0)
    np.testing.assert_array_equal(rows.graph_ids, here.graph_ids)
    assert told[0] == "writing reports as Parquet"
    assert [each for each in tmp_path.iterdir() if each.is_dir()] == []
    store.close()


def test_a_worker_says_what_is_wrong_with_a_file(tmp_path: Path) -> None:
    (tmp_path / "no.parquet").write_bytes(b"nothing of the kind")
    found = _one({"group": np.array([0]), "file": np.array([str(tmp_path / "no.parquet")])})
    assert "no file of collected reports" in found["error"][0]


@pytest.mark.long
def test_a_node_that_dies_changes_nothing(tmp_path: Path) -> None:
    """Of two nodes one is killed while it reads; the other reads its row groups, too."""
    from ray.cluster_utils import Cluster

    store = Store.open(f"sqlite:///{tmp_path / 'collector.db'}")
    fill_store(store, communities=40, labelled=30)
    found = store.communities()
    cluster: Any = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "object_store_memory": 80_000_000})
    try:
        nodes = [cluster.add_node(num_cpus=1, object_store_memory=80_000_000) for _ in range(2)]
        killed: list[int] = []

        def kill_one() -> None:
            raylet = nodes[0].all_processes["raylet"][0].process.pid
            while not (busy := [each for each in _children(raylet) if b"_one" in _name(each)]):
                time.sleep(0.01)
            killed.extend(busy)
            cluster.remove_node(nodes[0], allow_graceful=False)

        killer = threading.Thread(target=kill_one, daemon=True)
        killer.start()
        rows = RayRows(cluster.address, folder=tmp_path, users=50)(store, found, unwatched)
        killer.join(10)
    finally:
        cluster.shutdown()
    here = read_profiles(store, found, unwatched)
    assert killed
    assert rows.digest == here.digest
    assert rows.provenance(0) == here.provenance(0)
    store.close()


def _children(process: int) -> list[int]:
    return [int(each) for each in Path(f"/proc/{process}/task/{process}/children").read_text().split()]


def _name(process: int) -> bytes:
    """Ray names a worker after what it does."""
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return b""
