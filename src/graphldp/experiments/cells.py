"""A cell: one independent piece of work, known by a hash of what it computes.

Two experiments that need the same number share one cell: a cell says what is computed, never for which figure. Raise
:data:`RESULTS_VERSION` when the same cell would now give other numbers, and old results files are refused. Another
order of summation on a GPU does not count: rounding differs between chips too.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, get_args

from graphldp.errors import FormatError, GraphLDPError, ParameterError

RESULTS_VERSION = 1

Status = Literal["done", "impossible", "too-large", "failed"]
STATUSES: tuple[str, ...] = get_args(Status)
SETTLED = ("done", "impossible")  # the others are worth another try: on a larger machine, or after a repair


class TooLargeError(GraphLDPError):
    """A piece of work that would not fit into memory, and was not tried."""


@dataclass(frozen=True)
class Cell:
    """A cell: one piece of work.

    Args:
        kind: which function computes it, a key of :data:`graphldp.experiments.compute.KINDS`.
        text: its parameters as canonical JSON; :meth:`of` writes it.
    """

    kind: str
    text: str

    @classmethod
    def of(cls, kind: str, **params: Any) -> Cell:
        """A cell from parameters that JSON can hold."""
        return cls(kind, canonical(params))

    @property
    def cell(self) -> Cell:
        """Itself: what is planned is a cell, or a trial, which has one."""
        return self

    @cached_property
    def params(self) -> dict[str, Any]:
        """The parameters of what is computed."""
        loaded: dict[str, Any] = json.loads(self.text)
        return loaded

    @cached_property
    def id(self) -> str:
        """Twenty hexadecimal digits of the SHA-256 of version, kind and parameters."""
        content = f"{RESULTS_VERSION}\n{self.kind}\n{self.text}"
        return hashlib.sha256(content.encode()).hexdigest()[:20]

    def __str__(self) -> str:
        return f"{self.kind} {self.text}"


@dataclass(frozen=True)
class Row:
    """A row: the result of a cell.

    Args:
        cell: which one.
        status: ``"done"``; ``"impossible"``, where the parameters contradict each other (ε too small for the split);
            ``"too-large"``, where it would not have fitted into memory and was not tried; or ``"failed"``.
        numbers: what came out.
        seconds: how long it took; of cells that ran as one computation, each has its share. 0 where that is not known.
        peak_memory: the largest memory of the process meanwhile, in bytes; of the GPU where there is one.
        machine: what it ran on.
        note: why it is not done.
        model: what was fitted, while it is in memory; it is kept nowhere.
    """

    cell: Cell
    status: Status
    numbers: Mapping[str, Any] = field(default_factory=dict)
    seconds: float = 0.0
    peak_memory: int = 0
    machine: Mapping[str, Any] = field(default_factory=dict)
    note: str = ""
    model: Any = field(default=None, compare=False, repr=False)

    @classmethod
    def refused(cls, cell: Cell, error: Exception) -> Row:
        """A cell that raised: too large, impossible where its parameters are to blame, else failed."""
        if isinstance(error, TooLargeError):
            return cls(cell, "too-large", note=str(error))
        status: Status = "impossible" if isinstance(error, ParameterError) else "failed"
        return cls(cell, status, note=f"{type(error).__name__}: {error}")

    def to_json(self) -> str:
        """The row as one line of JSON."""
        return canonical(
            {
                "version": RESULTS_VERSION,
                "kind": self.cell.kind,
                "params": self.cell.params,
                "status": self.status,
                "numbers": self.numbers,
                "seconds": self.seconds,
                "peak_memory": self.peak_memory,
                "machine": self.machine,
                "note": self.note,
            }
        )

    @classmethod
    def from_json(cls, line: str, where: str) -> Row:
        """Read a line of :meth:`to_json`.

        Args:
            line: the text.
            where: file and line, for messages.
        """
        try:
            found = json.loads(line)
            version, status = found["version"], found["status"]
            values = [found[name] for name in ("numbers", "seconds", "peak_memory", "machine", "note")]
            cell = Cell.of(found["kind"], **found["params"])
        except (KeyError, RecursionError, TypeError, ValueError):
            raise FormatError(f"{where}: not a row of results.") from None
        if version != RESULTS_VERSION:
            raise FormatError(
                f"{where}: results of version {version}; this graphldp computes version {RESULTS_VERSION}."
            )
        if status not in STATUSES:
            raise FormatError(f"{where}: a row's status must be one of {', '.join(STATUSES)}.")
        return cls(cell, status, *values)


def canonical(value: Any) -> str:
    """JSON with sorted keys: the same text for the same content."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
