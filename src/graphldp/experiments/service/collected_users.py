"""Learn the classes of single users from what a collector holds of one community.

The classifier is the one of ``gl.recommended(epsilon, task="nodes")``. It is transductive, so nothing is saved: it says
something of these users and of no others. The only public column that a collector has of them is their group; an
operator may add public numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from graphldp.collector.community import MIN_REPORTS, Community, enough
from graphldp.collector.rosters import read_column
from graphldp.collector.storage.copies.export import export
from graphldp.collector.storage.store import Store
from graphldp.errors import FormatError, ParameterError
from graphldp.experiments.service.gathering import present
from graphldp.intervals import share_bounds
from graphldp.learn.nodes.classifier import NodeClassifier
from graphldp.learn.selection import split
from graphldp.neighbour_lists.attributes import Attributes
from graphldp.reports import Reports
from graphldp.wire import plain

Floats = NDArray[np.float64]
_SHARES = (0.8, 0.2)  # of the known users, to learn from and to measure by
_LEAST_KNOWN = 10


@dataclass(frozen=True)
class UserClass:
    """A user with the class that she was given.

    Args:
        user: her number in the roster.
        name: her name there.
        label: the class.
        confidence: how likely the classifier thinks it is.
    """

    user: int
    name: str
    label: str
    confidence: float


@dataclass(frozen=True)
class UserClasses:
    """The classes that were found, and how well they can be relied on.

    Args:
        users: those who have reported and whose class was not known, in the order of their numbers.
        reported: how many users have reported.
        known: of how many of these the class was known.
        accuracy: on known users that were held out.
        alone: the same by a user's public columns alone, of which her group is one: a control, at no ε.
        held_out: how many these were.
    """

    users: tuple[UserClass, ...]
    reported: int
    known: int
    accuracy: float
    alone: float
    held_out: int

    @property
    def interval(self) -> tuple[float, float]:
        """Where the accuracy may lie, at 95 %."""
        low, high = share_bounds(round(self.accuracy * self.held_out), self.held_out)
        return float(low), float(high)


def classify_users(
    store: Store,
    community: Community,
    known: Mapping[int, str],
    *,
    numbers: Floats | None = None,
    seed: int = 0,
    min_reports: int = MIN_REPORTS,
) -> UserClasses:
    """Find the classes of the users who have reported, from those of some.

    Args:
        store: the collector's.
        community: by friend-counts, or by a mechanism whose lists tell users apart.
        known: classes by users' numbers. They are public, as groups are.
        numbers: further public columns, [users of the roster, columns].
        seed: of the users held out.
        min_reports: below so many reports nothing is said.
    """
    whole = export(store, [community])
    users = np.flatnonzero(present(whole))
    if not enough(len(users), min_reports):
        raise ParameterError(
            f"Fewer than {min_reports} users of '{community.id}' have reported, too few to classify them."
        )
    reports = _with_public(whole.induced(), None if numbers is None else numbers[users])
    labels = np.array([known.get(user, "") for user in users.tolist()])
    labelled = np.flatnonzero(labels != "")
    if len(labelled) < _LEAST_KNOWN:
        raise ParameterError(
            f"The classes of {len(labelled)} users who have reported are known; at least {_LEAST_KNOWN} are needed."
        )
    parts = split(labels[labelled], _SHARES, seed)
    train, held = (labelled[part] for part in parts)
    measured = NodeClassifier(seed=seed).fit(reports, labels, train=train)
    alone = measured.classes_[measured.view_.log_proba.argmax(axis=1)]
    fitted = NodeClassifier(seed=seed).fit(reports, labels, train=labelled)
    roster, chances = store.roster(community), fitted.predict_proba(reports)
    found = (
        UserClass(user, roster[user], str(fitted.classes_[chances[place].argmax()]), float(chances[place].max()))
        for place, user in enumerate(users.tolist())
        if labels[place] == ""
    )
    accuracy, by_public = (float(np.mean(said[held] == labels[held])) for said in (measured.predict(reports), alone))
    return UserClasses(tuple(found), len(users), len(labelled), accuracy, by_public, len(held))


def _with_public(reports: Reports, numbers: Floats | None) -> Reports:
    """What is public about each user as features: her own group, where there are groups, and further numbers."""
    parts: list[Floats] = [] if reports.groups is None else [np.eye(reports.num_groups)[reports.groups]]
    if numbers is not None:
        spread = numbers.std(axis=0)
        parts.append((numbers - numbers.mean(axis=0)) / np.where(spread > 0, spread, 1))
    if not parts:
        return reports
    columns = Attributes(np.hstack(parts), groups=reports.groups, num_groups=reports.num_groups, public_features=True)
    return reports.changed(attributes=columns)


class KnownUsers:
    """A file about users of a roster.

    Args:
        path: for messages.
        text: what is in it: names in the first column, under a header.
        roster: the names, in the order of their slots.
    """

    def __init__(self, path: Path, text: str, roster: list[str]) -> None:
        self._path, self._text, self._n = path, text, len(roster)
        self._slots = {plain(name): number for number, name in enumerate(roster)}

    def classes(self) -> dict[int, str]:
        """The known classes, by the users' numbers."""
        return {user: label for user, label in self._column("class").items() if label}

    def numbers(self, columns: list[str]) -> NDArray[np.float64]:
        """Columns of numbers, [users, columns]."""
        found = np.zeros((self._n, len(columns)))
        for at, column in enumerate(columns):
            cells = self._column(column)
            if len(cells) < self._n:
                raise FormatError(f"{self._path}: {self._n - len(cells):,} users of the roster are not in it.")
            for user, cell in cells.items():
                try:
                    found[user, at] = float(cell)
                except ValueError:
                    found[user, at] = np.nan
            if not np.isfinite(found[:, at]).all():
                raise FormatError(f"{self._path}: the column '{column}' must hold a number for everybody.")
        return found

    def _column(self, column: str) -> dict[int, str]:
        """The text of a column, by the users' numbers."""
        found: dict[int, str] = {}
        for row, (name, cell) in enumerate(zip(*read_column(self._text, column, str(self._path)), strict=True), 2):
            number = self._slots.get(plain(name))
            if number is None:
                raise FormatError(f"{self._path}: row {row} names somebody who is not in the community's roster.")
            if number in found:
                raise FormatError(f"{self._path}: row {row} names somebody for the second time.")
            found[number] = cell
        return found
