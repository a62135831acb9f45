"""Reports: what users sent, noisy, right of the privacy line.

The one type that simulation and the live service share: what is trained on does not know which of the two it came
from. It holds what users sent and what was promised to them, never a raw edge of a private user and never the seed of
the noise.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from graphldp.bit_lists import BitLists
from graphldp.errors import DataError, FormatError, extra_named
from graphldp.interchange import to_networkx
from graphldp.neighbour_lists import NeighbourLists, taken
from graphldp.pointers import gather_ranges
from graphldp.privacy import Budget, Guarantee, once
from graphldp.text import facts

if TYPE_CHECKING:
    import networkx as nx
    from torch_geometric.data import Data


@dataclass(frozen=True)
class Origin:
    """How reports were drawn, as facts.

    Args:
        name: of the mechanism, as :mod:`graphldp.mechanisms.named` has it; empty where nobody knows.
        parameters: those of the mechanism beside its ε per user, which the reports hold themselves: numbers, words and
            lists of them.
    """

    name: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not isinstance(self.parameters, Mapping):
            raise DataError("An origin must have a name and parameters.")
        object.__setattr__(self, "parameters", MappingProxyType(dict(self.parameters)))

    def __str__(self) -> str:
        if not self.name:
            return "an unknown mechanism"
        given = ", ".join(f"{name}={value!r}" for name, value in self.parameters.items())
        return f"{self.name}({given})" if given else self.name

    def __reduce__(self) -> Any:  # a read-only view cannot be pickled, and reports travel between processes
        return type(self), (self.name, dict(self.parameters))

    def to_json(self) -> str:
        """One line of text, for files."""
        return json.dumps({"name": self.name, "parameters": dict(self.parameters)}, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> Origin:
        """Read what :meth:`to_json` wrote."""
        try:
            return cls(**json.loads(text))
        except (ValueError, TypeError):
            raise DataError("An origin must have a name and parameters.") from None


@dataclass(frozen=True, eq=False, repr=False)
class Reports(NeighbourLists):
    """What the users of many graphs sent, and what was promised to them.

    See :class:`graphldp.neighbour_lists.NeighbourLists` for the lists. In an undirected set the noisy lists need not be
    symmetric.

    Args:
        epsilon1: ε₁ that each user spent on her degree; ``inf`` where it is public.
        epsilon2: ε₂ that each user spent on her list; ``inf`` where it is public.
        noisy_degree: d* of each user where the mechanism releases it, else None; a public user's is her degree.
        missing: True for each user who has not reported, or None when all have. Their lists are empty.
        asked: True for each user who was asked a second question (:class:`graphldp.HubCounts`), else None.
        busy: True for each user who was published as busy, which is what the second question is about.
        quiet_friends: the noisy number of her friends who are not busy; NaN where she did not answer.
        busy_friends: the noisy number of her busy friends; NaN where she did not answer.
        friend_counts: [users, groups], the noisy number of her friends in each public group
            (:class:`graphldp.FriendCounts`), else None; a public user's are exact.
        epsilon_features: what each user spent on her private features, else None; ``inf`` where hers are exact.
        noisy_features: [users, private columns], an unbiased estimate of each private feature
            (:class:`graphldp.MultiBit`), else None.
        epsilon_labels: what each user spent on her private label, else None.
        noisy_labels: the category that each user told (:class:`graphldp.CategoryRR`), else None.
        categories: how many categories there are where noisy_labels are told.
        origin: how the lists were drawn.
        noise: ``"laplace"`` or ``"discrete"`` where degrees carry noise.
        collected: whether users' own clients drew and sent them; False for a simulation.
        filtered: whether a filter judged them (:class:`graphldp.threats.Defense`). Whom it leaves out depends on what
            all users claim, so one liar may have changed more than her own report.
    """

    epsilon1: NDArray[np.float64] = field(kw_only=True)
    epsilon2: NDArray[np.float64] = field(kw_only=True)
    noisy_degree: NDArray[np.float64] | None = field(default=None, kw_only=True)
    missing: NDArray[np.bool_] | None = field(default=None, kw_only=True)
    asked: NDArray[np.bool_] | None = field(default=None, kw_only=True)
    busy: NDArray[np.bool_] | None = field(default=None, kw_only=True)
    quiet_friends: NDArray[np.float64] | None = field(default=None, kw_only=True)
    busy_friends: NDArray[np.float64] | None = field(default=None, kw_only=True)
    friend_counts: NDArray[np.float64] | None = field(default=None, kw_only=True)
    epsilon_features: NDArray[np.float64] | None = field(default=None, kw_only=True)
    noisy_features: NDArray[np.floating[Any]] | None = field(default=None, kw_only=True)
    epsilon_labels: NDArray[np.float64] | None = field(default=None, kw_only=True)
    noisy_labels: NDArray[np.int64] | None = field(default=None, kw_only=True)
    categories: int = field(default=0, kw_only=True)
    origin: Origin = field(default_factory=Origin, kw_only=True)
    noise: str | None = field(default=None, kw_only=True)
    collected: bool = field(default=False, kw_only=True)
    filtered: bool = field(default=False, kw_only=True)

    per_user: ClassVar[tuple[str, ...]] = (
        "epsilon1",
        "epsilon2",
        "noisy_degree",
        "missing",
        "asked",
        "busy",
        "quiet_friends",
        "busy_friends",
        "friend_counts",
        "epsilon_features",
        "noisy_features",
        "epsilon_labels",
        "noisy_labels",
    )

    tables: ClassVar[tuple[str, ...]] = ("friend_counts", "noisy_features")

    def __post_init__(self, as_bits: BitLists | None, trusted: bool) -> None:
        super().__post_init__(as_bits, trusted)
        if self.attributes is not None and (private := self.attributes.private_columns()):
            raise DataError(f"Reports carry public columns alone, and {' and '.join(private)} are private.")
        if not isinstance(self.origin, Origin):
            raise DataError("origin must be an Origin.")
        for name in ("epsilon1", "epsilon2", "epsilon_features", "epsilon_labels"):
            values = getattr(self, name)
            if values is not None and (values.dtype != np.float64 or not (once(values) >= 0).all()):
                raise DataError(f"{name} must hold a number ≥ 0 for each user.")
        for name in ("collected", "filtered"):
            if not isinstance(getattr(self, name), bool):
                raise DataError(f"{name} must be True or False.")
        if self.noisy_degree is not None and self.noisy_degree.dtype != np.float64:
            raise DataError("noisy_degree must hold a number for each user.")
        if self.missing is not None:
            if self.missing.dtype != np.bool_:
                raise DataError("missing must hold True or False for each user.")
            if self.degrees[self.missing].any():
                raise DataError("A user who has not reported must have an empty list.")
        self._check_answers()
        self._check_columns()
        counts = self.friend_counts
        if counts is not None and (self.groups is None or counts.shape != (self.num_users, self.num_groups)):
            raise DataError("friend_counts must have the shape [users, groups], beside the groups.")
        if counts is not None and not (counts.dtype == np.float64 and np.isfinite(counts).all()):
            raise DataError("friend_counts must hold finite numbers.")

    def _repr_html_(self) -> str:
        absent = 0 if self.missing is None else int(self.missing.sum())
        seen = {
            "drawn by": self.origin,
            "graphs": self.num_graphs,
            "users": self.num_users,
            "reported entries": self.num_entries,
            "have not reported": absent or None,
            "d* released": "no" if self.noisy_degree is None else "yes",
            "judged by a filter": "yes" if self.filtered else None,
        }
        return facts(f"Reports {self.name or 'unnamed'}, noisy", seen) + self.guarantee._repr_html_()

    def _check_answers(self) -> None:
        """Answers come in pairs, from users who were asked, and add up to d*."""
        named = ("asked", "busy", "quiet_friends", "busy_friends")
        if all(getattr(self, name) is None for name in named):
            return
        if self.asked is None or self.busy is None or self.quiet_friends is None or self.busy_friends is None:
            raise DataError(f"{', '.join(named)} come together or not at all.")
        if self.noisy_degree is None or not (self.asked.dtype == self.busy.dtype == np.bool_):
            raise DataError("asked and busy must hold True or False for each user, beside noisy_degree.")
        if not (self.quiet_friends.dtype == self.busy_friends.dtype == np.float64):
            raise DataError("quiet_friends and busy_friends must hold a number for each user.")
        answered = ~np.isnan(self.quiet_friends)
        if not np.array_equal(answered, ~np.isnan(self.busy_friends)) or (answered & ~self.asked).any():
            raise DataError("A user who was asked must answer with both counts or none; nobody else may answer.")
        told = self.quiet_friends[answered] + self.busy_friends[answered]
        if not np.array_equal(told, self.noisy_degree[answered]):
            raise DataError("The two counts of friends must add up to noisy_degree.")

    def _check_columns(self) -> None:
        """A noisy column comes with what was spent on it."""
        features, labels = self.noisy_features, self.noisy_labels
        if (features is None) != (self.epsilon_features is None) or (labels is None) != (self.epsilon_labels is None):
            raise DataError("Noisy columns come with what was spent on them, and nothing is spent without one.")
        if features is not None and not (features.dtype.kind == "f" and np.isfinite(features).all()):
            raise DataError("noisy_features must hold finite numbers.")
        if labels is None:
            return
        known = isinstance(self.categories, int) and not isinstance(self.categories, bool) and self.categories > 1
        if not known or labels.dtype != np.int64 or ((labels < 0) | (labels >= self.categories)).any():
            raise DataError("noisy_labels must hold whole numbers from 0 on, below the number of categories.")

    def _stored(self) -> dict[str, Any]:
        return super()._stored() | {"origin": self.origin.to_json(), "filtered": self.filtered or None}

    @classmethod
    def _restored(cls, values: dict[str, Any]) -> Self:
        if "origin" not in values:
            raise FormatError("its reports do not say how they were drawn; draw and save them again.")
        return super()._restored(values | {"origin": Origin.from_json(str(values["origin"]))})

    @property
    def budget(self) -> Budget:
        """What each user spent on what."""
        columns = (0.0 if spent is None else spent for spent in (self.epsilon_features, self.epsilon_labels))
        return Budget(self.epsilon1, self.epsilon2, *columns).per_user(self.num_users)

    @cached_property
    def guarantee(self) -> Guarantee:
        """What was promised to each user: print it to read it."""
        return Guarantee(self.budget, self.graph_ptr, self.directed, self.noise, self.collected)

    @property
    def public(self) -> NDArray[np.bool_]:
        """True for each user whose list is public and exact."""
        return np.isinf(self.epsilon2)

    def induced(self) -> Self:
        """The graphs induced on the users who have reported: the missing ones leave the lists and the numbering."""
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
            **{name: taken(getattr(self, name), users) for name in self.per_user if name != "missing"},
            missing=None,
            attributes=None if self.attributes is None else self.attributes.taken(users),
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
