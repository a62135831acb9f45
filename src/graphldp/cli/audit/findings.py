"""What audits share: how much they draw, and how they end."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from graphldp.cli.shared import console

if TYPE_CHECKING:
    from graphldp.audit.finding import Finding

SamplesOption = Annotated[int, typer.Option("--samples", min=100, help="How many reports to draw for each list.")]


def conclude(findings: list[Finding], *, as_json: bool) -> None:
    """Print what was found; exit code 1 where a promise is not kept."""
    rows = [asdict(finding) for finding in findings]
    for row in rows:
        row |= {key: str(row[key]) for key in ("claimed", "shown") if math.isinf(row[key])}  # JSON has no infinity
    console.show(rows, as_json=as_json)
    if not all(finding.holds for finding in findings):
        raise typer.Exit(1)
