"""What a set of reports promises to each user, in numbers and in words.

Edge LDP (Definition 1 of the paper) bounds what one user's own report reveals of one entry of her list. In an
undirected graph an edge stands in two lists, so relationship DP (Definition 2) bounds both reports together: with one ε
for all it is 2ε, and with one ε per user the largest ε_i + ε_j of two users of one graph.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

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
        budget: ε₁ and ε₂, one of each per user.
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
        """Each user's ε: her report is ε-edge-LDP. ``inf`` for a public user, 0 for one who says nothing."""
        return np.asarray(self.budget.total)

    @property
    def public_users(self) -> int:
        """How many users publish their list."""
        return int(np.isinf(self.epsilon).sum())

    @property
    def edge_ldp(self) -> float:
        """The largest ε of any user: every single report is ``edge_ldp``-edge-LDP; ``inf`` once a user is public."""
        return float(self.epsilon.max(initial=0.0))

    @cached_property
    def relationship_dp(self) -> float | None:
        """The largest ε_i + ε_j of two users of one graph; None where relationship DP is not promised."""
        if self.directed or self.public_users:
            return None
        sizes = np.diff(self.graph_ptr)
        order = np.lexsort((self.epsilon, np.repeat(np.arange(len(sizes)), sizes)))
        last = self.graph_ptr[1:][sizes >= 2] - 1
        ranked = self.epsilon[order]
        return float((ranked[last] + ranked[last - 1]).max(initial=0.0))

    def __str__(self) -> str:
        private = self.epsilon[np.isfinite(self.epsilon)]
        lines = []
        if len(private):
            low, high = private.min(), private.max()
            span = f"ε = {high:.6g}" if low == high else f"ε from {low:.6g} to {high:.6g}"
            lines.append(f"Edge LDP: {len(private):,} private users, {span} each.")
            lines.append(_COLLECTED if self.collected else _SIMULATED)
        if self.noise == "laplace":
            lines.append(
                "Noise: continuous Laplace in floating point, for simulation; "
                "a live client draws the discrete law exactly."
            )
        elif self.noise == "discrete":
            lines.append("Noise: discrete Laplace, the law that the live client draws exactly.")
        if self.relationship_dp is not None:
            lines.append(f"Relationship DP: {self.relationship_dp:.6g} for the two reports that share an edge.")
        elif self.directed:
            lines.append("Relationship DP: does not arise, since a directed edge stands in one list only.")
        if self.public_users:
            disclosed = (
                "Every edge that leaves a public user is disclosed; those that leave private users stay hidden."
                if self.directed
                else "An edge between a private and a public user is disclosed by the public one; only edges between "
                "private users stay hidden."
            )
            lines.append(
                f"Not promised: {self.public_users:,} public users publish their lists as they are. {disclosed}"
            )
        return "\n".join(lines)
