"""Distances of drawn graphs from the estimates that they were drawn to fit."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from graphldp.datasets.fitting import surveys_of
from graphldp.errors import DataError
from graphldp.estimates import Estimate, statistics
from graphldp.graphs import GraphSet
from graphldp.intervals import LEAST
from graphldp.reports import Reports


@dataclass(frozen=True)
class Distance:
    """How far a drawn graph is from one estimate.

    Args:
        community: whose.
        row: the name of the statistic, with what it is about.
        drawn: its value in the drawn graph.
        estimate: what the reports say.
        low: the lower end of the estimate's interval.
        high: the upper end.
    """

    community: str
    row: str
    drawn: float
    estimate: float
    low: float
    high: float

    @property
    def inside(self) -> bool:
        """Whether the drawn graph is within the interval."""
        return self.low <= self.drawn <= self.high

    def to_record(self) -> dict[str, Any]:
        """As plain values."""
        return asdict(self) | {"inside": self.inside}


def distances(
    graphs: GraphSet,
    reports: Reports | Sequence[Reports],
    *,
    groups: Sequence[str] | None = None,
    least: int = LEAST,
) -> list[Distance]:
    """How far graphs are from each estimate that is about all users.

    Args:
        graphs: as :func:`graphldp.synthesize` drew them.
        reports: what they were drawn from.
        groups: the groups' names; their numbers by default.
        least: see :func:`graphldp.statistics`.
    """
    surveys = surveys_of(reports)
    if not np.array_equal(graphs.graph_ptr, surveys[0].graph_ptr):
        raise DataError("The graphs and the reports must be of the same communities.")
    found = []
    for graph, name in enumerate(surveys[0].graph_ids.tolist()):
        own = _Own(graphs.subset([graph]), surveys)
        for each in surveys:
            for row in statistics(each.subset([graph]), least=least):
                if (value := own.of(row)) is not None:
                    if groups is not None and row.to:
                        row = replace(row, of=groups[int(row.of)], to=groups[int(row.to)])
                    found.append(Distance(str(name), row.title, value, row.best, row.low, row.high))
    return found


class _Own:
    """The statistics of one drawn graph."""

    def __init__(self, graph: GraphSet, surveys: Sequence[Reports]) -> None:
        from graphldp.datasets.rewiring import triangles

        counted = next((each for each in surveys if each.groups is not None), None)
        self.degrees, n = graph.degrees.astype(np.float64), graph.num_users
        total, self.pairs = self.degrees.sum() / 2, n * (n - 1) / 2
        closed = triangles(graph.indptr.astype(np.int64), graph.indices.astype(np.int64))
        stars = float((self.degrees * (self.degrees - 1)).sum() / 2)
        self.single = {
            "friendships": total,
            "density": total / self.pairs,
            "mean degree": self.degrees.mean(),
            "share without a friend": float((self.degrees == 0).mean()),
            "inequality of degrees": self.degrees.std() / max(self.degrees.mean(), 1e-12),
            "2-stars": stars,
            "3-stars": float((self.degrees * (self.degrees - 1) * (self.degrees - 2)).sum() / 6),
            "triangles": float(closed),
            "clustering": 3 * closed / max(stars, 1.0),
        }
        self.ends = np.zeros((0, 0))
        if counted is not None and graph.groups is not None:
            owner = np.repeat(np.arange(n), graph.degrees)
            place = graph.groups[owner] * graph.num_groups + graph.groups[graph.indices]
            self.ends = np.bincount(place, minlength=graph.num_groups**2).reshape(graph.num_groups, -1).astype(float)
            internal, margins = np.trace(self.ends) / 2, self.ends.sum(axis=1) / max(self.ends.sum(), 1.0)
            chance = float(margins @ margins)
            self.single["E–I index"] = 1 - 2 * internal / max(total, 1.0)
            self.single["assortativity"] = (internal / max(total, 1.0) - chance) / max(1 - chance, 1e-12)

    def of(self, row: Estimate) -> float | None:
        """The value of a row; None for one that is not about all users, or is a test."""
        if row.name in self.single:
            return float(self.single[row.name])
        if row.name == "share with degree":
            low, _, high = row.of.partition(" ")
            end = math.inf if high == "or more" else float(high.removeprefix("to ") or low)
            return float(((self.degrees >= float(low)) & (self.degrees <= end)).mean())
        if row.name == "friendships between" and len(self.ends):
            g, other = int(row.of), int(row.to)
            return float(self.ends[g, other] / (2 if g == other else 1))
        return None
