"""One large graph with features and a class for each user: the benchmarks of node classification.

``NAME.npz``, in the data root or in its folder ``nodes``, holds ``edges`` (each once, [edges, 2]), the features ``x``
as CSR (``x_indptr``, ``x_indices``, ``x_data``, ``x_shape``) and the classes ``y``. What these documents and pages say
of themselves is public, features and classes alike. The edges are private.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from graphldp.errors import DataError, FormatError
from graphldp.files.archives import read_arrays
from graphldp.graphs import GraphSet
from graphldp.neighbour_lists.attributes import Attributes

_PARTS = ("edges", "x_indptr", "x_indices", "x_data", "x_shape", "y")


def read(path: Path, name: str) -> GraphSet:
    """Read one graph with its columns.

    Raises:
        FormatError: for a file that is not such a graph, or damaged.
    """
    parts = read_arrays(path, "a graph with features and classes", *_PARTS, packed=True)
    try:
        held = {f"features_{name.removeprefix('x_')}": parts[name] for name in _PARTS if name.startswith("x_")}
        columns = Attributes.restored(
            held | {"node_labels": parts["y"], "public_features": True, "public_labels": True}
        )
        edges = parts["edges"].reshape(-1, 2)
        proper = edges[:, 0] != edges[:, 1]
        made = GraphSet.from_edges(edges[proper, 0], edges[proper, 1], [len(parts["y"])], name=name)
        return replace(made, attributes=columns, trusted=True)
    except ValueError as error:
        why = f" ({error})" if isinstance(error, DataError) else ""
        raise FormatError(f"{path}: damaged{why}.") from None
