"""The budget of one user's ε: ε₁ for her degree, ε₂ for her edges, and what is spent on columns that describe her.

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
from graphldp.files.text import facts
from graphldp.privacy.utility import balanced_degree, public_mean_degree

type_of_epsilon = float | NDArray[np.float64]
Allocation = Literal["paper", "fixed", "utility"]
ALLOCATIONS: tuple[str, ...] = get_args(Allocation)
PURPOSES = ("degree", "edges", "features", "labels", "answer")


@dataclass(frozen=True, eq=False)
class Budget:
    """The ledger: what is spent on what, per user or for all. Each is one number or one per user; ``inf`` publishes it.

    Args:
        degree: ε₁, on the degree.
        edges: ε₂, on the list.
        features: on all private columns of her features together.
        labels: on her private label.
        answer: on her answer to a second question about whom she knows.
    """

    degree: type_of_epsilon
    edges: type_of_epsilon
    features: type_of_epsilon = 0.0
    labels: type_of_epsilon = 0.0
    answer: type_of_epsilon = 0.0

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
        """The total, rounded up: what is stated is never less than what is spent."""
        return _sum_up(self.on_lists, self.on_columns)[()]

    @property
    def on_lists(self) -> type_of_epsilon:
        """The ε spent on whom she knows: degree, list and answer, rounded up."""
        return _sum_up(_sum_up(self.degree, self.edges), self.answer)[()]

    @property
    def on_columns(self) -> type_of_epsilon:
        """The ε spent on what she is: features and label, rounded up."""
        return _sum_up(self.features, self.labels)[()]

    def _repr_html_(self) -> str:
        parts = {"ε₁, for the degree": self.degree, "ε₂, for the edges": self.edges}
        more = {"for the answer": self.answer, "for features": self.features, "for the label": self.labels}
        parts |= {name: value for name, value in more.items() if np.any(value)} | {"ε, at most": self.total}
        return facts("Budget", {name: _span(value) for name, value in parts.items()})

    def per_user(self, num_users: int) -> Budget:
        """The same budget with one entry per user (views where it was one number for all)."""
        for name in PURPOSES:
            if np.ndim(getattr(self, name)) and (size := np.size(getattr(self, name))) != num_users:
                raise bad_parameter(name, "Budget", f"one number or one per user ({num_users})", Described(f"{size}"))
        return Budget(*(np.broadcast_to(getattr(self, name), (num_users,)) for name in PURPOSES))

    def taken(self, users: NDArray[np.int64] | NDArray[np.bool_]) -> Budget:
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
        values = None
    if values is None or np.asarray(epsilon).dtype.kind in "USb":  # NumPy makes numbers of "1" and True
        raise bad_parameter("epsilon", owner, "a positive number, or one per user", epsilon)
    if values.ndim == 0:
        if not values > 0:
            raise bad_parameter("epsilon", owner, "a positive number", float(values))
        return float(values)
    if values.ndim != 1:
        got = Described(f"an array of shape {values.shape}")
        raise bad_parameter("epsilon", owner, "one number or a flat array", got)
    if not (values > 0).all():
        where = int(np.flatnonzero(~(values > 0))[0])
        raise ParameterError(
            f"The 'epsilon' parameter of {owner} must be positive for every user. "
            f"Got {values[where]} at position {where} instead."
        )
    if num_users is not None and len(values) != num_users:
        got = Described(f"{len(values)} numbers")
        raise bad_parameter("epsilon", owner, f"one number or one per user ({num_users})", got)
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
    finite = np.where(public, 1.0, values)
    if isinstance(allocation, Budget):
        degree, edges = _explicit(values, public, allocation, owner)
    elif allocation == "utility":
        mean = public_mean_degree(n_max) if mean_degree is None else mean_degree
        distinct, place = np.unique(finite, return_inverse=True)
        degree = balanced_degree(distinct, n_max, min(mean, max(n_max - 1.0, 0.0)))[place].reshape(values.shape)
        edges = _rest(finite, degree)
    else:
        floor = degree_floor(n_max) if allocation == "paper" else 0.0
        degree = np.maximum((1.0 - alpha) * finite, floor)
        if (short := ~public & ~((degree > 0) & (degree < values))).any():
            if floor < values[short].min():
                raise BudgetError(
                    f"The 'alpha' parameter of {owner} must leave some of epsilon on both sides. Got {alpha}."
                )
            raise BudgetError(
                f"The 'epsilon' parameter of {owner} must be above {floor:.4g} for graphs of up to {n_max} users under "
                f"allocation='paper'. Got {values[short].min():.4g} instead: raise it, or choose allocation='fixed' or "
                f"an explicit Budget."
            )
        edges = _rest(finite, degree)
    return Budget(np.where(public, np.inf, degree)[()], np.where(public, np.inf, edges)[()])


def _explicit(
    values: NDArray[np.float64], public: NDArray[np.bool_], budget: Budget, owner: str
) -> tuple[type_of_epsilon, type_of_epsilon]:
    """The two parts of a budget, refused where it does not fit ε."""
    total = _sum_up(budget.degree, budget.edges)
    if total.ndim and total.shape != values.shape:
        must_be = f"a Budget for all or for {values.size} users"
        raise bad_parameter("allocation", owner, must_be, Described(f"{total.size} entries"))
    if (over := ~public & (total > values)).any():
        raise BudgetError(
            f"The 'allocation' parameter of {owner} must not spend more than epsilon. "
            f"Got ε₁ + ε₂ = {np.broadcast_to(total, over.shape)[over].max():.6g} "
            f"for an epsilon of {values[over].min():.6g} instead."
        )
    if not (public | (np.asarray(budget.degree) > 0)).all():
        raise BudgetError(f"The 'allocation' parameter of {owner} must spend something on the degree. Got 0 instead.")
    return budget.degree, budget.edges


def shared(epsilon: type_of_epsilon, shares: Sequence[type_of_epsilon]) -> list[type_of_epsilon]:
    """ε in parts that are to each other as the shares, and together no more than ε; all infinite where it is."""
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


def _sum_up(one: type_of_epsilon, two: type_of_epsilon) -> NDArray[np.float64]:
    """The sum rounded up: never below the real one."""
    a, b = np.asarray(one, np.float64), np.asarray(two, np.float64)
    with np.errstate(invalid="ignore", over="ignore"):  # inf, a public user's, stays inf
        total = a + b
        residual = (a - (total - (total - a))) + (b - (total - a))  # Knuth's two-sum: total + residual is exact
        return np.where(residual > 0, np.nextafter(total, np.inf), total)


def _rest(whole: NDArray[np.float64], part: NDArray[np.float64]) -> NDArray[np.float64]:
    """whole − part, rounded so that part + rest ≤ whole holds exactly."""
    rest = whole - part
    return np.where(_sum_up(part, rest) > whole, np.nextafter(rest, 0.0), rest)
