"""``graphldp dataset``: what there is, what it looks like, and how to get it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graphldp.cli.shared import console
from graphldp.cli.shared.options import RootOption, datasets
from graphldp.errors import bad_parameter

if TYPE_CHECKING:
    from graphldp.graphs import GraphSet

app = typer.Typer()
EPILOG = """Examples:
graphldp dataset
graphldp dataset REDDIT-BINARY IMDB-BINARY --fetch
graphldp dataset REDDIT-BINARY --root data
"""


@app.command(epilog=EPILOG)
def dataset(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            help="The dataset or file to describe, or several to fetch.", metavar="[NAME]...", autocompletion=datasets
        ),
    ] = None,
    fetch: Annotated[bool, typer.Option("--fetch", help="Download those that this machine does not have.")] = False,
    root: RootOption = None,
    as_json: console.JsonOption = False,
) -> None:
    """List the known datasets, describe one, or download some.

    The list says where each is: root, $GRAPHLDP_DATA, cache or not here. Its numbers are the published ones. Any other
    name of the TU collection works as well. A description has the statistics of the paper's Table 2, counted, and
    degrees; it downloads nothing.

    Downloads go into --root or, without it, into the cache. They come from $GRAPHLDP_TU_URL, by default the public TU
    collection. A checksum is kept beside each archive, and an archive that has changed since is an error.
    """
    if fetch:
        _fetch(names or [], root, as_json)
    elif not names:
        _list(root, as_json)
    elif len(names) == 1:
        _describe(names[0], root, as_json)
    else:
        raise bad_parameter("name", "graphldp dataset", "one, or several with --fetch", " ".join(names))


def _list(root: Path | None, as_json: bool) -> None:
    """Show the known datasets."""
    from graphldp.datasets.registry import KNOWN, NODE_DATASETS, locate

    shown = {name: (entry.classes, entry.graphs, entry.nodes_mean) for name, entry in KNOWN.items()}
    shown |= {name: (entry.classes, 1, float(entry.users)) for name, entry in NODE_DATASETS.items()}
    rows = []
    for name, (classes, graphs, nodes_mean) in shown.items():
        found = locate(name, root)
        where = found.place if found else "not here"
        rows.append({"name": name, "classes": classes, "graphs": graphs, "nodes_mean": nodes_mean, "where": where})
    console.show(rows, as_json=as_json)


def _describe(name: str, root: Path | None, as_json: bool) -> None:
    """Describe a dataset that is on this machine."""
    from graphldp.datasets.loading import FILES, load_dataset, read_graphs
    from graphldp.datasets.registry import KNOWN, NODE_DATASETS, locate

    given = name.endswith(FILES)
    graphs = read_graphs(name) if given else load_dataset(name, root, download=False)
    found, entry = None if given else locate(name, root), KNOWN.get(name)
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


def _fetch(names: list[str], root: Path | None, as_json: bool) -> None:
    """Download what is not here."""
    from graphldp.datasets import loading
    from graphldp.datasets.registry import check_name, locate

    if not names:
        raise bad_parameter("name", "graphldp dataset --fetch", "given", None)
    for name in names:
        check_name(name, "graphldp dataset")
    rows = []
    for name in names:
        found = locate(name, root)
        path = found.path if found else loading.fetch(name, root)
        loading.checked_digest(path, name)
        rows.append({"name": name, "fetched": found is None, "path": str(path)})
    console.show(rows, as_json=as_json)
