"""``graphldp bench randomize``: how fast lists are drawn."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from graphldp.cli.bench.measuring import OutOption, measure
from graphldp.cli.shared import console
from graphldp.cli.shared.source import RootOption

EPILOG = "Example: graphldp bench randomize --root data --quick"


def randomize(
    root: RootOption = None,
    repeats: Annotated[int, typer.Option(min=1, help="Warm repeats of each measurement; the best counts.")] = 5,
    quick: Annotated[
        bool, typer.Option("--quick", help="Leave out Orkut's size, which takes a minute and 4 GB.")
    ] = False,
    out: OutOption = None,
    as_json: console.JsonOption = False,
) -> None:
    """Draw DPRR reports at growing sizes: seconds, neighbours a second, peak memory, and the ratio to dense NumPy.

    It uses REDDIT-BINARY if this machine has it, and the embedded threads otherwise.
    """
    from graphldp.benchmarks import randomize as benchmark

    def picture(rows: list[dict[str, Any]], folder: Path) -> None:
        from graphldp.pages.speed import plot_randomize

        plot_randomize(rows, folder / "randomize.svg")

    measure("randomize", benchmark.run(root=root, repeats=repeats, orkut=not quick), out, as_json, picture)
