"""``graphldp bench``: how fast, measured here and now, as ratios against named peers in the same run."""

from __future__ import annotations

import typer

from graphldp.cli.bench import dense, nodes, randomize, recipe, train

app = typer.Typer(
    help="Measure speed on this machine, against named peers in the same run.",
    epilog="Example: graphldp bench randomize --root data --out benchmarks/results",
    no_args_is_help=True,
)
app.command(epilog=dense.EPILOG)(dense.dense)
app.command(epilog=nodes.EPILOG)(nodes.nodes)
app.command(epilog=randomize.EPILOG)(randomize.randomize)
app.command(epilog=recipe.EPILOG)(recipe.recipe)
app.command(epilog=train.EPILOG)(train.train)
