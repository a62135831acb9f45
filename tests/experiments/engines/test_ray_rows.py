"""Rows of graphs through Ray Data are those that are read here."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.experiments.crowds import crowd

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
    crowd(store, communities=12, labelled=8)
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
