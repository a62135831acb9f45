"""The live display of a computation: how many cells are done, and how long the rest may take."""

from __future__ import annotations

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from graphldp.experiments.cells import Row


class CellsDisplay(Progress):
    """Cells done, time taken and time left; nothing where nobody watches.

    Args:
        count: how many cells there are.
        console: where to show them.
        shown: False to show nothing anywhere.
    """

    def __init__(self, count: int, console: Console, *, shown: bool = True) -> None:
        super().__init__(
            TextColumn("{task.description}"),
            BarColumn(bar_width=30),
            MofNCompleteColumn(),
            TextColumn("cells,"),
            TimeElapsedColumn(),
            TextColumn("taken,"),
            TimeRemainingColumn(),
            TextColumn("left"),
            console=console,
            disable=not (shown and (console.is_terminal or console.is_jupyter)),
        )
        self._task = self.add_task("computing", total=count)
        self._said: set[str] = set()
        self._shown = shown

    def row(self, row: Row) -> None:
        """Count one more; say why where it is not done, each reason once."""
        self.advance(self._task)
        said = f"{row.status}: {row.cell.kind}: {row.note}"
        if self._shown and row.status != "done" and said not in self._said:
            self._said.add(said)
            self.console.print(said, highlight=False, markup=False)
