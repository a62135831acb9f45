"""The progress of a training: bars on a terminal, one per seed, lines in a log, and TensorBoard's logs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING, Any, Self

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
)

from graphldp.errors import MissingExtraError

if TYPE_CHECKING:
    from graphldp.learn.engine.one_training import EpochRecord


COMPILING = "beginning (the first time after installing also compiles, for up to a minute)"
"""What is shown until an epoch is over."""


def watched(console: Console) -> bool:
    """Whether a line that changes can be shown. In a notebook without ipywidgets, Rich warns at each change instead."""
    return console.is_terminal or (console.is_jupyter and find_spec("ipywidgets") is not None)


class LoggedProgress(Progress):
    """Bars where somebody watches; elsewhere a line every few seconds, if it says something new.

    Args:
        columns: of the bars.
        console: where to show them.
        shown: False to show nothing anywhere.
    """

    pause = 5.0  # seconds

    def __init__(self, *columns: ProgressColumn, console: Console, shown: bool = True) -> None:
        super().__init__(*columns, console=console, disable=not (shown and watched(console)))
        self._over = Event()
        self._writer = Thread(target=self._write, daemon=True) if shown and self.disable else None

    def start(self) -> None:
        """Show bars, or write lines from now on."""
        super().start()
        if self._writer is not None:
            self._writer.start()

    def stop(self) -> None:
        """Leave the bars alone, and write no more lines."""
        self._over.set()
        if self._writer is not None:
            self._writer.join()
        super().stop()

    def _write(self) -> None:
        said = ""
        while not self._over.wait(self.pause):
            now = "; ".join(_line(each) for each in self.tasks if not each.finished)
            if now not in ("", said):
                self.console.print(now, highlight=False, markup=False, soft_wrap=True)
                said = now


def _line(task: Task) -> str:
    if task.total is None:
        return task.description
    now = task.fields.get("now", "")
    return f"{task.description}: {task.completed:,.0f} of {task.total:,.0f}{f', {now}' if now else ''}"


class TrainingDisplay(LoggedProgress):
    """Epoch, losses, best so far and time left (an upper bound: most trainings stop early) of each seed.

    A seed takes so many epochs at most, those of all grid points together.
    """

    def __init__(self, epochs: int, console: Console) -> None:
        super().__init__(
            TextColumn("{task.description}"),
            BarColumn(bar_width=20),
            MofNCompleteColumn(),
            TextColumn("{task.fields[now]}"),
            TimeRemainingColumn(elapsed_when_finished=True),
            console=console,
        )
        self._epochs = epochs
        self._lines: dict[int, TaskID] = {}
        self._best: dict[int, float] = {}
        self._before = {self.add_task(COMPILING, total=None, now="")}

    def stop(self) -> None:
        """Leave the seeds' lines alone, also where there are none."""
        self._begun()
        super().stop()

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
        if self.disable:
            self.console.print(f"seed {seed}: {line}", highlight=False, soft_wrap=True)

    def _done(self, task: TaskID) -> float:
        return next(each.completed for each in self.tasks if each.id == task)

    def _begun(self) -> None:
        while self._before:
            self.remove_task(self._before.pop())

    def _line(self, seed: int) -> TaskID:
        self._begun()
        if seed not in self._lines:
            self._lines[seed] = self.add_task(f"seed {seed}", total=self._epochs, now="")
        return self._lines[seed]


@contextmanager
def shown_epochs(
    verbose: bool, epochs: int, seed: int, also: Callable[[EpochRecord], None] | None
) -> Iterator[Callable[[EpochRecord], None] | None]:
    """What a fit calls with each epoch: a bar or lines where it is verbose, and what the caller asked for."""
    if not verbose:
        yield also
        return
    last: list[EpochRecord] = []

    def each(record: EpochRecord) -> None:
        display.epoch(seed, record)
        last[:] = [record]
        if also is not None:
            also(record)

    with TrainingDisplay(epochs, Console(stderr=True)) as display:
        yield each
        if last:
            display.end(seed, f"{last[0].epoch} epochs, the best was {last[0].best_epoch}")


@contextmanager
def shown_steps(verbose: bool, steps: int, name: str) -> Iterator[Callable[[], None]]:
    """What a fit without epochs calls after each of its steps."""
    console = Console(stderr=True)
    columns = TextColumn("{task.description}"), BarColumn(bar_width=20), MofNCompleteColumn(), TimeRemainingColumn()
    with LoggedProgress(*columns, console=console, shown=verbose) as display:
        task = display.add_task(name, total=steps)
        yield lambda: display.advance(task)
        if verbose and not watched(console):
            console.print(f"{name}: fitted", highlight=False)


class Logs:
    """TensorBoard's logs of a training, one folder per seed: losses and accuracy; without a folder, nothing."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._writers: dict[int, Any] = {}

    def __enter__(self) -> Self:
        if self._folder is not None:
            _writer_class()  # say that it is missing before an hour of training, not after the first epoch
        return self

    def __exit__(self, *_: object) -> None:
        for writer in self._writers.values():
            writer.close()

    def write(self, seed: int, *records: EpochRecord) -> None:
        """Add epochs to a seed's logs."""
        if self._folder is None:
            return
        if seed not in self._writers:
            self._writers[seed] = _writer_class()(self._folder / f"seed-{seed}")
        for record in records:
            for name in ("train_loss", "val_loss", "val_accuracy"):
                self._writers[seed].add_scalar(name, getattr(record, name), record.epoch)


def _writer_class() -> Any:
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError:
        raise MissingExtraError("--tensorboard", "tensorboard") from None
    return SummaryWriter
