"""GraphSet: raw graphs, left of the privacy line.

Many graphs are one frozen CSR (see :mod:`graphldp.neighbour_lists`), so a mechanism runs over a whole dataset at once.
A raw edge lives here and nowhere else: what comes out of a mechanism is :class:`graphldp.Reports`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from graphldp.errors import DataError, Described, bad_parameter, extra_named
from graphldp.files.edge_lists import read_edges
from graphldp.files.text import facts
from graphldp.neighbour_lists import NeighbourLists
from graphldp.neighbour_lists.attributes import Attributes
from graphldp.neighbour_lists.bit_lists import BitLists
from graphldp.neighbour_lists.interchange import networkx_edges, node_column, scipy_edges, to_networkx, to_scipy
from graphldp.neighbour_lists.labels import NO_LABEL, check_labels
from graphldp.neighbour_lists.pointers import lists_from_pairs, whole_numbers

if TYPE_CHECKING:
    import networkx as nx
    from torch_geometric.data import Data


@dataclass(frozen=True, eq=False, repr=False)
class GraphSet(NeighbourLists):
    """Raw graphs: sorted lists, no self-loops, no duplicates, symmetric unless ``directed=True``; checked at birth.

    See :class:`graphldp.neighbour_lists.NeighbourLists` for the arguments. Most sets come from
    :func:`graphldp.load_dataset`, :mod:`graphldp.synthetic` or one of the ``from_`` methods::

        graphs = gl.GraphSet.from_networkx([nx.star_graph(9), nx.path_graph(10)], labels=[0, 1])
        graphs.num_graphs, graphs.num_users, graphs.degrees
    """

    def __post_init__(self, as_bits: BitLists | None, trusted: bool) -> None:
        super().__post_init__(as_bits, trusted)
        if not (self.directed or trusted):
            self._check_symmetric()

    def _repr_html_(self) -> str:  # sizes only: a notebook is shared, and its graphs are not
        sizes, labels = self.sizes, self.labels
        return facts(
            f"GraphSet {self.name or 'unnamed'}, raw",
            {
                "graphs": self.num_graphs,
                "users": self.num_users,
                "users of a graph": f"{sizes.min()} to {sizes.max()}" if len(sizes) else None,
                "classes": None if labels is None else len(np.unique(labels)),
                "directed": "yes" if self.directed else None,
            },
        )

    def _check_symmetric(self) -> None:
        """The transpose of a symmetric CSR has the same pointers and entries: one counting sort, no n × n array."""
        indices = self.indices + np.repeat(np.repeat(self.graph_ptr[:-1], self.sizes), self.degrees)
        shape = (self.num_users, self.num_users)
        rows = sparse.csr_array((np.ones(self.num_entries, np.int8), indices, self.indptr), shape=shape)
        columns = rows.tocsc()
        if not (np.array_equal(rows.indptr, columns.indptr) and np.array_equal(rows.indices, columns.indices)):
            raise DataError("An undirected set must list every edge with both users; pass directed=True otherwise.")

    @classmethod
    def from_edges(
        cls,
        source: ArrayLike,
        target: ArrayLike,
        sizes: ArrayLike,
        labels: ArrayLike | None = None,
        *,
        directed: bool = False,
        name: str = "",
    ) -> Self:
        """Build a set from edges between users numbered through all graphs.

        Args:
            source: one end of each edge. Users 0 … sizes[0]−1 are the first graph's, and so on.
            target: the other end. An undirected edge may be given once or in both directions; repeats are merged.
            sizes: users in each graph.
            labels: one whole number per graph, or None.
            directed: keep directions; an edge then stands in its source's list only.
            name: what the set is called.
        """
        one, two = whole_numbers(source, "source"), whole_numbers(target, "target")
        counts = whole_numbers(sizes, "sizes")
        if counts.ndim != 1 or (counts < 0).any():
            raise DataError("sizes must be flat and hold numbers ≥ 0.")
        graph_ptr = np.concatenate(([0], np.cumsum(counts)))
        num_users = int(graph_ptr[-1])
        if one.shape != two.shape or one.ndim != 1:
            raise DataError("source and target must be flat and of one length.")
        if len(one) and (min(one.min(), two.min()) < 0 or max(one.max(), two.max()) >= num_users):
            raise DataError(f"An edge must join users 0 to {num_users - 1}.")
        if (one == two).any():
            raise DataError("An edge must join two different users.")
        first = np.searchsorted(graph_ptr, one, side="right") - 1
        if (two < graph_ptr[first]).any() or (two >= graph_ptr[first + 1]).any():
            raise DataError("An edge must join users of one graph.")
        if not directed:
            one, two = np.concatenate((one, two)), np.concatenate((two, one))
        indptr, entries = lists_from_pairs(one, two, num_users)
        start = np.repeat(np.repeat(graph_ptr[:-1], np.diff(graph_ptr)), np.diff(indptr))
        return cls(
            indptr,
            (entries - start).astype(np.int32),
            graph_ptr,
            check_labels(labels, len(graph_ptr) - 1),
            directed=directed,
            name=name,
        )

    @classmethod
    def from_csv(
        cls,
        edges: str | os.PathLike[str],
        labels: str | os.PathLike[str] | None = None,
        *,
        directed: bool = False,
    ) -> Self:
        """Build a set from tables of text with commas, semicolons or tabs; self-loops go, and repeats are merged.

        Users and graphs may be called anything. They get numbers in the order of their names.

        Args:
            edges: a file with the columns ``source`` and ``target``, and for several graphs ``graph``. A row without a
                target names a user who has no friend.
            labels: a file with the columns ``graph`` and ``label``, or ``user`` and ``label`` (and ``graph``) for
                labels of users. Labels that are words are numbered in the order of the alphabet.
            directed: keep directions; an edge then stands in its source's list only.

        Raises:
            FormatError: for files that are no such tables.
        """
        source, target, sizes, graph_labels, node_labels = read_edges(edges, labels, NO_LABEL)
        made = cls.from_edges(source, target, sizes, graph_labels, directed=directed, name=Path(edges).stem)
        return made if node_labels is None else made.with_node_labels(node_labels)

    @classmethod
    def from_networkx(
        cls,
        graphs: Iterable[nx.Graph[Any]],
        labels: ArrayLike | None = None,
        *,
        features: str | None = None,
        node_labels: str | None = None,
        groups: str | None = None,
        public: Collection[str] = (),
    ) -> Self:
        """Build a set from NetworkX graphs, all directed or all undirected; nodes keep their order, self-loops go.

        Args:
            graphs: the graphs.
            labels: one whole number per graph, or None.
            features: the name of the nodes' attribute that holds their features, the same number of them for all.
            node_labels: the name of the attribute that holds their labels.
            groups: the name of the attribute that holds their public groups.
            public: which of these attributes are public; groups always are.
        """
        graphs = _listed("graphs", graphs, "from_networkx", "graphs", lambda each: hasattr(each, "is_directed"))
        if len({graph.is_directed() for graph in graphs}) > 1:
            raise DataError("The graphs of one set must be all directed or all undirected.")
        made = cls.from_edges(*networkx_edges(graphs), labels, directed=any(graph.is_directed() for graph in graphs))
        names = {"features": features, "node_labels": node_labels, "groups": groups}
        columns: dict[str, Any] = {each: node_column(graphs, name) for each, name in names.items() if name is not None}
        return made._attributed(columns, {each for each, name in names.items() if name in public}) if columns else made

    def to_networkx(self) -> list[nx.Graph[int]]:
        """The graphs as NetworkX graphs with nodes 0 … n−1."""
        return to_networkx(self, directed=self.directed)

    @classmethod
    def from_scipy(cls, matrices: Iterable[Any], labels: ArrayLike | None = None, *, directed: bool = False) -> Self:
        """Build a set from SciPy sparse adjacency matrices; any non-zero off the diagonal is an edge."""
        matrices = _listed("matrices", matrices, "from_scipy", "matrices", lambda each: np.ndim(each) == 2)
        made = cls.from_edges(*scipy_edges(matrices), labels, directed=True)
        return made if directed else cls(made.indptr, made.indices, made.graph_ptr, made.labels)

    def to_scipy(self) -> list[sparse.csr_array[np.int8]]:
        """One sparse adjacency matrix per graph."""
        return to_scipy(self)

    @classmethod
    def from_pyg(
        cls,
        data: Iterable[Data],
        *,
        directed: bool = False,
        public: Collection[str] = (),
        ignore: Collection[str] = (),
        drop_features: bool = False,
    ) -> Self:
        """Build a set from PyTorch Geometric ``Data`` objects: edges, labels and what is known of each node.

        ``x`` becomes the features, ``group`` the public groups, and ``y`` the labels: of the graphs where each holds
        one, of the nodes where there is one for each node, as in ``Planetoid``. ``node_y`` holds the nodes' labels
        beside those of the graphs.

        Args:
            data: the graphs, such as a list or a dataset of PyTorch Geometric.
            directed: keep directions; an edge (j, i) then stands in i's list only.
            public: which of ``x``, ``y`` and ``node_y`` are public; nodes' columns are private unless named here.
            ignore: what else the objects hold and may be left out, such as ``train_mask``; anything else is an error.
            drop_features: leave out all but edges and graphs' labels.
        """
        with extra_named("GraphSet.from_pyg"):
            from graphldp.learn import pyg
        graphs = _listed("data", data, "from_pyg", "Data objects", pyg.is_graph)
        if not drop_features:
            pyg.refuse_features(graphs, ignore)
        made = cls.from_edges(**pyg.edges_of(graphs), directed=directed)
        columns = {} if drop_features else pyg.columns_of(graphs, ignore)
        shown = {"features": "x" in public, "node_labels": pyg.label_key(graphs) in public}
        return made._attributed(columns, {each for each, named in shown.items() if named}) if columns else made

    def to_pyg(self) -> list[Data]:
        """The graphs as PyTorch Geometric ``Data`` objects."""
        with extra_named("GraphSet.to_pyg"):
            from graphldp.learn import pyg
        return pyg.to_data(self)

    def with_labels(self, labels: ArrayLike | None) -> Self:
        """The same graphs with other labels."""
        return replace(self, labels=check_labels(labels, self.num_graphs))

    def with_features(self, features: Any, *, public: ArrayLike = False) -> Self:
        """The same graphs with these features of their users.

        Args:
            features: finite numbers, [users, columns], dense or sparse; None takes them away.
            public: True, False, or one flag for each column. What is not public never leaves with a report.
        """
        return self._changed(features=features, public_features=np.asarray(public) if features is not None else False)

    def with_node_labels(self, labels: ArrayLike | None, *, public: bool = False) -> Self:
        """The same graphs with these labels of their users.

        Args:
            labels: a whole number for each user, ``NO_LABEL`` where hers is not known; None takes them away.
            public: whether they leave with the reports.
        """
        return self._changed(node_labels=labels, public_labels=public)

    def with_groups(self, groups: ArrayLike | None, *, num_groups: int = 0) -> Self:
        """The same graphs with these public groups.

        Args:
            groups: the number of each user's group, from 0 on; None takes them away.
            num_groups: how many there are, where the last ones may be empty.
        """
        return self._changed(groups=groups, num_groups=num_groups)

    def _changed(self, **columns: Any) -> Self:
        return replace(self, attributes=replace(self.attributes or Attributes(), **columns), trusted=True)

    def _attributed(self, columns: dict[str, Any], public: Collection[str]) -> Self:
        """The set with columns of which some are public."""
        return self._changed(
            **columns,
            public_features="features" in public and "features" in columns,
            public_labels="node_labels" in public,
        )

    def statistics(self) -> dict[str, int | float | None]:
        """The columns of the paper's Table 2."""
        sizes, degrees = self.sizes, self.degrees
        return {
            "graphs": self.num_graphs,
            "classes": None if self.labels is None else len(np.unique(self.labels)),
            "users": self.num_users,
            "edges": self.num_entries if self.directed else self.num_entries // 2,
            "nodes_max": self.n_max,
            "nodes_mean": float(sizes.mean()) if len(sizes) else 0.0,
            "degree_max": int(degrees.max(initial=0)),
            "degree_mean": float(degrees.mean()) if len(degrees) else 0.0,
        }


def _listed(name: str, given: Any, owner: str, what: str, is_one: Callable[[Any], bool]) -> list[Any]:
    """The graphs as a list; one is refused, since it can be iterated over too and what comes out is no graph."""
    one = is_one(given) or not isinstance(given, Iterable) or hasattr(given, "to_data_list")  # a batch of PyG's
    listed = [given] if one else list(given)
    for each in listed:
        if each is given or not is_one(each):
            must_be = f"a list of {what}, also for a single one"
            raise bad_parameter(name, f"GraphSet.{owner}", must_be, Described(type(each).__name__))
    return listed
