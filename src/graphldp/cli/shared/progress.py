"""The live display of a training: one line per seed, on standard error."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from graphldp.cli.shared import console

if TYPE_CHECKING:
    from graphldp.learn.engine.training import EpochRecord


class TrainingDisplay(Progress):
    """Epoch, losses, best so far and time left (an upper bound: most trainings stop early) of each seed.

    Args:
        epochs: the most that a seed takes, those of all grid points together.
    """

    def __init__(self, epochs: int) -> None:
        super().__init__(
            TextColumn("{task.description}"),
            BarColumn(bar_width=20),
            MofNCompleteColumn(),
            TextColumn("{task.fields[now]}"),
            TimeRemainingColumn(elapsed_when_finished=True),
            console=console.err,
            disable=not console.err.is_terminal,  # a log gets one plain line per seed instead
        )
        self._epochs = epochs
        self._lines: dict[int, TaskID] = {}
        self._best: dict[int, float] = {}

    def epoch(self, seed: int, record: EpochRecord) -> None:
        """Show an epoch's losses."""
        best = min(self._best.get(seed, record.val_loss), record.val_loss)
        self._best[seed] = best
        now = f"loss {record.train_loss:.3f} val {record.val_loss:.3f} (best {best:.3f}) acc {record.val_accuracy:.3f}"
        self.update(self._line(seed), advance=1, now=now)

    def end(self, seed: int, line: str) -> None:
        """Fill the bar and leave the seed's result beside it; a plain line where nobody watches."""
        task = self._line(seed)
        self.update(task, total=self._done(task), now=line)
        if not self.console.is_terminal:
            self.console.print(f"seed {seed}: {line}", highlight=False, soft_wrap=True)

    def _done(self, task: TaskID) -> float:
        return next(each.completed for each in self.tasks if each.id == task)

    def _line(self, seed: int) -> TaskID:
        if seed not in self._lines:
            self._lines[seed] = self.add_task(f"seed {seed}", total=self._epochs, now="")
        return self._lines[seed]
