"""Rows of graphs through Ray Data: each row group of a Parquet file is read by a worker, which sends back its rows.

The file is written first, in a folder that all machines of the cluster see. A worker holds one row group at a time, and
what comes back are the few hundred numbers of each graph, the same to the last bit as those that are read here.
"""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from graphldp.collector.community import Community
from graphldp.collector.storage.copies.export import BATCH
from graphldp.collector.storage.copies.export_parquet import read_row_group, row_groups, write_parquet
from graphldp.collector.storage.store import Store
from graphldp.errors import DataError
from graphldp.experiments.service.gathering import Watch
from graphldp.files.folders import passing_folder
from graphldp.learn.tables.profiled import Profiled, joined
from graphldp.learn.tables.profiling import profiled
from graphldp.machines.ray import cluster, require_ray


@dataclass(frozen=True)
class RayRows:
    """Reads reports through a cluster, in place of :func:`graphldp.experiments.service.gathering.read_profiles`.

    Args:
        address: of a running cluster, or None to start one here.
        folder: where the Parquet file lies meanwhile; every machine of the cluster must see it. A temporary folder of
            this machine by default.
        users: of one row group.
    """

    address: str | None = None
    folder: Path | None = None
    users: int = BATCH

    def __call__(self, store: Store, communities: Sequence[Community], watch: Watch) -> Profiled:
        """The rows of some communities, in their order."""
        require_ray()
        with passing_folder("graphldp-rows-", self.folder) as made:
            file = made / "reports.parquet"
            watch("writing reports as Parquet", 0.0)
            write_parquet(store, communities, file, self.users)
            watch("reading reports on the cluster", 0.3)
            with cluster(self.address) as ray:
                found = joined(_read(ray, file))
        watch("reading reports on the cluster", 1.0)
        return found


def _read(ray: Any, file: Path) -> list[Profiled]:
    from ray.data import DataContext

    DataContext.get_current().enable_progress_bars = False
    groups = row_groups(file)
    items = [{"group": group, "file": str(file)} for group in range(groups)]
    data = ray.data.from_items(items, override_num_blocks=groups)
    done = sorted(data.map_batches(_one, batch_size=1).take_all(), key=lambda each: int(each["group"]))
    for each in done:
        if each["error"]:
            raise DataError(str(each["error"]))
    return [pickle.loads(each["rows"]) for each in done]  # noqa: S301 - what our own workers sent


def _one(batch: dict[str, Any]) -> dict[str, list[Any]]:
    """What a worker does with one row group."""
    group, rows, error = int(batch["group"][0]), b"", ""
    try:
        rows = pickle.dumps(profiled(read_row_group(Path(str(batch["file"][0])), group)))
    except (DataError, OSError) as caught:
        error = str(caught)
    return {"group": [group], "rows": [rows], "error": [error]}
