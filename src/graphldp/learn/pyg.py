"""To and from PyTorch Geometric, and private edges inside one of its pipelines.

Messages flow from ``edge_index[0]`` to ``edge_index[1]``, and node i aggregates over its own list (m_i = Σ_j ã_ij h_j),
so an entry j of user i's list is the edge (j, i).
"""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch_geometric.data import Data
from torch_geometric.transforms import BaseTransform

from graphldp.errors import DataError, GraphLDPError, bad_parameter
from graphldp.graphs import GraphSet
from graphldp.labels import NO_LABEL
from graphldp.learn.once import DrawnOnce
from graphldp.neighbour_lists import NeighbourLists

if TYPE_CHECKING:
    from graphldp.mechanisms import Mechanism

__all__ = ["Randomize"]  # the rest serves GraphSet and Reports

_KEPT = ("edge_index", "num_nodes", "x", "y", "node_y", "group")


def edges_of(data: Sequence[Data]) -> dict[str, Any]:
    """The arguments of :meth:`graphldp.GraphSet.from_edges` that describe these graphs; self-loops go."""
    sizes = [_num_nodes(each) for each in data]
    starts = np.concatenate(([0], np.cumsum(sizes)))
    pairs = [_edge_index(each) + start for each, start in zip(data, starts, strict=False)]
    target, source = np.concatenate(pairs, axis=1) if pairs else np.zeros((2, 0), np.int64)
    kept = source != target
    return {"source": source[kept], "target": target[kept], "sizes": sizes, "labels": _labels(data)}


def refuse_features(data: Sequence[Data], ignore: Collection[str] = ()) -> None:
    """Refuse graphs that hold more than a set keeps, naming what would be lost."""
    lost = {key for each in data for key in each.to_dict()} - {*_KEPT, *ignore}
    if lost:
        raise DataError(
            f"A GraphSet keeps edges, labels, x and group alone, and these Data objects also hold "
            f"{', '.join(sorted(lost))}: name it in ignore to leave it out, or pass drop_features=True."
        )


def columns_of(data: Sequence[Data], ignore: Collection[str] = ()) -> dict[str, Any]:
    """What is known of the nodes: features, labels and groups, those that are there and are not to be ignored."""
    of_nodes = {"x": "features", label_key(data): "node_labels", "group": "groups"}
    found: dict[str, Any] = {}
    for key, column in of_nodes.items():
        given = [getattr(each, key, None) for each in data]
        if key in ignore or all(each is None for each in given):
            continue
        if any(each is None for each in given):
            raise DataError(f"Every Data object must hold {key}, or none of them.")
        found[column] = _stacked(given, key)
    return found


def label_key(data: Sequence[Data]) -> str:
    """Where the nodes' labels are: in ``y``, unless that holds those of the graphs."""
    return "y" if _labels_nodes(data) else "node_y"


_PER_USER = {
    "noisy_degree": np.float32,
    "missing": np.bool_,
    "noisy_features": np.float32,
    "noisy_labels": np.int64,
    "friend_counts": np.float32,
}


def to_data(lists: NeighbourLists) -> list[Data]:
    """One ``Data`` per graph: ``edge_index``, ``num_nodes``, and ``y``, ``noisy_degree``, ``missing`` where known.

    ``x`` are the features, sparse where they are, and ``group`` the public groups; ``noisy_features`` and
    ``noisy_labels`` are what users told of their private columns, ``friend_counts`` their friends by group. Nodes'
    labels are ``y`` where the graphs themselves have none, else ``node_y``; a label that is not known is −1.
    """
    owner = np.repeat(lists.local_users, lists.degrees)
    edges = torch.from_numpy(np.stack((lists.indices.astype(np.int64), owner)))
    per_user = {}
    for name, dtype in _PER_USER.items():
        if (values := getattr(lists, name, None)) is not None:
            per_user[name] = torch.from_numpy(np.array(values, dtype=dtype))
    if lists.node_labels is not None:
        shown = np.where(lists.node_labels == NO_LABEL, -1, lists.node_labels)
        per_user["y" if lists.labels is None else "node_y"] = torch.from_numpy(shown)
    if lists.groups is not None:
        per_user["group"] = torch.from_numpy(lists.groups.copy())
    made = []
    for graph, (start, stop) in enumerate(zip(lists.graph_ptr[:-1], lists.graph_ptr[1:], strict=True)):
        more: dict[str, Any] = {name: values[start:stop] for name, values in per_user.items()}
        if lists.labels is not None and lists.labels[graph] != NO_LABEL:
            more["y"] = torch.tensor([int(lists.labels[graph])])
        if lists.features is not None:
            more["x"] = _tensor(lists.features[start:stop])
        span = edges[:, lists.indptr[start] : lists.indptr[stop]].clone()
        made.append(Data(edge_index=span, num_nodes=int(stop - start), **more))
    return made


class Randomize(BaseTransform):
    """Replace each graph's edges by what its users would report.

    For use as ``pre_transform``, where every graph passes once and the reports are what is stored::

        private = gl.pyg.Randomize(gl.DPRR(epsilon=1.0, n_max=3782), seed=0)
        dataset = TUDataset("data", "REDDIT-BINARY", pre_transform=private)

    The result has the noisy ``edge_index``, ``noisy_degree`` where the mechanism releases d*, and the ``x``, ``y`` and
    ``num_nodes`` of the original. Nothing else passes, since any other attribute (edge weights, a stored adjacency,
    positional encodings) may tell of true edges; if ``x`` was made from the edges, remove it first. ``x`` and ``y``
    pass as public ones: whatever of them is private has to be removed too.

    Noise is keyed by (seed, position): the first graph that passes is graph 0. k draws of one graph cost k·ε, so a
    second draw is an error, as when this is a ``transform=``, which runs at every access.
    :mod:`graphldp.learn.once` says how that is told; drawing in another process (a loader's worker), where it
    could not be told, is an error too.

    Args:
        mechanism: how users randomize their lists. Give it ``n_max`` where its budget depends on the largest graph,
            which a transform that sees one graph at a time cannot know.
        seed: of the noise.
        directed: keep directions; an edge (j, i) then stands in i's list only.
    """

    def __init__(self, mechanism: Mechanism, seed: int = 0, *, directed: bool = False) -> None:
        if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
            raise bad_parameter("seed", "Randomize", "a whole number ≥ 0", seed)
        if np.ndim(mechanism.epsilon):
            raise bad_parameter("mechanism", "Randomize", "given one epsilon for every user", "one for each user")
        by_size = getattr(mechanism, "allocation", None) in ("paper", "utility")
        if by_size and getattr(mechanism, "n_max", 0) is None:
            raise bad_parameter(
                "mechanism", "Randomize", "given n_max, the public size of the largest graph", mechanism
            )
        self.mechanism = mechanism
        self.seed = int(seed)
        self.directed = directed
        self._position = 0
        self._drawn = DrawnOnce()
        self._process = os.getpid()

    def __call__(self, data: Any) -> Any:
        """Draw the graph's reports; ``data`` itself is left as it is."""
        return self.forward(data)

    def forward(self, data: Any) -> Any:
        """Draw the graph's reports."""
        if not isinstance(data, Data):
            raise bad_parameter("data", "Randomize", "a Data object with one graph", type(data).__name__)
        if os.getpid() != self._process:
            raise GraphLDPError(
                "Randomize draws in the process that made it only, since elsewhere a second draw would go unseen. "
                "Use it as pre_transform, or load with num_workers=0."
            )
        edges = edges_of([data])
        edges["labels"] = None
        graph = GraphSet.from_edges(**edges, directed=self.directed)
        tensors = [value for value in data.to_dict().values() if isinstance(value, torch.Tensor)]
        self._drawn.check_in(tensors, graph)
        reports = self.mechanism.randomize(
            replace(graph, graph_ids=np.array([self._position], np.int64)), rng=self.seed
        )
        self._position += 1
        noisy = to_data(reports)[0]
        # copies: were x or y shared, keeping the result would keep the raw graph's tensors alive (see once.py)
        for name in ("x", "y"):
            value = getattr(data, name)
            if value is not None:
                setattr(noisy, name, value.clone() if isinstance(value, torch.Tensor) else value)
        return noisy

    def __repr__(self) -> str:
        # PyG keeps this text beside the stored dataset and warns when another transform is asked for
        more = ", directed=True" if self.directed else ""
        return f"Randomize({self.mechanism!r}, seed={self.seed}{more})"


def _num_nodes(data: Data) -> int:
    if data.num_nodes is None:
        raise DataError("A Data object must tell its num_nodes.")
    return int(data.num_nodes)


def _edge_index(data: Data) -> NDArray[np.int64]:
    if data.edge_index is None:
        raise DataError("A Data object must hold its edges as edge_index.")
    pairs: NDArray[np.int64] = data.edge_index.detach().cpu().numpy().astype(np.int64)
    if pairs.ndim != 2 or len(pairs) != 2:
        raise DataError(f"edge_index must have shape [2, edges]. Got {pairs.shape} instead.")
    if pairs.size and not (pairs.min() >= 0 and pairs.max() < _num_nodes(data)):
        raise DataError(f"edge_index must name nodes 0 to {_num_nodes(data) - 1} only.")
    return pairs


def _tensor(features: Any) -> torch.Tensor:
    if isinstance(features, np.ndarray):
        return torch.from_numpy(features.astype(np.float32))
    entries = features.tocoo()
    places = torch.from_numpy(np.stack(entries.coords).astype(np.int64))
    values = torch.from_numpy(entries.data.astype(np.float32))
    return torch.sparse_coo_tensor(places, values, entries.shape, check_invariants=True).coalesce()


def _stacked(given: Sequence[Any], key: str) -> Any:
    """One column of all nodes, sparse where it comes so."""
    if any(isinstance(each, torch.Tensor) and each.layout != torch.strided for each in given):
        from scipy import sparse

        coordinates = [each.detach().cpu().to_sparse_coo().coalesce() for each in given]
        parts = [
            sparse.csr_array((each.values().numpy(), tuple(each.indices().numpy())), shape=tuple(each.shape))
            for each in coordinates
        ]
        return sparse.vstack(parts, format="csr")
    arrays = [np.asarray(each.detach().cpu() if isinstance(each, torch.Tensor) else each) for each in given]
    try:
        return np.concatenate(arrays)
    except ValueError:
        raise DataError(f"{key} must have the same number of columns in every Data object.") from None


def _labels_nodes(data: Sequence[Data]) -> bool:
    """Whether y holds a label for each node, as for node classification, and not one for the graph."""
    sizes = [None if each.y is None else np.size(np.asarray(each.y)) for each in data]
    whole = all(size == each.num_nodes for size, each in zip(sizes, data, strict=True))
    return bool(sizes) and whole and any(size != 1 for size in sizes)


def _labels(data: Sequence[Data]) -> NDArray[np.int64] | None:
    given = [each.y for each in data]
    if all(y is None for y in given) or _labels_nodes(data):
        return None
    flat = [np.zeros(0) if y is None else np.atleast_1d(np.asarray(y)).ravel() for y in given]
    if any(len(y) != 1 for y in flat):
        raise DataError("Every Data object must have one label in y, or none may have any.")
    labels = np.concatenate(flat)
    if (labels != np.round(labels)).any():
        raise DataError("Graph labels must be whole numbers.")
    return labels.astype(np.int64)
