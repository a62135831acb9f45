"""``graphldp bench recipe``: how fast the recipe learns."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from graphldp.cli.bench.measuring import OutOption, measure
from graphldp.cli.shared import console
from graphldp.cli.shared.source import RootOption, need_learn

EPILOG = "Example: graphldp bench recipe --root data --out benchmarks/results"


def recipe(root: RootOption = None, out: OutOption = None, as_json: console.JsonOption = False) -> None:
    """Fit and score the recipe at ε = 1 on a dataset, and on 2,000, 20,000 and 200,000 graphs of 25 users.

    It uses REDDIT-BINARY if this machine has it, and the embedded threads otherwise. It shows seconds, peak memory, and
    where the time of a fit goes.
    """
    need_learn("bench recipe")
    from graphldp.benchmarks import recipe as benchmark

    def picture(rows: list[dict[str, Any]], folder: Path) -> None:
        from graphldp.pages.speed import plot_recipe

        plot_recipe(rows[1:], folder / "recipe.svg")

    measure("recipe", benchmark.run(root=root), out, as_json, picture)
