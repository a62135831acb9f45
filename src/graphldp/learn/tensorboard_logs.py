"""TensorBoard's logs of a training, one folder per seed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from graphldp.errors import MissingExtraError

if TYPE_CHECKING:
    from graphldp.learn.engine.one_training import EpochRecord


class Logs:
    """Writes losses and validation accuracy; without a folder, nothing."""

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
