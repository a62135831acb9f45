"""Find a dataset's files and read them."""

from __future__ import annotations

import os
from pathlib import Path

from graphldp.datasets import tu
from graphldp.errors import DatasetNotFoundError
from graphldp.graphs import GraphSet


def load_dataset(name: str, root: str | os.PathLike[str] | None = None, *, download: bool = True) -> GraphSet:
    """Load a dataset of the TU collection."""
    roots = [Path(r) for r in (root, os.environ.get("GRAPHLDP_DATA")) if r]
    for folder in roots:
        for path in (folder / f"{name}.zip", folder / name):
            if path.exists():
                return tu.read(path, name)
    raise DatasetNotFoundError(f"No dataset {name}.")
