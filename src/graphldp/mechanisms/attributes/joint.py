"""Joint: one report about a user's friends and about herself, with one ledger.

    ε = ε_e + ε_x:  ε_e for her list, ε_x for her private columns

Each part is drawn by a mechanism of its own, with noise of its own. A column for which no mechanism is given stays at
home. The proof, and what it means that friends are alike, is in ``docs/mechanisms/joint.md``.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from graphldp.errors import bad_parameter
from graphldp.graphs import GraphSet
from graphldp.mechanisms.attributes.category_rr import CategoryRR
from graphldp.mechanisms.attributes.friend_counts import FriendCounts
from graphldp.mechanisms.attributes.multi_bit import MultiBit
from graphldp.mechanisms.base import DrawnLists, Mechanism
from graphldp.mechanisms.degrees.noise import Noise
from graphldp.mechanisms.drawing.streams import Key
from graphldp.neighbour_lists.attributes import Attributes
from graphldp.privacy import Budget
from graphldp.privacy.budget import shared
from graphldp.reports import NoisyColumns, Origin

_COLUMNS = (MultiBit, CategoryRR)


@dataclass(frozen=True, eq=False, repr=False)
class Joint(Mechanism):
    """A mechanism for lists and mechanisms for columns, each with its own ε; the whole costs the sum.

    :class:`graphldp.FriendCounts` counts by public groups where the graphs have some. Where they have none, it counts
    by what friends told of themselves through :class:`graphldp.CategoryRR`: a private label as it is would be told by
    all friends at once.

    Args:
        edges: how lists, degrees or counts are drawn: any mechanism but those for columns.
        features: :class:`graphldp.MultiBit`, :class:`graphldp.CategoryRR`, or one of each.

    Example::

        mechanism = gl.Joint(edges=gl.NoisyDegrees(0.5), features=gl.CategoryRR(0.5, categories=3))
        reports = mechanism.randomize(graphs, rng=7)
        print(reports.guarantee)  # ε = 0.5 for the list, 0.5 for the label, 1 together
        mechanism.at(4.0)         # the same shares of another ε
    """

    epsilon: float | NDArray[np.float64] = field(default=0.0, init=False)
    edges: Mechanism = field(kw_only=True)
    features: Mechanism | tuple[Mechanism, ...] = field(kw_only=True)

    def __post_init__(self) -> None:
        if not isinstance(self.edges, Mechanism) or isinstance(self.edges, (*_COLUMNS, Joint)):
            raise bad_parameter("edges", "Joint", "a mechanism for lists", self.edges)
        given = self.features if isinstance(self.features, tuple | list) else (self.features,)
        kinds = [kind for each in given for kind in _COLUMNS if isinstance(each, kind)]
        if not given or len(kinds) != len(given) or len(set(kinds)) != len(kinds):
            raise bad_parameter("features", "Joint", "MultiBit, CategoryRR, or one of each", self.features)
        object.__setattr__(self, "features", tuple(given))
        sizes = {np.size(each.epsilon) for each in self.parts if np.ndim(each.epsilon)}
        if len(sizes) > 1:
            raise bad_parameter("features", "Joint", "given as many epsilons as edges", sorted(sizes))
        object.__setattr__(self, "epsilon", self._ledger(Budget(0.0, self.edges.epsilon)).total)
        super().__post_init__()

    @property
    def parts(self) -> tuple[Mechanism, ...]:
        """The mechanism for lists, then those for columns."""
        return (self.edges, *(self.features if isinstance(self.features, tuple) else (self.features,)))

    @property
    def degree_noise(self) -> Noise | None:
        """That of the lists' mechanism."""
        return self.edges.degree_noise

    @property
    def origin(self) -> Origin:
        """That of the lists' mechanism, and beside it how columns were drawn."""
        lists, *columns = (each.origin for each in self.parts)
        return Origin(lists.name, {**lists.parameters, "beside": [str(each) for each in columns]})

    def budget(self, n_max: int | None = None) -> Budget:
        """What each part spends, beside each other."""
        return self._ledger(self.edges.budget(n_max))

    def _ledger(self, lists: Budget) -> Budget:
        """With what is spent on columns."""
        columns = {"features" if isinstance(each, MultiBit) else "labels": each.epsilon for each in self.parts[1:]}
        return replace(lists, **columns)

    def at(self, epsilon: float | NDArray[np.float64]) -> Self:
        """The same parts with the same shares of another ε."""
        lists, *columns = (
            part.at(spent)
            for part, spent in zip(self.parts, shared(epsilon, [each.epsilon for each in self.parts]), strict=True)
        )
        return replace(self, edges=lists, features=tuple(columns))

    def draw(self, graphs: GraphSet, budget: Budget, key: Key) -> DrawnLists:
        """Columns first, since friends may be counted by what was told of them; then the lists."""
        told = NoisyColumns()
        for each in self.parts[1:]:
            told = each.draw(graphs, budget, key).columns.beside(told)
        released = None
        if isinstance(self.edges, FriendCounts) and graphs.groups is None and told.labels is not None:
            released = Attributes(groups=told.labels, num_groups=told.categories)
            graphs = replace(graphs, attributes=released, trusted=True)
        drawn = self.edges.draw(graphs, budget, key)
        spent = None if drawn.budget is None else self._ledger(drawn.budget)
        return replace(drawn, budget=spent, columns=told, groups=released or drawn.groups)
