"""The outcome of one cell, before time, memory and machine are added to it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from graphldp.errors import ParameterError
from graphldp.experiments.cells import Cell, Status
from graphldp.learn.metrics import Scores

if TYPE_CHECKING:
    from graphldp.learn.fitting import Fitted
    from graphldp.learn.nodes.classifier import NodeClassifier
    from graphldp.learn.tables.tabular import TableClassifier


@dataclass(frozen=True)
class CellOutcome:
    """See :class:`graphldp.experiments.cells.Row` for the arguments.

    Args:
        seconds: where it knows its share itself.
        model: what was fitted; no part of the row.
    """

    cell: Cell
    status: Status
    numbers: Mapping[str, Any] = field(default_factory=dict)
    note: str = ""
    seconds: float | None = None
    model: Fitted | TableClassifier | NodeClassifier | None = None


def refusal(cell: Cell, error: Exception) -> CellOutcome:
    """A cell that raised: impossible where its parameters are to blame, else failed and worth another try."""
    status: Status = "impossible" if isinstance(error, ParameterError) else "failed"
    return CellOutcome(cell, status, note=f"{type(error).__name__}: {error}")


def scored(scores: Scores, classes: NDArray[Any]) -> dict[str, Any]:
    """What a row keeps of some scores; JSON knows no NaN, which is the AUC where a class is absent."""
    return {
        "accuracy": scores.accuracy,
        "auc": None if math.isnan(scores.auc) else scores.auc,
        "classes": classes.tolist(),
        "confusion": scores.confusion.tolist(),
    }
