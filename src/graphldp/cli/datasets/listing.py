"""``graphldp datasets list``: what there is, and where."""

from __future__ import annotations

from graphldp.cli.shared import console
from graphldp.cli.shared.source import RootOption

EPILOG = "Example: graphldp datasets list --root data"


def list_(root: RootOption = None, as_json: console.JsonOption = False) -> None:
    """List the known datasets, and where each is: root, $GRAPHLDP_DATA, cache or not here.

    The numbers are the published ones. Any other name of the TU collection works as well.
    """
    from graphldp.datasets.loading import locate
    from graphldp.datasets.registry import KNOWN

    rows = []
    for name, entry in KNOWN.items():
        found = locate(name, root)
        rows.append(
            {
                "name": name,
                "classes": entry.classes,
                "graphs": entry.graphs,
                "nodes_mean": entry.nodes_mean,
                "where": found.place if found else "not here",
            }
        )
    console.show(rows, as_json=as_json)
