"""``graphldp bench``: how fast, measured here and now, as ratios against named peers in the same run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from graphldp.cli import console
from graphldp.cli.datasets import RootOption
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

    rows: list[dict[str, Any]] = []
    with console.err.status("measuring") as status:
        for row in benchmark.run(root=root, repeats=repeats, orkut=not quick):
            rows.append(row)
            status.update(f"measured: {row['what']}")
    machine = benchmark.machine()
    if out is not None:
        from graphldp.reporting.speed import plot_randomize

        out.mkdir(parents=True, exist_ok=True)
        with written_whole(out / "randomize.json") as file:
            file.write(json.dumps({"machine": machine, "rows": rows}, indent=2, ensure_ascii=False).encode())
        plot_randomize(rows, out / "randomize.svg")
    if as_json:
        console.show_one({"machine": machine, "rows": rows}, as_json=True)
        return
    keys = list(dict.fromkeys(key for row in rows for key in row))
    console.show([{key: row.get(key) for key in keys} for row in rows], as_json=False)
    console.show_one(machine, as_json=False)
