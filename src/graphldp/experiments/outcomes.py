"""What a computation says of one cell, before time, memory and machine are added."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from graphldp.errors import ParameterError
from graphldp.experiments.cells import Cell, Status


@dataclass(frozen=True)
class Outcome:
    """See :class:`graphldp.experiments.cells.Row` for the arguments; ``seconds`` where it knows its share itself."""

    cell: Cell
    status: Status
    numbers: Mapping[str, Any] = field(default_factory=dict)
    note: str = ""
    seconds: float | None = None


def refusal(cell: Cell, error: Exception) -> Outcome:
    """A cell that raised: impossible where its parameters are to blame, else failed and worth another try."""
    status: Status = "impossible" if isinstance(error, ParameterError) else "failed"
    return Outcome(cell, status, note=f"{type(error).__name__}: {error}")
