"""This process: one group of cells after the other. For classes that no other process could load."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from graphldp.experiments.cells import Cell, Row
from graphldp.experiments.compute import compute
from graphldp.experiments.draws import Context


class HereEngine:
    """Compute in the process that asks."""

    def run(self, groups: Sequence[list[Cell]], context: Context) -> Iterator[Row]:
        """Rows of all cells, in their order."""
        for group in groups:
            yield from compute(group, context)
