"""The optional parts of reports: each is one frozen value, checked at birth."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from graphldp.errors import DataError
from graphldp.neighbour_lists.pointers import column


@dataclass(frozen=True)
class Origin:
    """The origin of reports: how they were drawn, as facts.

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

    def stored(self) -> dict[str, str]:
        """The content of a file."""
        return {"json": self.to_json()}

    def to_json(self) -> str:
        """One line of text, for files."""
        return json.dumps({"name": self.name, "parameters": dict(self.parameters)}, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> Origin:
        """Read what :meth:`to_json` wrote."""
        try:
            return cls(**json.loads(text))
        except (RecursionError, TypeError, ValueError):
            raise DataError("An origin must have a name and parameters.") from None


class _PerUser:
    """A part whose arrays have one entry for each user."""

    @property
    def num_users(self) -> int:
        """The number of users that it is about."""
        return next((len(each) for each in vars(self).values() if isinstance(each, np.ndarray)), 0)

    def taken(self, users: NDArray[Any]) -> Self:
        """These columns of some users."""
        some: dict[str, Any] = {name: each[users] for name, each in vars(self).items() if isinstance(each, np.ndarray)}
        return replace(self, **some)  # type: ignore[type-var]

    def _set(self, name: str, kind: type, count: int | None = None, *, table: bool = False) -> None:
        object.__setattr__(self, name, column(getattr(self, name), name, kind, count, table=table))


@dataclass(frozen=True, eq=False, repr=False)
class HubAnswers(_PerUser):
    """Hubs' answers to a second question (:class:`graphldp.HubCounts`): their friends, counted by who is busy.

    Args:
        asked: True for each user who was asked.
        busy: True for each user who was published as busy, which is what the question is about.
        quiet_friends: the noisy number of her friends who are not busy; NaN where she did not answer.
        busy_friends: the noisy number of her busy friends; NaN where she did not answer.
    """

    asked: NDArray[np.bool_]
    busy: NDArray[np.bool_]
    quiet_friends: NDArray[np.float64]
    busy_friends: NDArray[np.float64]

    def __post_init__(self) -> None:
        self._set("asked", np.bool_)
        for name, kind in (("busy", np.bool_), ("quiet_friends", np.float64), ("busy_friends", np.float64)):
            self._set(name, kind, len(self.asked))
        answered = ~np.isnan(self.quiet_friends)
        if not np.array_equal(answered, ~np.isnan(self.busy_friends)) or (answered & ~self.asked).any():
            raise DataError("A user who was asked must answer with both counts or none; nobody else may answer.")

    def check_sum(self, noisy_degree: NDArray[np.float64] | None) -> None:
        """Refuse two counts that do not add up to d*."""
        told = self.quiet_friends + self.busy_friends
        answered = ~np.isnan(told)
        if noisy_degree is None or not np.array_equal(told[answered], noisy_degree[answered]):
            raise DataError("The two counts of friends must add up to noisy_degree.")


@dataclass(frozen=True, eq=False, repr=False)
class PairAnswers(_PerUser):
    """Answers to a second question (:class:`graphldp.ClosedPairs`): pairs of a user's friends in the published lists.

    Args:
        told: the noisy count less what was subtracted on the device; NaN where a user did not answer.
        flip: of each user, the probability that a bit published of her graph is wrong.
        listed: True for each user whose own list was among those that were published, None where all were. In the place
            of any other stood one that names everybody with probability ``flip``.
    """

    told: NDArray[np.float64]
    flip: NDArray[np.float64]
    listed: NDArray[np.bool_] | None = None

    def __post_init__(self) -> None:
        self._set("told", np.float64)
        self._set("flip", np.float64, len(self.told))
        if self.listed is not None:
            self._set("listed", np.bool_, len(self.told))
        if np.isinf(self.told).any() or not ((self.flip >= 0) & (self.flip < 1 / 2)).all():
            raise DataError(
                "Answers about pairs must be numbers, and a published bit must be right more often than not."
            )


@dataclass(frozen=True, eq=False, repr=False)
class NoisyColumns(_PerUser):
    """The noisy columns that users told of their private ones. What it cost them stands in the budget.

    Args:
        features: [users, private columns], an unbiased estimate of each private feature (:class:`graphldp.MultiBit`),
            else None.
        labels: the category that each user told (:class:`graphldp.CategoryRR`), else None.
        categories: how many categories there are where labels are told.
    """

    features: NDArray[np.floating[Any]] | None = None
    labels: NDArray[np.int64] | None = None
    categories: int = 0

    def __post_init__(self) -> None:
        if self.features is not None:
            self._set("features", np.floating, table=True)
            if not np.isfinite(self.features).all():
                raise DataError("features must hold finite numbers.")
        if self.labels is None:
            return
        self._set("labels", np.int64, None if self.features is None else len(self.features))
        known = isinstance(self.categories, int) and not isinstance(self.categories, bool) and self.categories > 1
        if not known or ((self.labels < 0) | (self.labels >= self.categories)).any():
            raise DataError("labels must hold whole numbers from 0 on, below the number of categories.")

    def __bool__(self) -> bool:
        return not (self.features is None and self.labels is None)

    def beside(self, others: NoisyColumns) -> NoisyColumns:
        """These columns, and where there are none of a kind those of others."""
        features = others.features if self.features is None else self.features
        told = others if self.labels is None else self
        return NoisyColumns(features, told.labels, told.categories)
