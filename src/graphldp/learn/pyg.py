"""To and from PyTorch Geometric, and private edges inside one of its pipelines.

Messages flow from ``edge_index[0]`` to ``edge_index[1]``, and node i aggregates over its own list (m_i = Σ_j ã_ij h_j),
so an entry j of user i's list is the edge (j, i).
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch_geometric.data import Batch, Data, Dataset
from torch_geometric.transforms import BaseTransform

from graphldp.errors import DataError, Described, GraphLDPError, bad_parameter, check_whole
from graphldp.graphs import GraphSet
from graphldp.learn.once import DrawnOnce
from graphldp.neighbour_lists import NeighbourLists
from graphldp.neighbour_lists.labels import NO_LABEL
from graphldp.reports import Reports

if TYPE_CHECKING:
    from graphldp.mechanisms import Mechanism

__all__ = ["Randomize"]  # the rest serves GraphSet and Reports

_PUBLIC = ("x", "y", "pos", "node_y", "group")
_KEPT = ("edge_index", "num_nodes", "x", "y", "node_y", "group")


def is_graph(given: object) -> bool:
    """Whether something is one graph, and no batch of some."""
    return isinstance(given, Data) and not isinstance(given, Batch)


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


def _told(reports: Reports) -> dict[str, Any]:
    """What users told, by its name in ``Data``; None for what they did not."""
    numbers = {
        "noisy_degree": reports.noisy_degree,
        "noisy_features": reports.columns.features,
        "friend_counts": reports.friend_counts,
    }
    told = {name: None if each is None else each.astype(np.float32) for name, each in numbers.items()}
    return told | {"missing": reports.missing, "noisy_labels": reports.columns.labels}


def to_data(lists: NeighbourLists) -> list[Data]:
    """One ``Data`` per graph: ``edge_index``, ``num_nodes``, and ``y``, ``noisy_degree``, ``missing`` where known.

    ``x`` are the features, sparse where they are, and ``group`` the public groups; ``noisy_features`` and
    ``noisy_labels`` are what users told of their private columns, ``friend_counts`` their friends by group. Nodes'
    labels are ``y`` where the graphs themselves have none, else ``node_y``; a label that is not known is −1.
    """
    owner = np.repeat(lists.local_users, lists.degrees)
    edges = torch.from_numpy(np.stack((lists.indices.astype(np.int64), owner)))
    told = _told(lists) if isinstance(lists, Reports) else {}
    per_user = {name: torch.from_numpy(values.copy()) for name, values in told.items() if values is not None}
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
    """A transform that replaces each graph's edges by what its users would report.

    For use as ``pre_transform``, where every graph passes once and the reports are what is stored::

        private = gl.pyg.Randomize(gl.DPRR(epsilon=1.0, n_max=3782), seed=0)
        dataset = TUDataset("data", "REDDIT-BINARY", pre_transform=private)

    The result has the noisy ``edge_index`` and, where the mechanism releases d*, ``noisy_degree``. ``x``, ``y``,
    ``pos``, ``node_y``, ``group`` and masks of nodes pass as public: what of them is private, or was made from the
    edges, has to be removed first. Whatever else a graph holds (edge features and weights, encodings of positions in
    the graph) may tell of true edges. It is refused by name, and left out where ``ignore`` names it.

    Noise is keyed by (seed, position): the first graph that passes is graph 0. k draws of one graph cost k·ε, so a
    second draw is an error, as when this is a ``transform=``, which runs at every access.
    :mod:`graphldp.learn.once` says how that is told. Drawing by a copy or in another process (a loader's worker), where
    it could not be told, is an error too. So is a dataset whose stored graphs were made with something else, such as
    another ε or no noise at all.

    Args:
        mechanism: how users randomize their lists. Give it ``n_max`` where its budget depends on the largest graph,
            which a transform that sees one graph at a time cannot know.
        seed: of the noise.
        directed: keep directions; an edge (j, i) then stands in i's list only.
        ignore: what graphs hold and may be left out, such as ``edge_attr``.
    """

    def __init__(
        self, mechanism: Mechanism, seed: int = 0, *, directed: bool = False, ignore: Collection[str] = ()
    ) -> None:
        if np.ndim(mechanism.epsilon):
            raise bad_parameter("mechanism", "Randomize", "given one epsilon for every user", "one for each user")
        by_size = getattr(mechanism, "allocation", None) in ("paper", "utility")
        if by_size and getattr(mechanism, "n_max", 0) is None:
            raise bad_parameter(
                "mechanism", "Randomize", "given n_max, the public size of the largest graph", mechanism
            )
        if isinstance(ignore, str):
            raise bad_parameter("ignore", "Randomize", "a list of names", ignore)
        self.mechanism = mechanism
        self.seed = check_whole(seed, "seed", "Randomize", 0)
        self.directed = directed
        self.ignore = tuple(ignore)
        self._position = 0
        self._drawn = DrawnOnce()
        self._process: int | None = os.getpid()

    def __getstate__(self) -> dict[str, Any]:
        """What a copy gets: not which graphs were drawn, so a copy draws none."""
        kept = {name: getattr(self, name) for name in ("mechanism", "seed", "directed", "ignore")}
        return kept | {"_process": None}

    def __call__(self, data: Any) -> Any:
        """Draw the graph's reports; ``data`` itself is left as it is."""
        return self.forward(data)

    def forward(self, data: Any) -> Any:
        """Draw the graph's reports."""
        if isinstance(data, Batch) or not isinstance(data, Data):
            must_be = "a Data object with one graph, before it is put into a batch"
            raise bad_parameter("data", "Randomize", must_be, Described(type(data).__name__))
        if os.getpid() != self._process:
            raise GraphLDPError(
                "Randomize draws in the process that made it only, and a copy of it draws nothing, since elsewhere a "
                "second draw would go unseen. Use it as pre_transform, or load with num_workers=0."
            )
        public = self._public(data)
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
        for name, value in public.items():
            setattr(noisy, name, value.clone() if isinstance(value, torch.Tensor) else value)
        return noisy

    def _public(self, data: Data) -> dict[str, Any]:
        """What passes beside the lists; whatever else is there is refused by name."""
        held = {name: value for name, value in data.to_dict().items() if value is not None}
        masks = {name for name in held if name.endswith("_mask") and _is_mask(held[name], data)}
        passes = {*_PUBLIC, *masks} - {*self.ignore}
        refused = held.keys() - {"edge_index", "num_nodes", *passes, *self.ignore}
        if refused:
            raise DataError(
                f"Randomize cannot let {', '.join(sorted(refused))} pass: it may tell of true edges. Name it in ignore "
                f"to leave it out: Randomize(…, ignore={sorted(refused)!r})."
            )
        return {name: value for name, value in held.items() if name in passes}

    def __repr__(self) -> str:
        # PyG keeps this text beside the stored dataset, and asks for it again before it reads what is stored
        more = ", directed=True" if self.directed else ""
        said = f"Randomize({self.mechanism!r}, seed={self.seed}{more})"
        _refuse_other(said)
        return said


def _is_mask(value: Any, data: Data) -> bool:
    return isinstance(value, torch.Tensor) and value.dtype == torch.bool and len(value) == data.num_nodes


def _refuse_other(said: str) -> None:
    """Refuse a dataset whose stored graphs were made with another transform: PyG itself warns, and reads them.

    PyG has no place to ask in, so this looks for its ``Dataset._process`` among the callers of ``repr``.
    """
    frame = inspect.currentframe()
    while frame is not None and frame.f_code.co_name != "_process":
        frame = frame.f_back
    dataset = None if frame is None else frame.f_locals.get("self")
    if not isinstance(dataset, Dataset) or dataset.force_reload:
        return
    stored = Path(dataset.processed_dir) / "pre_transform.pt"
    if stored.exists() and all(Path(each).exists() for each in dataset.processed_paths):
        before = torch.load(stored)
        if said not in before:
            raise GraphLDPError(
                f"{dataset.processed_dir}: its graphs were made with {before if before != 'None' else 'no transform'}, "
                f"not with {said}. Give another root, or delete the folder and draw anew."
            )


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
