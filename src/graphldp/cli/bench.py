"""``graphldp bench``: how fast, measured here and now, as ratios against named peers in the same run."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from graphldp.cli.datasets import RootOption
from graphldp.cli.shared import console
from graphldp.cli.shared.source import need_learn
from graphldp.files import written_whole

app = typer.Typer(
    help="Measure speed on this machine, against named peers in the same run.",
    epilog="Example: graphldp bench randomize --root data --out benchmarks/results",
    no_args_is_help=True,
)
OutOption = Annotated[
    Path | None, typer.Option("--out", "-o", help="A folder for the numbers (JSON) and the picture.", metavar="FOLDER")
]


@app.command(epilog="Example: graphldp bench randomize --root data --quick")
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

    REDDIT-BINARY is used where it is at hand, the embedded threads otherwise.
    """
    from graphldp.benchmarks import randomize as benchmark

    def picture(rows: list[dict[str, Any]], folder: Path) -> None:
        from graphldp.pages.speed import plot_randomize

        plot_randomize(rows, folder / "randomize.svg")

    _measure("randomize", benchmark.run(root=root, repeats=repeats, orkut=not quick), out, as_json, picture)


@app.command(epilog="Example: graphldp bench train --root data --out benchmarks/results")
def train(
    root: RootOption = None,
    threads: Annotated[int, typer.Option(min=1, help="Threads of each method.")] = 2,
    rounds: Annotated[int, typer.Option(min=1, help="Timed epochs of each; the fastest counts.")] = 5,
    out: OutOption = None,
    as_json: console.JsonOption = False,
) -> None:
    """Train a GIN on raw, DPRR and RR graphs, against torch_geometric and dense blocks: seconds per epoch, peak memory.

    REDDIT-BINARY is used where it is at hand, the embedded threads otherwise. For several trainings at once on a GPU:
    python -m graphldp.benchmarks.stacked.
    """
    need_learn("bench train")  # what is timed runs in processes of its own, after minutes of drawing
    from graphldp.benchmarks import training as benchmark

    _measure("training", benchmark.run(root=root, threads=threads, rounds=rounds), out, as_json)


_LEFT_OUT = ("users", "entries_in", "ns_per_entry", "dense_seconds")  # of the table, which is wide; JSON has all


def _measure(
    name: str,
    measured: Iterator[dict[str, Any]],
    out: Path | None,
    as_json: bool,
    picture: Callable[[list[dict[str, Any]], Path], None] | None = None,
) -> None:
    from graphldp.benchmarks.randomize import machine

    rows: list[dict[str, Any]] = []
    with console.err.status("measuring") as status:
        for row in measured:
            rows.append(row)
            status.update(f"measured {len(rows)}: {next(iter(row.values()))}")
    found = {"machine": machine(), "rows": rows}
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
        with written_whole(out / f"{name}.json") as file:
            file.write((json.dumps(found, indent=2, ensure_ascii=False) + "\n").encode())
        if picture is not None:
            picture(rows, out)
    if as_json:
        console.show_one(found, as_json=True)
        return
    keys = list(dict.fromkeys(key for row in rows for key in row if key not in _LEFT_OUT))
    console.show([{key: row.get(key) for key in keys} for row in rows], as_json=False)
    console.show_one(machine(), as_json=False)
