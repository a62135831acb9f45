"""Reports: what users sent, noisy, right of the privacy line.

The one type that simulation and the live service share: what is trained on does not know which of the two it came
from. It holds what users sent and what was promised to them, never a raw edge of a private user and never the seed of
the noise.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from graphldp.errors import DataError, ParameterError, extra_named
from graphldp.files.text import facts
from graphldp.neighbour_lists import NeighbourLists
from graphldp.neighbour_lists.bit_lists import BitLists
from graphldp.neighbour_lists.interchange import to_networkx
from graphldp.neighbour_lists.pointers import column, gather_ranges
from graphldp.privacy import Budget, Guarantee, once
from graphldp.reports.parts import HubAnswers, NoisyColumns, Origin, PairAnswers

if TYPE_CHECKING:
    import networkx as nx
    from torch_geometric.data import Data


@dataclass(frozen=True, eq=False, repr=False)
class Reports(NeighbourLists):
    """What the users of many graphs sent, and what was promised to them.

    See :class:`graphldp.neighbour_lists.NeighbourLists` for the lists. In an undirected set the noisy lists need not be
    symmetric.

    Args:
        budget: what each user spent on what; ``inf`` where it is public.
        noisy_degree: d* of each user where the mechanism releases it, else None; a public user's is her degree.
        missing: True for each user who has not reported, or None when all have. Their lists are empty.
        answers: what hubs answered to a second question (:class:`graphldp.HubCounts`), else None.
        pair_answers: what users answered about pairs of their friends (:class:`graphldp.ClosedPairs`), else None.
        columns: what users told of their private columns (:class:`graphldp.MultiBit`, :class:`graphldp.CategoryRR`).
        friend_counts: [users, groups], the noisy number of her friends in each public group
            (:class:`graphldp.FriendCounts`), else None; a public user's are exact.
        origin: how the lists were drawn.
        noise: ``"laplace"`` or ``"discrete"`` where degrees carry noise.
        collected: whether users' own clients drew and sent them; False for a simulation.
        filtered: whether users may have been left out: a filter judged them (:class:`graphldp.threats.Defense`), or
            :meth:`induced` took out who is missing. One liar may then have changed more than her own report.
    """

    budget: Budget = field(kw_only=True)
    noisy_degree: NDArray[np.float64] | None = field(default=None, kw_only=True)
    missing: NDArray[np.bool_] | None = field(default=None, kw_only=True)
    answers: HubAnswers | None = field(default=None, kw_only=True)
    pair_answers: PairAnswers | None = field(default=None, kw_only=True)
    columns: NoisyColumns = field(default_factory=NoisyColumns, kw_only=True)
    friend_counts: NDArray[np.float64] | None = field(default=None, kw_only=True)
    origin: Origin = field(default_factory=Origin, kw_only=True)
    noise: str | None = field(default=None, kw_only=True)
    collected: bool = field(default=False, kw_only=True)
    filtered: bool = field(default=False, kw_only=True)

    per_user: ClassVar[tuple[str, ...]] = (
        *("attributes", "budget", "noisy_degree", "missing", "answers", "pair_answers", "columns", "friend_counts"),
    )
    parts: ClassVar[dict[str, Callable[[dict[str, Any]], Any]]] = NeighbourLists.parts | {
        "budget": lambda held: Budget(**held),
        "answers": lambda held: HubAnswers(**held),
        "pair_answers": lambda held: PairAnswers(**held),
        "columns": lambda held: NoisyColumns(**held),
        "origin": lambda held: Origin.from_json(str(held.get("json"))),
    }

    def __post_init__(self, as_bits: BitLists | None, trusted: bool) -> None:
        super().__post_init__(as_bits, trusted)
        if self.attributes is not None and (private := self.attributes.private_columns()):
            raise DataError(f"Reports carry public columns alone, and {' and '.join(private)} are private.")
        if not isinstance(self.origin, Origin):
            raise DataError("origin must be an Origin.")
        for name in ("collected", "filtered"):
            if not isinstance(getattr(self, name), bool):
                raise DataError(f"{name} must be True or False.")
        self._check_spent()
        if self.noisy_degree is not None:
            self._set("noisy_degree", np.float64)
        if self.missing is not None:
            self._set("missing", np.bool_)
            if self.degrees[self.missing].any():
                raise DataError("A user who has not reported must have an empty list.")
        self._check_part("answers", HubAnswers)
        if self.answers is not None:
            self.answers.check_sum(self.noisy_degree)
        self._check_part("pair_answers", PairAnswers)
        if self.friend_counts is not None:
            self._set("friend_counts", np.float64, table=True)
            if self.groups is None or self.friend_counts.shape[1] != self.num_groups:
                raise DataError("friend_counts must have the shape [users, groups], beside the groups.")
            if not np.isfinite(self.friend_counts).all():
                raise DataError("friend_counts must hold finite numbers.")

    def _set(self, name: str, kind: type, *, table: bool = False) -> None:
        object.__setattr__(self, name, column(getattr(self, name), name, kind, self.num_users, table=table))

    def _check_spent(self) -> None:
        """Each user has a budget, and a noisy column comes with what was spent on it."""
        if not isinstance(self.budget, Budget):
            raise DataError("budget must be a Budget.")
        try:
            object.__setattr__(self, "budget", self.budget.per_user(self.num_users))
        except ParameterError as error:
            raise DataError(str(error)) from None
        self._check_part("columns", NoisyColumns)
        for name in ("features", "labels"):
            told, spent = getattr(self.columns, name), np.asarray(getattr(self.budget, name))
            if self.num_users and (told is not None) != bool(once(spent).any()):
                raise DataError("Noisy columns come with what was spent on them, and nothing is spent without one.")

    def _repr_html_(self) -> str:
        absent = 0 if self.missing is None else int(self.missing.sum())
        seen = {
            "drawn by": self.origin,
            "graphs": self.num_graphs,
            "users": self.num_users,
            "reported entries": self.num_entries,
            "have not reported": absent or None,
            "d* released": "no" if self.noisy_degree is None else "yes",
            "users left out": "yes" if self.filtered else None,
        }
        return facts(f"Reports {self.name or 'unnamed'}, noisy", seen) + self.guarantee._repr_html_()

    @property
    def epsilon1(self) -> NDArray[np.float64]:
        """ε₁, what each user spent on her degree; ``inf`` where it is public."""
        return np.asarray(self.budget.degree)

    @property
    def epsilon2(self) -> NDArray[np.float64]:
        """ε₂, what each user spent on her list; ``inf`` where it is public."""
        return np.asarray(self.budget.edges)

    @cached_property
    def guarantee(self) -> Guarantee:
        """What was promised to each user: print it to read it."""
        return Guarantee(self.budget, self.graph_ptr, self.directed, self.noise, self.collected)

    @property
    def public(self) -> NDArray[np.bool_]:
        """True for each user whose list is public and exact."""
        return np.isinf(self.epsilon2)

    def induced(self) -> Self:
        """The graphs induced on the users who have reported: the missing ones leave the lists and the numbering.

        Nobody promises labels of these graphs: a liar who keeps silent changes how many users they have.
        """
        if self.missing is None or not self.missing.any():
            return self
        present = ~self.missing
        rank = np.cumsum(present) - 1
        users = np.flatnonzero(present)
        graph_ptr = np.concatenate(([0], np.cumsum(present)))[self.graph_ptr]
        entries, indptr = gather_ranges(self.indptr, users)
        owner_start = np.repeat(self.graph_ptr[:-1], self.sizes)[users]
        target = self.indices[entries] + np.repeat(owner_start, np.diff(indptr))
        kept = present[target]
        lengths = np.concatenate(([0], np.cumsum(kept)))
        new_start = np.repeat(np.repeat(graph_ptr[:-1], np.diff(graph_ptr)), np.diff(indptr))
        return replace(
            self,
            indptr=lengths[indptr],
            indices=(rank[target] - new_start)[kept].astype(np.int32),
            graph_ptr=graph_ptr,
            **(self._of_users(users) | {"missing": None}),
            filtered=True,
            trusted=True,
        )

    def to_networkx(self) -> list[nx.Graph[int]]:
        """The noisy graphs as directed NetworkX graphs: an edge from i to j says that i reported j.

        d* is the node attribute ``noisy_degree`` where the mechanism releases it. A user who has not reported has the
        attribute ``missing`` and no d*.
        """
        graphs = to_networkx(self, directed=True)
        for graph, start in zip(graphs, self.graph_ptr[:-1].tolist(), strict=True):
            for node, attributes in graph.nodes(data=True):
                if self.missing is not None and self.missing[start + node]:
                    attributes["missing"] = True
                elif self.noisy_degree is not None:
                    attributes["noisy_degree"] = float(self.noisy_degree[start + node])
        return graphs

    def to_pyg(self) -> list[Data]:
        """The noisy graphs as PyTorch Geometric ``Data`` objects: node i aggregates over the list that i reported.

        d* is ``noisy_degree`` where the mechanism releases it. ``missing`` marks users who have not reported, where
        there are any; ``reports.induced().to_pyg()`` leaves them out.
        """
        with extra_named("Reports.to_pyg"):
            from graphldp.learn import pyg
        return pyg.to_data(self)
