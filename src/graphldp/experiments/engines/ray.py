"""Ray: groups of cells as tasks on a cluster, or on a local one that is started for the run and stopped after it.

A task hands over each row as it is finished. When its worker dies, Ray runs the task again; rows that are there already
stay as they are.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from graphldp.errors import DatasetNotFoundError
from graphldp.experiments.cells import Row
from graphldp.experiments.compute import ALONE
from graphldp.experiments.draws import Context
from graphldp.experiments.trial import Work
from graphldp.machines.ray import cluster

_RETRIES = 3


@dataclass
class RayEngine:
    """Computes on a Ray cluster.

    Args:
        address: of a running cluster, or None to start one here for the run.
        gpus: of each task, a share of one is enough to let several tasks share it.
    """

    address: str | None = None
    gpus: float = 0.0

    def run(self, groups: Sequence[list[Work]], context: Context) -> Iterator[Row]:
        """Compute groups of cells; rows come in the order in which they are finished."""
        with cluster(self.address) as ray:
            yield from self._rows(ray, groups, context)

    def _rows(self, ray: Any, groups: Sequence[list[Work]], context: Context) -> Iterator[Row]:
        if context.files and self.address:
            raise DatasetNotFoundError("A .npz file is on this machine only: use a dataset's name with --engine ray.")
        task = ray.remote(max_retries=_RETRIES, num_gpus=self.gpus)(_work)
        shared = [group for group in groups if group[0].cell.kind not in ALONE]
        alone = [group for group in groups if group[0].cell.kind in ALONE]
        yield from self._collect(ray, task, shared, context, len(shared))
        yield from self._collect(ray, task, alone, context, 1)  # timed cells: one after the other

    def _collect(
        self, ray: Any, task: Any, groups: Sequence[list[Work]], context: Context, width: int
    ) -> Iterator[Row]:
        waiting = list(groups)
        running: dict[Any, dict[str, Work]] = {}
        while waiting or running:
            while waiting and len(running) < width:
                group = waiting.pop(0)
                stream = task.options(num_returns="streaming", num_cpus=1).remote(group, context)
                running[stream] = {each.cell.id: each for each in group}
            ready, _ = ray.wait(list(running), num_returns=1, fetch_local=True)
            for stream in ready:
                try:
                    row: Row = ray.get(next(stream))
                except StopIteration:
                    del running[stream]
                    continue
                except ray.exceptions.RayError as error:
                    reason = f"the worker died {_RETRIES + 1} times: {type(error).__name__}"
                    for work in running.pop(stream).values():
                        yield Row(work.cell, "failed", note=reason)
                    continue
                if running[stream].pop(row.cell.id, None) is not None:
                    yield row


def _work(group: list[Work], context: Context) -> Iterator[Row]:
    os.environ["GRAPHLDP_THREADS"] = "1"
    import torch

    from graphldp.experiments.compute import compute
    from graphldp.machines.local import available_memory, cores

    torch.set_num_threads(1)
    memory = available_memory(context.device) // (1 if group[0].cell.kind in ALONE else cores())
    yield from compute(group, replace(context, memory=memory))
