"""``graphldp datasets list``: what there is, and where."""

from __future__ import annotations

from graphldp.cli.shared import console
from graphldp.cli.shared.source import RootOption

EPILOG = "Example: graphldp datasets list --root data"


def list_(root: RootOption = None, as_json: console.JsonOption = False) -> None:
    """List the known datasets, and where each is: root, $GRAPHLDP_DATA, cache or not here.

    The numbers are the published ones. Any other name of the TU collection works as well.
    """
    from graphldp.datasets.places import locate
    from graphldp.datasets.registry import KNOWN, NODE_DATASETS

    shown = {name: (entry.classes, entry.graphs, entry.nodes_mean) for name, entry in KNOWN.items()}
    shown |= {name: (entry.classes, 1, float(entry.users)) for name, entry in NODE_DATASETS.items()}
    rows = []
    for name, (classes, graphs, nodes_mean) in shown.items():
        found = locate(name, root)
        where = found.place if found else "not here"
        rows.append({"name": name, "classes": classes, "graphs": graphs, "nodes_mean": nodes_mean, "where": where})
    console.show(rows, as_json=as_json)
