"""``graphldp datasets fetch``: download what this machine does not have."""

from __future__ import annotations

from typing import Annotated

import typer

from graphldp.cli.shared import console
from graphldp.cli.shared.source import RootOption

EPILOG = "Example: graphldp datasets fetch REDDIT-BINARY github_stargazers --root data"


def fetch(
    names: Annotated[list[str], typer.Argument(help="One or more datasets.", metavar="NAME")],
    root: RootOption = None,
    as_json: console.JsonOption = False,
) -> None:
    """Download datasets that this machine does not have, into --root or, without it, into the cache.

    The address is $GRAPHLDP_TU_URL, by default the public TU collection. A checksum is kept beside each archive, and
    an archive that has changed since is an error.
    """
    from graphldp.datasets import loading
    from graphldp.datasets.places import locate
    from graphldp.datasets.registry import check_name

    for name in names:
        check_name(name, "graphldp datasets fetch")
    rows = []
    for name in names:
        found = locate(name, root)
        path = found.path if found else loading.fetch(name, root)
        loading.checked_digest(path, name)
        rows.append({"name": name, "fetched": found is None, "path": str(path)})
    console.show(rows, as_json=as_json)
