"""Options that several commands share, declared once."""

from __future__ import annotations

from typing import Annotated

import typer

from graphldp.errors import bad_parameter

SplitOption = Annotated[
    str | None,
    typer.Option(
        "--split",
        help="Shares of training, validation and test graphs, as 0.75,0.10,0.15; the dataset's own unless said.",
    ),
]


def shares(split: str | None, command: str) -> tuple[float, ...] | None:
    """The three shares that a user wrote; None where she wrote none."""
    if split is None:
        return None
    try:
        found = tuple(float(each) for each in split.split(","))
    except ValueError:
        found = ()
    if len(found) != 3:
        raise bad_parameter("split", f"graphldp {command}", "three shares", split)
    return found
