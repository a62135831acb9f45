"""How one user's ε is split: ε₁ for her degree, ε₂ for her edges, and what is spent on columns that describe her.

The paper's rule (Section 4.4) takes ε₁ = max{√(8/(n_max−1)), (1−α)ε}. Its text then sets ε₂ = αε, which adds up to more
than ε wherever the floor on ε₁ binds. Here ε₂ = ε − ε₁, always, rounded so that ε₁ + ε₂ ≤ ε holds for the real
numbers that the two floats stand for.

The paper's floor is where the noise's variance 2/ε₁² meets (n−1)/4, a bound on the variance of the list's length that
is reached only by coin-tossing users of dense graphs. ``"utility"`` meets the variance itself, see
:mod:`graphldp.privacy.utility`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from graphldp.errors import BudgetError, Described, ParameterError, bad_parameter
from graphldp.privacy.utility import balanced_degree, public_mean_degree
from graphldp.text import facts

type_of_epsilon = float | NDArray[np.float64]
Allocation = Literal["paper", "fixed", "utility"]
ALLOCATIONS: tuple[str, ...] = get_args(Allocation)
PURPOSES = ("degree", "edges", "features", "labels")


@dataclass(frozen=True, eq=False)
class Budget:
    """The ledger: what is spent on what, per user or for all. Each is one number or one per user; ``inf`` publishes it.

    Args:
        degree: ε₁, on the degree.
        edges: ε₂, on the list.
        features: on all private columns of her features together.
        labels: on her private label.
    """

    degree: type_of_epsilon
    edges: type_of_epsilon
    features: type_of_epsilon = 0.0
    labels: type_of_epsilon = 0.0

    def __post_init__(self) -> None:
        for name in PURPOSES:
            value = np.asarray(getattr(self, name), dtype=np.float64)
            if value.ndim > 1 or not (once(value) >= 0).all():
                raise bad_parameter(name, "Budget", "a number ≥ 0, or one per user", Described("something else"))
            object.__setattr__(self, name, float(value) if value.ndim == 0 else value)
        sizes = {name: np.size(getattr(self, name)) for name in PURPOSES if np.ndim(getattr(self, name))}
        for name, size in sizes.items():
            if size != next(iter(sizes.values())):
                raise bad_parameter(name, "Budget", f"as many numbers as {next(iter(sizes))}", Described(f"{size}"))

    @property
    def total(self) -> type_of_epsilon:
        """All of it, rounded up: what is stated is never less than what is spent."""
        return _sum_up(np.asarray(self.on_lists), np.asarray(self.on_columns))[()]

    @property
    def on_lists(self) -> type_of_epsilon:
        """ε₁ + ε₂, rounded up: what is spent on whom she knows."""
        return _sum_up(np.asarray(self.degree), np.asarray(self.edges))[()]

    @property
    def on_columns(self) -> type_of_epsilon:
        """What is spent on what she is: features and label, rounded up."""
        return _sum_up(np.asarray(self.features), np.asarray(self.labels))[()]

    def _repr_html_(self) -> str:
        parts = {"ε₁, for the degree": self.degree, "ε₂, for the edges": self.edges}
        columns = {"for features": self.features, "for the label": self.labels}
        parts |= {name: value for name, value in columns.items() if np.any(value)} | {"ε, at most": self.total}
        return facts("Budget", {name: _span(value) for name, value in parts.items()})

    def per_user(self, num_users: int) -> Budget:
        """The same budget with one entry per user (views where it was one number for all)."""
        return Budget(*(np.broadcast_to(getattr(self, name), (num_users,)) for name in PURPOSES))

    def take(self, users: NDArray[np.int64] | NDArray[np.bool_]) -> Budget:
        """The budget of some users only."""
        every = np.broadcast_arrays(*(np.atleast_1d(getattr(self, name)) for name in PURPOSES))
        return Budget(*(each[users] for each in every))


def once(values: NDArray[Any]) -> NDArray[Any]:
    """One number for all users where it is one number in memory too, so that nothing is computed for each user."""
    return values[:1] if values.strides == (0,) else values


def _span(epsilon: type_of_epsilon) -> str:
    """One ε, or from which to which users spend; how many publish."""
    values = np.ravel(epsilon)
    private = values[np.isfinite(values)]
    public = len(values) - len(private)
    if not len(private):
        return "public" if public else "nobody's"
    low, high = private.min(), private.max()
    span = f"{high:.6g}" if low == high else f"{low:.6g} to {high:.6g}"
    return span + (f", and {public:,} public users" if public else "")


def check_epsilon(epsilon: ArrayLike, owner: str, num_users: int | None = None) -> type_of_epsilon:
    """Check ε, one number or one per user; ``inf`` marks a public user.

    Raises:
        ParameterError: for anything but positive numbers, and for a wrong count.
    """
    try:
        values = np.asarray(epsilon, dtype=np.float64)
    except (TypeError, ValueError):
        raise bad_parameter("epsilon", owner, "a positive number, or one per user", epsilon) from None
    if values.ndim == 0:
        if not values > 0:
            raise bad_parameter("epsilon", owner, "a positive number", float(values))
        return float(values)
    if values.ndim != 1:
        raise bad_parameter(
            "epsilon", owner, "one number or a flat array", Described(f"an array of shape {values.shape}")
        )
    if not (values > 0).all():
        where = int(np.flatnonzero(~(values > 0))[0])
        raise ParameterError(
            f"The 'epsilon' parameter of {owner} must be positive for every user. "
            f"Got {values[where]} at position {where} instead."
        )
    if num_users is not None and len(values) != num_users:
        raise bad_parameter(
            "epsilon", owner, f"one number or one per user ({num_users})", Described(f"{len(values)} numbers")
        )
    return values


def degree_floor(n_max: int) -> float:
    """√(8/(n_max−1)): below it the Laplace noise dominates the paper's variance bound; 0 where nobody has a list."""
    return math.sqrt(8.0 / (n_max - 1)) if n_max > 1 else 0.0


def degree_alone(epsilon: type_of_epsilon) -> Budget:
    """All of ε on the degree and nothing on the list, which a public user publishes."""
    return Budget(epsilon, np.where(np.isinf(epsilon), np.inf, 0.0)[()])


def allocate(
    epsilon: type_of_epsilon,
    allocation: Allocation | Budget,
    *,
    alpha: float,
    n_max: int,
    owner: str,
    mean_degree: float | None = None,
) -> Budget:
    """Split ε.

    Args:
        epsilon: one number or one per user; an infinite ε stays infinite in both parts.
        allocation: ``"paper"``, ``"fixed"``, ``"utility"`` or an explicit :class:`Budget`.
        alpha: the share of the edges, α in the paper; only ``"paper"`` and ``"fixed"`` read it.
        n_max: users in the largest graph, a public number; ``"fixed"`` does not read it.
        owner: who asks, for messages.
        mean_degree: a public guess for ``"utility"``; about log n_max + 0.58 by default.

    Raises:
        BudgetError: when ε₁ would reach ε, or an explicit budget exceeds it.
    """
    values = np.asarray(epsilon, dtype=np.float64)
    public = np.isinf(values)
    if isinstance(allocation, Budget):
        return _explicit(values, public, allocation, owner)
    if allocation == "utility":
        return _balanced(values, public, n_max, public_mean_degree(n_max) if mean_degree is None else mean_degree)
    degree = np.asarray((1.0 - alpha) * np.where(public, 1.0, values))
    if allocation == "paper":
        degree = np.maximum(degree, degree_floor(n_max))
    if (short := ~public & ~((degree > 0) & (degree < values))).any():
        if degree_floor(n_max) < values[short].min() or allocation == "fixed":
            raise BudgetError(
                f"The 'alpha' parameter of {owner} must leave some of epsilon on both sides. Got {alpha}."
            )
        raise BudgetError(
            f"The 'epsilon' parameter of {owner} must be above {degree_floor(n_max):.4g} for graphs of up to {n_max} "
            f"users under allocation='paper'. Got {values[short].min():.4g} instead: raise it, or choose "
            f"allocation='fixed' or an explicit Budget."
        )
    edges = _rest(np.where(public, 1.0, values), degree)
    return Budget(np.where(public, np.inf, degree)[()], np.where(public, np.inf, edges)[()])


def _balanced(values: NDArray[np.float64], public: NDArray[np.bool_], n_max: int, mean_degree: float) -> Budget:
    finite = np.where(public, 1.0, values)
    distinct, place = np.unique(finite, return_inverse=True)
    degree = balanced_degree(distinct, n_max, min(mean_degree, max(n_max - 1.0, 0.0)))[place].reshape(values.shape)
    edges = _rest(finite, degree)
    return Budget(np.where(public, np.inf, degree)[()], np.where(public, np.inf, edges)[()])


def _explicit(values: NDArray[np.float64], public: NDArray[np.bool_], budget: Budget, owner: str) -> Budget:
    total = np.asarray(_sum_up(np.asarray(budget.degree), np.asarray(budget.edges)))
    if total.ndim and total.shape != values.shape:
        raise bad_parameter(
            "allocation",
            owner,
            f"a Budget for all or for {values.size} users",
            Described(f"{total.size} entries"),
        )
    if (over := ~public & (total > values)).any():
        raise BudgetError(
            f"The 'allocation' parameter of {owner} must not spend more than epsilon. "
            f"Got ε₁ + ε₂ = {np.broadcast_to(total, over.shape)[over].max():.6g} "
            f"for an epsilon of {values[over].min():.6g} instead."
        )
    if not (public | (np.asarray(budget.degree) > 0)).all():
        raise BudgetError(f"The 'allocation' parameter of {owner} must spend something on the degree. Got 0 instead.")
    return Budget(np.where(public, np.inf, budget.degree)[()], np.where(public, np.inf, budget.edges)[()])


def shared(epsilon: type_of_epsilon, shares: Sequence[type_of_epsilon]) -> list[type_of_epsilon]:
    """ε in parts that are to each other as the shares, and together no more than ε; all infinite where it is.

    Args:
        epsilon: one number or one per user.
        shares: finite numbers.
    """
    if not all(np.isfinite(each).all() for each in shares):
        raise bad_parameter("epsilon", "Joint", "finite for every part, to be shared out anew", math.inf)
    whole = np.asarray(epsilon, np.float64)
    public = np.isinf(whole)
    left = finite = np.where(public, 1.0, whole)
    total = np.sum([np.asarray(each, np.float64) for each in shares], axis=0)
    parts = []
    for each in shares[:-1]:
        parts.append(finite * (np.asarray(each) / total))
        left = _rest(left, parts[-1])
    return [np.where(public, np.inf, part)[()] for part in (*parts, left)]


def _sum_up(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    """a + b rounded up: never below the real sum."""
    with np.errstate(invalid="ignore", over="ignore"):  # inf, a public user's, stays inf
        total = a + b
        residual = (a - (total - (total - a))) + (b - (total - a))  # Knuth's two-sum: total + residual is exact
        return np.where(residual > 0, np.nextafter(total, np.inf), total)


def _rest(whole: NDArray[np.float64], part: NDArray[np.float64]) -> NDArray[np.float64]:
    """whole − part, rounded so that part + rest ≤ whole holds exactly."""
    rest = whole - part
    return np.where(_sum_up(part, rest) > whole, np.nextafter(rest, 0.0), rest)
