"""``graphldp datasets show``: what a dataset looks like."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from graphldp.cli.shared import console
from graphldp.cli.shared.source import RootOption

if TYPE_CHECKING:
    from graphldp.graphs import GraphSet

EPILOG = "Example: graphldp datasets show REDDIT-BINARY --root data"


def show(
    name: Annotated[str, typer.Argument(help="The dataset's name, such as REDDIT-BINARY.")],
    root: RootOption = None,
    as_json: console.JsonOption = False,
) -> None:
    """Describe a dataset that is on this machine: the statistics of the paper's Table 2, counted, and its degrees.

    Nothing is downloaded; 'graphldp datasets fetch NAME' does that.
    """
    from graphldp.datasets import load_dataset
    from graphldp.datasets.places import locate
    from graphldp.datasets.registry import KNOWN, NODE_DATASETS

    graphs = load_dataset(name, root, download=False)
    found, entry = locate(name, root), KNOWN.get(name)
    described = entry or NODE_DATASETS.get(name)
    row: dict[str, Any] = {"name": name, "about": described.about if described else None}
    row |= graphs.statistics()
    row["split"] = list(entry.split) if entry and entry.split else None
    row["from"] = str(found.path) if found else None
    degrees = _degree_bins(graphs)
    if as_json:
        console.show_one(row | {"degrees": degrees}, as_json=True)
        return
    console.show_one(row, as_json=False)
    console.out.print("\n[bold]degrees[/bold], users of each (the bar is logarithmic)")
    console.out.print(_sketch(degrees), highlight=False)


def _degree_bins(graphs: GraphSet) -> list[dict[str, int]]:
    """Users by degree, in bins 0, 1, 2–3, 4–7, 8–15 and so on."""
    import numpy as np

    exponent = np.frexp(graphs.degrees.astype(np.float64))[1]  # d in [2^(e−1), 2^e), and 0 for d = 0
    counts = np.bincount(exponent, minlength=1).tolist()
    return [{"from": (1 << e) >> 1, "to": max((1 << e) - 1, 0), "users": count} for e, count in enumerate(counts)]


def _sketch(bins: list[dict[str, int]], width: int = 40) -> str:
    from math import log

    top = log(1 + max(each["users"] for each in bins))
    lines = []
    for each in bins:
        span = f"{each['from']:,}" if each["from"] == each["to"] else f"{each['from']:,}–{each['to']:,}"
        bar = "█" * round(width * log(1 + each["users"]) / top) if top else ""
        lines.append(f"{span:>13} {each['users']:>11,} {bar}")
    return "\n".join(lines)
