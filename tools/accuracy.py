"""Write what ε costs in accuracy into the collector, for the page that opens a community: python -m tools.accuracy."""

import json
from pathlib import Path
from typing import Any

from tools.fill import DOCS

from graphldp.experiments.results import ResultsFile
from graphldp.experiments.summary import Point, points_of

RESULTS = DOCS / "results" / "elsewhere.sqlite"
FILE = DOCS.parent / "src" / "graphldp" / "collector" / "dashboard" / "accuracy.json"
EPSILONS = (0.2, 0.5, 1.0, 2.0)
COMMUNITIES = {  # what they are, for somebody who has never heard of the dataset; and where the recipe was measured
    "REDDIT-BINARY": (
        "threads of 430 users",
        "2,000 threads of about 430 users: a discussion, or questions and answers?",
        "elsewhere",
    ),
    "IMDB-BINARY": ("casts of 20 actors", "1,000 casts of about 20 actors: action, or romance?", "elsewhere"),
    "reddit_threads_10k": ("threads of 24 users", "10,000 threads of about 24 users: a discussion, or not?", "unseen"),
}


def accuracy(results: Path = RESULTS) -> list[dict[str, Any]]:
    """Of each dataset: the recipe's accuracy at each ε with its 95 % interval, what size alone gives, and no noise."""
    with ResultsFile(results, create=False) as opened:
        rows, plans = opened.rows(), opened.plans()
    points = {
        (plan.experiment, plan.dataset, point.series, point.x): point
        for plan in plans
        for point in points_of(plan, rows)
        if not point.panel
    }
    found = []
    for dataset, (short, about, where) in COMMUNITIES.items():
        at = {f"{x:g}": _numbers(points[where, dataset, "recipe", x]) for x in EPSILONS}
        alone = _numbers(points[where, dataset, "size-control", None])
        without = points.get(("ceilings", dataset, "raw-recipe", None))
        best = None if without is None else _numbers(without)
        said = {"dataset": dataset, "short": short, "about": about}
        found.append(said | {"epsilon": at, "size alone": alone, "no privacy": best})
    return found


def _numbers(point: Point) -> list[float] | None:
    """Mean, and the ends of its interval."""
    summary = point.summary("accuracy")
    return None if summary is None else [round(float(x), 3) for x in (summary.mean, summary.low, summary.high)]


def written(found: list[dict[str, Any]]) -> str:
    """The file's text."""
    return json.dumps(found, indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    FILE.write_text(written(accuracy()), encoding="utf-8")
