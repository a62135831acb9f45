"""Attacks on reports that are degrees: liars who claim more friends, or fewer, than they have.

One number of a graph's profile, how busy its busiest user is, can be forged by one liar. These attacks say how.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from graphldp.errors import DataError, bad_parameter
from graphldp.mechanisms.drawing import backend
from graphldp.mechanisms.drawing.rows import UserRows
from graphldp.mechanisms.drawing.streams import Key, Stream
from graphldp.mechanisms.named import drawn_by
from graphldp.reports import Reports
from graphldp.threats.attacks.claims import WITH_DEGREES, Floats, Friends, Lie, forged
from graphldp.threats.attacks.poison import Attack, check_share
from graphldp.threats.treatments import treat


@dataclass(frozen=True)
class DegreeAttack(Attack):
    """Liars who claim a number of friends, in reports that are degrees.

    Args:
        fraction: β.
        liars: instead of β, how many users of each graph.
        lie: ``"response"``, to send any d* that the wire admits, or ``"input"``, to run the honest mechanism on a list
            of so many friends.
        friends: whom a forged hub says she knows: ``"any"``, ``"busy"`` or ``"quiet"`` users.
        busiest: whether the busiest users of a graph are the liars, by d*; else they are drawn at random.
    """

    lie: Lie = field(default="response", kw_only=True)
    friends: Friends = field(default="any", kw_only=True)
    busiest: bool = field(default=False, kw_only=True)

    derived_for = WITH_DEGREES

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, known in (("lie", Lie), ("friends", Friends)):
            if getattr(self, name) not in get_args(known):
                raise bad_parameter(
                    name, type(self).__name__, f"one of {', '.join(get_args(known))}", getattr(self, name)
                )

    def rewritten(self, reports: Reports, crew: NDArray[np.int64], key: Key) -> Reports:
        """The reports with the claims, and with what goes with them."""
        return forged(reports, crew >= 0, self.claims(reports, crew, key), self.lie, self.friends, key)

    @abstractmethod
    def claims(self, reports: Reports, crew: NDArray[np.int64], key: Key) -> Floats:
        """The number of friends that each liar claims; see :meth:`Attack.rewritten` for the arguments."""

    def priority(self, reports: Reports, key: Key) -> NDArray[Any]:
        """The busiest by d*, or anybody."""
        return -degrees_of(reports, type(self).__name__) if self.busiest else super().priority(reports, key)

    def _crew(self, reports: Reports, key: Key, graphs: Any) -> NDArray[np.int64]:
        degrees_of(reports, type(self).__name__)
        return super()._crew(reports, key, graphs)


@dataclass(frozen=True)
class DegreeShift(DegreeAttack):
    """Every liar adds the same number to her d*.

    Args:
        by: how much; below zero to seem less busy.
    """

    by: float = 10.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.by, bool) or not isinstance(self.by, int | float | np.number) or not np.isfinite(self.by):
            raise bad_parameter("by", "DegreeShift", "a number", self.by)

    def claims(self, reports: Reports, crew: NDArray[np.int64], key: Key) -> Floats:
        """The honest d*, and so many more."""
        return degrees_of(reports, "DegreeShift") + self.by


@dataclass(frozen=True)
class FakeHub(DegreeAttack):
    """Every liar claims to know a share of her graph.

    Args:
        share: of the n − 1 others.
    """

    share: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        check_share(self.share, "share", "FakeHub")

    def claims(self, reports: Reports, crew: NDArray[np.int64], key: Key) -> Floats:
        """A share of n − 1."""
        return np.repeat(self.share * np.maximum(reports.sizes - 1.0, 0.0), reports.sizes)


@dataclass(frozen=True)
class CopyLargest(DegreeAttack):
    """Every liar claims as many friends as the busiest honest user of her graph has by d*."""

    def claims(self, reports: Reports, crew: NDArray[np.int64], key: Key) -> Floats:
        """The largest honest d* of the graph; her own where everybody lies."""
        degree = degrees_of(reports, "CopyLargest")
        top = np.full(reports.num_graphs, -np.inf)
        honest = crew < 0
        np.maximum.at(top, reports.graph_of_user[honest], degree[honest])
        found = top[reports.graph_of_user]
        return np.where(np.isfinite(found), found, degree)


@dataclass(frozen=True)
class Mimics(DegreeAttack):
    """Every liar copies an honest hub of the whole set: she claims the same share of her own graph.

    Args:
        hub: a d* above this share of a graph is a hub's.
    """

    hub: float = 0.25

    def __post_init__(self) -> None:
        super().__post_init__()
        check_share(self.hub, "hub", "Mimics")

    def claims(self, reports: Reports, crew: NDArray[np.int64], key: Key) -> Floats:
        """Shares of hubs, drawn at random."""
        others = np.maximum(np.repeat(reports.sizes, reports.sizes) - 1.0, 1.0)
        share = degrees_of(reports, "Mimics") / others
        hubs = share[(crew < 0) & ~reports.public & (share > self.hub) & (share <= 1.0)]
        if not len(hubs):
            raise DataError(f"No honest d* is above {self.hub:g} of its graph: there is no hub to mimic.")
        words = backend.first_words(UserRows.of(reports), Stream.SECOND, key)[:, 1]
        return np.asarray(hubs[words % np.uint64(len(hubs))] * others)


@dataclass(frozen=True)
class SilentHubs(DegreeAttack):
    """The busiest users of a graph claim one friend.

    Args:
        claim: how many friends they claim.
    """

    claim: float = 1.0
    busiest: bool = field(default=True, kw_only=True)

    def claims(self, reports: Reports, crew: NDArray[np.int64], key: Key) -> Floats:
        """One friend for everybody."""
        return np.full(reports.num_users, float(self.claim))


@dataclass(frozen=True)
class Imitation(DegreeAttack):
    """The liars of a graph copy the degrees of a graph of another class, the one nearest in size.

    Drawn at random, liars spread over that graph's degrees, the first at its largest; the busiest ones take the place
    of its busiest.
    """

    def claims(self, reports: Reports, crew: NDArray[np.int64], key: Key) -> Floats:
        """The other graph's d* in falling order, spread over the liars."""
        degree, donor = degrees_of(reports, "Imitation"), _donors(reports, crew)
        ranked = degree[np.lexsort((-degree, reports.graph_of_user))]
        liars = np.bincount(reports.graph_of_user, crew >= 0, reports.num_graphs)
        of = donor[reports.graph_of_user]
        size, count = reports.sizes[of], np.maximum(liars[reports.graph_of_user], 1.0)
        place = crew if self.busiest else np.floor(crew * size / count)
        return np.asarray(ranked[reports.graph_ptr[:-1][of] + np.clip(place, 0, size - 1).astype(np.int64)])


@dataclass(frozen=True)
class StayAway(Attack):
    """The busiest users of a graph do not report, on purpose."""

    derived_for = WITH_DEGREES

    def priority(self, reports: Reports, key: Key) -> NDArray[Any]:
        """The busiest by d*."""
        return -degrees_of(reports, "StayAway")

    def rewritten(self, reports: Reports, crew: NDArray[np.int64], key: Key) -> Reports:
        """The reports without theirs."""
        return treat(reports, crew >= 0, "remove")


def degrees_of(reports: Reports, owner: str) -> Floats:
    """The d* of reports that are degrees; an error for others."""
    drawn_by(reports, owner, *WITH_DEGREES)
    assert reports.noisy_degree is not None  # noqa: S101 (all of these release it)
    return reports.noisy_degree


def _donors(reports: Reports, crew: NDArray[np.int64]) -> NDArray[np.int64]:
    """For each graph with liars the nearest one of another class by its size; the graph itself for others."""
    if reports.labels is None or len(np.unique(reports.labels)) < 2:
        raise DataError("Imitation needs graphs of two classes: there is no other class to look like.")
    labels, donor = np.asarray(reports.labels), np.arange(reports.num_graphs)
    attacked = np.unique(reports.graph_of_user[crew >= 0])
    for label in np.unique(labels[attacked]):
        own, others = attacked[labels[attacked] == label], np.flatnonzero((labels != label) & (reports.sizes > 0))
        if len(others):
            donor[own] = others[np.abs(reports.sizes[own][:, None] - reports.sizes[others][None, :]).argmin(axis=1)]
    return donor
