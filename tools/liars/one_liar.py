"""What can be had against one liar in each test graph: REDDIT-BINARY, ε = 1.

python -m tools.liars.one_liar ROOT    # computes what is missing in docs/results/one-liar.json; minutes for each split
python -m tools.liars.one_liar         # fills docs/one-liar.md
"""

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, replace

from tools.fill import DOCS, fill, markdown

import graphldp as gl
from graphldp.experiments.one_liar.frontier import FrontierPoint, frontier, tried

PAGES = (DOCS / "one-liar.md",)
RESULTS = DOCS / "results" / "one-liar.json"
SPLITS = 10
ALLOWANCES = (0.01, 0.02, 0.05, 0.1)
SHOWN = {
    "accuracy": "nobody lies",
    "worst": "one liar, the worst lie",
    "together": "one liar in every graph, together",
    "certified": "certified against one",
}
NAMES = {
    "profile": "profile, which expects nobody to lie",
    "defense": "the recommended defense, allowance {setting:g}",
    "votes": "votes alone",
    "trees": "trees against the worst lie, w = {setting:g}",
    "both": "votes and trees, profile heard up to τ = {setting:g}",
}


def measured(graphs: gl.GraphSet, split: int, points: list[FrontierPoint]) -> list[FrontierPoint]:
    """All classifiers on one split; those that are known are not measured again."""
    recipe = gl.recommended(1.0)
    reports = recipe.mechanism.randomize(graphs, rng=split)
    train, _, test = gl.split(reports.labels, seed=split)
    found = [each for each in points if each.name != "defense"] or frontier(reports, train, test)
    own = _own(points)
    for allowance in ALLOWANCES:
        if allowance not in own:
            clf = gl.RobustProfileClassifier(allowance, seed=0).fit(reports.subset(train))
            own[allowance] = replace(tried(clf, reports.subset(test)), setting=allowance)
    return [*found, *own.values()]


def _own(points: list[FrontierPoint]) -> dict[float, FrontierPoint]:
    """What is known of the recommended defense, by its allowance."""
    return {each.setting: each for each in points if each.name == "defense" and each.together is not None}


def known() -> dict[str, list[FrontierPoint]]:
    """What was measured, by split."""
    found = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    return {split: [FrontierPoint(**each) for each in points] for split, points in found.items()}


def mean_of(values: Sequence[float | None]) -> str | None:
    """The mean over splits; None where not all are known."""
    numbers = [each for each in values if each is not None]
    return f"{sum(numbers) / len(numbers):.3f}" if numbers and len(numbers) == len(values) else None


def table() -> str:
    """One row for each classifier, the most accurate one first."""
    found: dict[str, list[FrontierPoint]] = {}
    for points in known().values():
        for point in points:
            found.setdefault(NAMES[point.name].format(setting=point.setting), []).append(point)
    rows = [
        [name, *(mean_of([getattr(each, what) for each in points]) for what in SHOWN)] for name, points in found.items()
    ]
    return markdown(["classifier", *SHOWN.values()], sorted(rows, key=lambda row: -float(row[1] or 0)))


TABLES = {"one-liar": table}


def _rounded(point: FrontierPoint) -> dict[str, float | str | None]:
    return {name: round(each, 4) if isinstance(each, float) else each for name, each in asdict(point).items()}


def main() -> None:
    """Measure what is missing where a folder is given, then fill the page."""
    if len(sys.argv) > 1:
        graphs, found = gl.load_dataset("REDDIT-BINARY", root=sys.argv[1]), known()
        for split in range(SPLITS):
            before = found.get(str(split), [])
            if set(_own(before)) != set(ALLOWANCES):
                found[str(split)] = measured(graphs, split, before)
                kept = {each: [_rounded(point) for point in points] for each, points in sorted(found.items())}
                RESULTS.write_text(json.dumps(kept, indent=1) + "\n")
    for page in PAGES:
        fill(page, TABLES)


if __name__ == "__main__":
    main()
