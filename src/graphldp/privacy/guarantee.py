"""The guarantee of a set of reports to each user, in numbers and in words.

Edge LDP (Definition 1 of the paper) bounds what one user's own report reveals of one entry of her list. In an
undirected graph an edge stands in two lists, so relationship DP (Definition 2) bounds both reports together: with one ε
for all it is 2ε, and with one ε per user the largest ε_i + ε_j of two users of one graph.

Columns that describe a user (features, a label) are protected as a whole: two rows of hers may differ in every entry,
and her report tells them apart by no more than what was spent on columns. Whoever changes a friend and her whole row at
once is protected by the sum of both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from html import escape

import numpy as np
from numpy.typing import NDArray

from graphldp.privacy.budget import Budget

_SIMULATED = (
    "Simulated: drawn from a seed, in floating point, where the raw graphs are. This is not a release: who knows or "
    "guesses the seed can undo the noise, and rounding breaks the bound in the last digits."
)
_COLLECTED = (
    "Collected: drawn on the users' devices. The graphldp client draws exactly this law, in whole numbers, with "
    "randomness of the operating system. A user of another client has the promise of that client."
)


@dataclass(frozen=True, eq=False)
class Guarantee:
    """The promise of a set of reports.

    Args:
        budget: what each user spent on what.
        graph_ptr: where each graph's users begin, for pairs of one graph.
        directed: whether the graphs are directed.
        noise: the law of the degree noise, ``"laplace"`` or ``"discrete"``, or None where there is none.
        collected: whether users' own clients drew the reports; False for a simulation, which is not a release.
    """

    budget: Budget
    graph_ptr: NDArray[np.int64] = field(repr=False)
    directed: bool
    noise: str | None = None
    collected: bool = False

    @cached_property
    def epsilon(self) -> NDArray[np.float64]:
        """Each user's ε for all that she sends. ``inf`` where something is public, 0 for one who says nothing."""
        return np.asarray(self.budget.total)

    @cached_property
    def edges(self) -> NDArray[np.float64]:
        """Each user's ε for her list: her report is so much edge-LDP. ``inf`` for a public user."""
        return np.asarray(self.budget.on_lists)

    @cached_property
    def columns(self) -> NDArray[np.float64]:
        """Each user's ε for her whole row of private columns; 0 where none was sent."""
        return np.asarray(self.budget.on_columns)

    @property
    def public_users(self) -> int:
        """The number of users who publish their list."""
        return int(np.isinf(self.edges).sum())

    @property
    def edge_ldp(self) -> float:
        """The largest ε of any list: every single report is ``edge_ldp``-edge-LDP; ``inf`` once a user is public."""
        return float(self.edges.max(initial=0.0))

    @property
    def column_ldp(self) -> float:
        """The largest ε of any user's private columns; ``inf`` once a user publishes hers."""
        return float(self.columns.max(initial=0.0))

    @cached_property
    def relationship_dp(self) -> float | None:
        """The largest ε_i + ε_j of two users of one graph; None where relationship DP is not promised."""
        return None if self.directed or self.public_users else float(self._pairs().max(initial=0.0))

    def _pairs(self) -> NDArray[np.float64]:
        """The largest ε_i + ε_j of each graph; 0 where there are no two users."""
        sizes = np.diff(self.graph_ptr)
        order = np.lexsort((self.edges, np.repeat(np.arange(len(sizes)), sizes)))
        last = self.graph_ptr[1:][sizes >= 2] - 1
        ranked, found = self.edges[order], np.zeros(len(sizes))
        found[sizes >= 2] = ranked[last] + ranked[last - 1]
        return found

    def by_graph(self) -> NDArray[np.float64]:
        """What the lists of each graph are promised, a row of five numbers each; those of several sets can be stacked.

        They are: users whose list is noisy, the smallest and the largest ε of theirs, users whose list is public, and
        the largest ε_i + ε_j of two users.
        """
        graph = np.repeat(np.arange(len(self.graph_ptr) - 1), np.diff(self.graph_ptr))
        private = np.isfinite(self.edges)
        low, high = np.full(len(self.graph_ptr) - 1, np.inf), np.zeros(len(self.graph_ptr) - 1)
        np.minimum.at(low, graph[private], self.edges[private])
        np.maximum.at(high, graph[private], self.edges[private])
        counts = (np.bincount(graph[who], minlength=len(low)) for who in (private, ~private))
        return np.stack((next(counts), low, high, next(counts), self._pairs()), axis=1)

    def _repr_html_(self) -> str:
        return f"<ul>{''.join(f'<li>{escape(line)}</li>' for line in str(self).splitlines())}</ul>"

    def __str__(self) -> str:
        law = {"directed": self.directed, "collected": self.collected}
        return in_words(self.by_graph(), self.noise, self._on_columns(), **law)

    def _on_columns(self) -> list[str]:
        """The lines about what is promised to columns, and to lists and columns together."""
        if not self.columns.any():
            return []
        lines = []
        for name in ("features", "labels"):
            spent = np.asarray(getattr(self.budget, name))
            if (some := spent[np.isfinite(spent) & (spent > 0)]).size:
                lines.append(f"Local DP of {name}: {len(some):,} users, {_span(some)} each, whatever a row holds.")
            if published := int(np.isinf(spent).sum()):
                lines.append(f"Not promised: {published:,} users publish their {name} as they are.")
        both = self.epsilon[np.isfinite(self.epsilon)]
        if both.size and self.edges.any():
            lines.append(f"Together: {_span(both)} for a friend and all private columns of one user at once.")
        elif both.size:
            lines.append("Nothing about anybody's friends is sent.")
        return lines


def in_words(
    by_graph: NDArray[np.float64],
    noise: str | None,
    on_columns: Sequence[str] = (),
    *,
    directed: bool = False,
    collected: bool,
) -> str:
    """A promise in words.

    Args:
        by_graph: what :meth:`Guarantee.by_graph` gave, of one set or of several put together.
        noise: as of a guarantee.
        on_columns: what columns are promised, a sentence each.
        directed: as of a guarantee.
        collected: likewise.
    """
    private, public = (int(by_graph[:, column].sum()) for column in (0, 3))
    spent, pair = by_graph[by_graph[:, 0] > 0, 1:3], by_graph[:, 4].max(initial=0.0)
    lines = []
    if private and (spent.any() or not on_columns):
        lines.append(f"Edge LDP: {private:,} private users, {_span(spent)} each.")
    lines += on_columns
    if lines:
        lines.append(_COLLECTED if collected else _SIMULATED)
    if noise == "laplace":
        lines.append(
            "Noise: continuous Laplace in floating point, for simulation; a live client draws the discrete law exactly."
        )
    elif noise == "discrete":
        lines.append("Noise: discrete Laplace, the law that the live client draws exactly.")
    if not directed and not public and (pair or not on_columns):
        lines.append(f"Relationship DP: {pair:.6g} for the two reports that share an edge.")
    elif directed and (spent.any() or public or not on_columns):
        lines.append("Relationship DP: does not arise, since a directed edge stands in one list only.")
    if public:
        disclosed = (
            "Every edge that leaves a public user is disclosed; those that leave private users stay hidden."
            if directed
            else "An edge between a private and a public user is disclosed by the public one; only edges between "
            "private users stay hidden."
        )
        lines.append(f"Not promised: {public:,} public users publish their lists as they are. {disclosed}")
    return "\n".join(lines)


def _span(values: NDArray[np.float64]) -> str:
    low, high = values.min(), values.max()
    return f"ε = {high:.6g}" if low == high else f"ε from {low:.6g} to {high:.6g}"
