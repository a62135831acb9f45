"""``graphldp bench train``: how fast a network learns."""

from __future__ import annotations

from typing import Annotated

import typer

from graphldp.cli.bench.measuring import OutOption, measure
from graphldp.cli.shared import console
from graphldp.cli.shared.source import RootOption, need_learn

EPILOG = "Example: graphldp bench train --root data --out benchmarks/results"


def train(
    root: RootOption = None,
    threads: Annotated[int, typer.Option(min=1, help="Threads of each method, beside a single one.")] = 2,
    rounds: Annotated[int, typer.Option(min=1, help="At most so many timed epochs of each; the fastest counts.")] = 5,
    limit: Annotated[float, typer.Option(min=0, help="Seconds for each set of graphs and number of threads.")] = 30.0,
    out: OutOption = None,
    as_json: console.JsonOption = False,
) -> None:
    """Train a GIN on raw, DPRR and RR graphs, against torch_geometric and dense blocks: seconds per epoch, peak memory.

    It uses REDDIT-BINARY if this machine has it, and the embedded threads otherwise. If it has IMDB-BINARY, small
    graphs are measured too. Each is measured with one thread and with several. One round is measured even if it takes
    longer than the limit. For several trainings at once on a GPU, run python -m graphldp.benchmarks.stacked.
    """
    need_learn("bench train")  # what is timed runs in processes of its own, after minutes of drawing
    from graphldp.benchmarks import training as benchmark

    measure("training", benchmark.run(root=root, threads=threads, rounds=rounds, limit=limit), out, as_json)
