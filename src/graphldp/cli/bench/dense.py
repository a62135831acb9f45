"""``graphldp bench dense``: how fast dense lists are drawn and kept."""

from __future__ import annotations

from typing import Annotated

import typer

from graphldp.cli.bench.measuring import OutOption, measure
from graphldp.cli.shared import console
from graphldp.cli.shared.source import RootOption

EPILOG = "Example: graphldp bench dense --root data"


def dense(
    root: RootOption = None,
    repeats: Annotated[int, typer.Option(min=1, help="Warm repeats of each measurement; the best counts.")] = 3,
    out: OutOption = None,
    as_json: console.JsonOption = False,
) -> None:
    """Draw RR, whose lists are dense: as bits, as names, and by plain NumPy. Then write and read a file of each form.

    It uses REDDIT-BINARY if this machine has it, and the embedded threads otherwise.
    """
    from graphldp.benchmarks import dense as benchmark

    measure("dense", benchmark.run(root=root, repeats=repeats), out, as_json)
