"""One large graph with features and a class for each user: the benchmarks of node classification.

``NAME.npz``, in the data root or in its folder ``nodes``, holds ``edges`` (each once, [edges, 2]), the features ``x``
as CSR (``x_indptr``, ``x_indices``, ``x_data``, ``x_shape``) and the classes ``y``. What these documents and pages say
of themselves is public, features and classes alike. The edges are private.
"""

from __future__ import annotations

import struct
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from graphldp.errors import DataError, FormatError
from graphldp.files.archives import grows_too_much
from graphldp.graphs import GraphSet

_PARTS = ("edges", "x_indptr", "x_indices", "x_data", "x_shape", "y")
# All that numpy and zipfile were seen to raise for damaged, encrypted or newer archives.
_DAMAGE = (
    *(ValueError, TypeError, KeyError, OSError, EOFError, MemoryError, NotImplementedError, RuntimeError),
    *(zipfile.BadZipFile, zlib.error, struct.error, SyntaxError),
)


def read(path: Path, name: str) -> GraphSet:
    """Read one graph with its columns.

    Raises:
        FormatError: for a file that is not such a graph, or damaged.
    """
    from scipy import sparse

    parts = _parts(path)
    try:
        shape = tuple(parts["x_shape"].tolist())
        features = sparse.csr_array((parts["x_data"], parts["x_indices"], parts["x_indptr"]), shape=shape)
        features.check_format(full_check=True)
        edges = parts["edges"].reshape(-1, 2)
        proper = edges[:, 0] != edges[:, 1]
        made = GraphSet.from_edges(edges[proper, 0], edges[proper, 1], [len(parts["y"])], name=name)
        return made.with_features(features, public=True).with_node_labels(parts["y"], public=True)
    except (ValueError, TypeError, IndexError) as error:
        why = f" ({error})" if isinstance(error, DataError) else ""
        raise FormatError(f"{path}: damaged{why}.") from None


def _parts(path: Path) -> dict[str, Any]:
    try:
        with zipfile.ZipFile(path) as archive:
            unpacked = sum(each.file_size for each in archive.infolist())
        if grows_too_much(unpacked, path.stat().st_size):
            raise ValueError("packed too well")
        with np.load(path, allow_pickle=False) as arrays:
            return {part: arrays[part] for part in _PARTS}
    except _DAMAGE:
        raise FormatError(f"{path}: not a graph with features and classes, or damaged.") from None
