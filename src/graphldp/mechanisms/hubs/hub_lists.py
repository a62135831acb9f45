"""HubLists: a sharp degree from everybody, a list from hubs.

The list of a community's busiest user says most about it, and her degree need not be precise. Of everybody else the
degree says most, and the list next to nothing. Nobody knows beforehand who is busy, so each device looks at its own
noisy degree:

    d_fine  = d + noise(ε)
    d_rough = d_fine + more noise, by which it is d + noise(ε₁), ε₁ = share·ε
    d_rough < threshold(n):  send d_fine                                   (ε on the degree)
    d_rough ≥ threshold(n):  send d_rough and the list by randomized response with ε₂ = ε − ε₁

A hub never sends d_fine, so looking costs nothing: each outcome is a function of what ε pays for. The proof is in
``docs/mechanisms/hub-lists.md``.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphldp.errors import check_number
from graphldp.mechanisms.base import DrawnLists, Rates, RowMechanism
from graphldp.mechanisms.degrees.coarsening import coarser
from graphldp.mechanisms.degrees.noise import Noise, noisy_degrees
from graphldp.mechanisms.drawing.rows import UserRows
from graphldp.mechanisms.drawing.streams import Key
from graphldp.privacy import Budget, allocate, degree_alone
from graphldp.privacy.hubs import LIST_SHARE, LIST_TIMES, LISTS_ABOVE
from graphldp.privacy.utility import public_mean_degree

_LEAST = 1e-15  # an ε₂ at which a float still tells p from ½


@dataclass(frozen=True, eq=False, repr=False)
class HubLists(RowMechanism):
    """Most users spend all of ε on their degree; hubs send a rough degree and a list.

    Args:
        epsilon: ε of every user, or one per user; ``inf`` is a public user, who also publishes her list.
        share: the share of ε that a hub spends on her degree.
        times: a hub has this many times the mean degree, which is publicly guessed as about log n + 0.58. A small
            community can have no hub; all of its ε then goes to the degrees.
        least: users with an ε of at most this send no list, however many friends they have.
        noise: ``"discrete"`` or ``"laplace"``.

    Example::

        reports = gl.HubLists(epsilon=2.0).randomize(graphs, rng=7)
        reports.epsilon2 > 0  # who sent a list
    """

    share: float = field(default=LIST_SHARE, kw_only=True)
    times: float = field(default=LIST_TIMES, kw_only=True)
    least: float = field(default=LISTS_ABOVE, kw_only=True)
    noise: Noise = field(default="discrete", kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        must_be = "a number between 0 and 1, a millionth away from both"
        check_number(self.share, "share", "HubLists", must_be, lambda share: 1e-6 <= share <= 1 - 1e-6)
        check_number(self.times, "times", "HubLists", "a number ≥ 0", lambda times: 0.0 <= times < np.inf)
        check_number(self.least, "least", "HubLists", "a number ≥ 0", lambda least: 0.0 <= least < np.inf)

    def budget(self, n_max: int | None = None) -> Budget:
        """All of ε on the degree, as for a user who is no hub; ``reports.budget`` says what each user spent."""
        return degree_alone(self.epsilon)

    def threshold(self, n: NDArray[np.int64]) -> NDArray[np.float64]:
        """From which d_rough on a user is a hub, by the number of users of her graph."""
        return hub_threshold(n, self.times)

    def draw_rows(self, rows: UserRows, budget: Budget, key: Key) -> DrawnLists:
        """The degrees, then who is a hub by them, then the hubs' lists."""
        epsilon = np.asarray(budget.degree)
        fine = noisy_degrees(rows, epsilon, self.noise, key)
        as_hub = allocate(epsilon, "fixed", alpha=1.0 - self.share, n_max=2, owner="HubLists")
        rough = coarser(rows, fine, epsilon, np.asarray(as_hub.degree), self.noise, key)
        threshold = self.threshold(rows.n)
        hub = np.isfinite(epsilon) & (epsilon > self.least) & (rows.n > 1) & (threshold <= rows.n - 1)
        hub &= (rough >= threshold) & (np.asarray(as_hub.edges) > _LEAST)
        spent = Budget(np.where(hub, as_hub.degree, budget.degree), np.where(hub, as_hub.edges, budget.edges))
        return replace(self.draw_lists(rows, np.where(hub, rough, fine), spent, key), budget=spent)

    def rates(self, noisy_degree: Any, n: Any, flip: Any) -> Rates:
        """(p, 1−p) with ε₂ above 0, else nothing."""
        sends = flip < 1 / 2
        return (1 - flip) * sends, flip * sends


def hub_threshold(n: NDArray[np.int64], times: float) -> NDArray[np.float64]:
    """So many times the mean degree that communities of n users are publicly guessed to have."""
    sizes, place = np.unique(n, return_inverse=True)
    return times * np.array([public_mean_degree(int(each)) for each in sizes])[place]
