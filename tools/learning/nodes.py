"""Fill docs/guides/users.md from what was computed about the users of Cora and FacebookPages.

    kept="--root data --effort paper --results docs/results/nodes.sqlite"
    graphldp reproduce --dataset Cora $kept
    graphldp reproduce nodes nodes-features --dataset FacebookPages $kept
    python -m tools.learning.nodes

Splits are those of Blink (half of the users train, a quarter validates, a quarter tests), class by class, seeds 100 to
109. Every setting was chosen on seeds 0 to 9.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache

from tools.fill import DOCS, fill, markdown

from graphldp.experiments.plans.accuracy import NodeSweep
from graphldp.experiments.plans.figures import EXPERIMENTS
from graphldp.experiments.plans.methods import method_of
from graphldp.experiments.results import ResultsFile
from graphldp.experiments.summary import Point, points_of

PAGES = (DOCS / "guides" / "users.md",)
RESULTS = DOCS / "results" / "nodes.sqlite"
PUBLISHED = {"Cora": {1.0: 0.712, 2.0: 0.713, 3.0: 0.748, 4.0: 0.810, 6.0: 0.864, 8.0: 0.871}}  # Blink, best variant
LABELS = {
    "friend-counts": "**friend counts**",
    "blink": "Blink's graph, our learners",
    "nonpriv-full": "true lists, not private",
}


@cache
def points(experiment: str, dataset: str) -> dict[tuple[str, float | None], Point]:
    """What is known of a dataset, by method and ε; None for a method that does not depend on it."""
    with ResultsFile(RESULTS, create=False) as results:
        rows = results.rows()
        plans = {(each.experiment, each.dataset): each for each in results.plans()}
    plan = plans[experiment, dataset]
    return {(point.series, point.x): point for point in points_of(plan, rows)}


def spec(experiment: str) -> NodeSweep:
    """The experiment."""
    found = EXPERIMENTS[experiment]
    assert isinstance(found, NodeSweep)  # noqa: S101
    return found


def table(experiment: str, dataset: str) -> str:
    """Mean accuracy of each method, with the corrected error of Nadeau & Bengio (2003)."""
    known, about, rows = points(experiment, dataset), spec(experiment), list[list[str | None]]()
    for method in about.methods:
        places = [known.get((method, epsilon)) or known.get((method, None)) for epsilon in about.epsilon]
        rows.append([LABELS.get(method, method_of(method).label), *(shown(place, about.ratios) for place in places)])
    if experiment == "nodes" and dataset in PUBLISHED:
        values = [PUBLISHED[dataset].get(epsilon) for epsilon in about.epsilon]
        rows.append(["Blink as published", *(None if value is None else f"{value:.3f}" for value in values)])
    return markdown(["accuracy", *(f"ε = {epsilon:g}" for epsilon in about.epsilon)], rows)


def shown(point: Point | None, ratios: tuple[float, ...]) -> str | None:
    """A mean and its error, and over how many splits where some are missing; a dash where all are."""
    found = None if point is None else point.summary("accuracy")
    if point is None or found is None or found.count < 2:
        return None
    some = "" if found.count == point.planned else f", {found.count} splits"
    return f"{found.mean:.3f} ± {found.std * math.sqrt(1 / found.count + ratios[2] / ratios[0]):.3f}{some}"


TABLES: dict[str, Callable[[], str]] = {
    "nodes-cora": lambda: table("nodes", "Cora"),
    "nodes-facebook": lambda: table("nodes", "FacebookPages"),
    "nodes-features-cora": lambda: table("nodes-features", "Cora"),
    "nodes-features-facebook": lambda: table("nodes-features", "FacebookPages"),
}


if __name__ == "__main__":
    fill(PAGES[0], TABLES)
