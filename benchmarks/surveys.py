"""How true the intervals of ``gl.statistics`` are, and how large errors: ``benchmarks.surveys cover FOLDER NAME``.

``learn FOLDER NAME`` measures how many communities a classifier needs, and ``curves`` hands that to ``gl.plan``.

Each survey is drawn so many times on each graph, with all users and with 70 % of them at random; each row's interval is
held against the truth, which is counted here from the raw graph. FOLDER holds ``surveys/Caltech36.npz``; nothing was
chosen on ``surveys/Reed98.npz``.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path
from statistics import mean, stdev
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import graphldp as gl
from graphldp.estimates import Estimate, plans
from graphldp.estimates.degrees import REPORTED

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
RESULTS = Path(__file__).parent / "results" / "surveys"
DRAWS, SEED, RATE = 400, 38, 0.7


class Roster(NamedTuple):
    """A graph to survey, and what it is called."""

    name: str
    graph: gl.GraphSet


class Survey(NamedTuple):
    """A survey: what is asked, and of whom."""

    name: str
    mechanism: gl.Mechanism


@dataclass(frozen=True)
class Measured:
    """One row over all draws.

    Args:
        graph: which.
        survey: what was asked.
        rate: the share of users who reported.
        row: of the statistics.
        draws: how many had it.
        truth: the mean of the true values.
        error: the root of the mean squared error.
        stated: the mean of the stated standard errors.
        off: the mean difference from the truth, in errors of a mean.
        covered: of the draws, the share whose interval held the truth.
    """

    graph: str
    survey: str
    rate: float
    row: str
    draws: int
    truth: float
    error: float
    stated: float
    off: float
    covered: float


SURVEYS = (
    Survey("degrees", gl.NoisyDegrees(1.0, noise="discrete")),
    Survey("hub-lists, ε = 2", gl.HubLists(2.0)),
    Survey("hub-counts", gl.HubCounts(1.0)),
    Survey("friend counts", gl.FriendCounts(1.0)),
    Survey("lists", gl.RR(1.0)),
    Survey("combined: degrees at ½", gl.NoisyDegrees(0.5, noise="discrete")),
    Survey("combined: friend counts at ½", gl.FriendCounts(0.5)),
)


def college(folder: Path, name: str) -> Roster:
    """A college's friendships, grouped by dorm; 0 is unknown, and a group too."""
    stored = np.load(folder / "surveys" / f"{name}.npz")
    edges = stored["edges"] if stored["edges"].shape[1] == 2 else stored["edges"].T
    graph = gl.GraphSet.from_edges(edges[:, 0], edges[:, 1], [int(stored["num_users"])])
    return Roster(name, graph.with_groups(np.unique(stored["dorm"], return_inverse=True)[1]))


def with_isolates(n: int = 600, groups: int = 4, seed: int = 5) -> Roster:
    """Friendships by chance, mostly inside groups, and a tenth of the users with none."""
    rng = np.random.default_rng(seed)
    group = rng.integers(groups, size=n)
    weight = rng.gamma(2.0, size=n) * (np.arange(n) >= n // 10)
    one, two = np.triu_indices(n, 1)
    chance = weight[one] * weight[two] * np.where(group[one] == group[two], 0.006, 0.0015)
    some = rng.random(len(one)) < chance
    return Roster("isolates", gl.GraphSet.from_edges(one[some], two[some], [n]).with_groups(group))


class Truth:
    """What is true of a graph, row by row."""

    def __init__(self, graph: gl.GraphSet) -> None:
        self.degrees, self.n = graph.degrees.astype(np.float64), graph.num_users
        owner = np.repeat(np.arange(self.n), graph.degrees)
        groups = np.asarray(graph.groups)
        ends = np.zeros((graph.num_groups, graph.num_groups))
        np.add.at(ends, (groups[owner], groups[graph.indices]), 1.0)
        self.ends, self.sizes = ends, np.bincount(groups)
        rows = np.zeros((self.n, self.n), np.float32)
        rows[owner, graph.indices] = 1
        self.triangles = float(((rows @ rows) * rows).sum()) / 6

    def of(self, row: Estimate, present: Flags) -> float:
        """The true value of a row; NaN where there is none."""
        name, degrees = row.name, self.degrees
        if name.endswith(REPORTED):
            name, degrees = name.removesuffix(REPORTED), degrees[present]
        ends, total = self.ends, self.degrees.sum() / 2
        internal, pairs = np.trace(ends) / 2, self.n * (self.n - 1) / 2
        margins = ends.sum(axis=1) / ends.sum()
        g, other = (int(each) if each.isdigit() and "degree" not in name else 0 for each in (row.of, row.to))
        between = ends[g, other] / (2 if g == other else 1)
        possible = self.sizes[g] * (self.sizes[g] - 1) / 2 if g == other else self.sizes[g] * self.sizes[other]
        stars = float((degrees * (degrees - 1)).sum() / 2)
        by_chance = float((self.sizes * (self.sizes - 1)).sum()) / (self.n * (self.n - 1))
        true: dict[str, float] = {
            "friendships": total,
            "density": total / pairs,
            "mean degree": degrees.mean(),
            "share without a friend": (degrees == 0).mean(),
            "inequality of degrees": degrees.std() / degrees.mean(),
            "2-stars": stars,
            "3-stars": float((degrees * (degrees - 1) * (degrees - 2)).sum() / 6),
            "share with degree": _in(row.of, degrees).mean() if name == "share with degree" else 0.0,
            "share inside": ends[g, g] / ends[g].sum(),
            "share outside": 1 - ends[g, g] / ends[g].sum(),
            "friendships between": between,
            "connectedness": between / possible,
            "E–I index": 1 - 2 * internal / total,
            "assortativity": (internal / total - margins @ margins) / (1 - margins @ margins),
            "internal beyond chance": internal - by_chance * total,
            "triangles": self.triangles,
            "clustering": 3 * self.triangles / stars,
        }
        return float(true.get(name, math.nan))


def _in(words: str, degrees: Floats) -> Flags:
    """Whose degree is in a range that is given in words."""
    low, *rest = words.split(" ")
    high = float(rest[1]) if rest[:1] == ["to"] else math.inf if rest else float(low)
    return (degrees >= float(low)) & (degrees <= high)


def draws(roster: Roster, survey: Survey, rate: float, count: int) -> Iterator[tuple[gl.Reports, Flags]]:
    """So many surveys of one graph, one at a time."""
    for seed in range(count):
        reports = survey.mechanism.randomize(roster.graph, rng=SEED * 100_000 + seed)
        present = np.random.default_rng(SEED * 100_000 + seed).random(reports.num_users) < rate
        yield (reports if rate == 1 else unanswered(reports, present)), present


def unanswered(reports: gl.Reports, present: Flags) -> gl.Reports:
    """The reports without those of some users."""
    owner = np.repeat(present, reports.degrees)
    indptr = np.concatenate(([0], np.cumsum(np.where(present, reports.degrees, 0))))
    return reports.changed(indptr=indptr, indices=reports.indices[owner], missing=~present, as_bits=None)


def measure(roster: Roster, survey: Survey, rate: float, count: int = DRAWS) -> list[Measured]:
    """Every row of one survey of one graph."""
    truth = Truth(roster.graph)
    seen: dict[str, list[tuple[float, float, float, bool]]] = {}
    for reports, present in draws(roster, survey, rate, count):
        for row in gl.statistics(reports):
            true = truth.of(row, present)
            if not math.isnan(true):
                found = (true, row.value, row.error, row.low <= true <= row.high)
                seen.setdefault(row.title, []).append(found)
    measured = []
    for name, each in seen.items():
        true, value, error, held = np.array(each, np.float64).T
        gap = value - true
        off = gap.mean() / max(gap.std() / math.sqrt(len(gap)), 1e-300)
        rms = math.sqrt((gap**2).mean())
        measured.append(
            Measured(roster.name, survey.name, rate, name, len(gap), true.mean(), rms, error.mean(), off, held.mean())
        )
    return measured


@dataclass(frozen=True)
class Curve:
    """Accuracy by how many communities a classifier learned from.

    Args:
        dataset: which.
        epsilon: of each user.
        rate: the share of users who reported.
        communities: to learn from.
        accuracies: of each split, on a quarter of the set that is the same for all sizes of a split.
    """

    dataset: str
    epsilon: float
    rate: float
    communities: int
    accuracies: tuple[float, ...]


SIZES, EPSILONS, RATES, SPLITS = (20, 50, 100, 200, 400, 800), (0.5, 1.0, 2.0), (1.0, 0.5), 5


def learn(dataset: str, root: Path) -> Iterator[Curve]:
    """The recommended classifier, by size, ε and rate."""
    graphs = gl.load_dataset(dataset, root=root)
    for epsilon in EPSILONS:
        recipe = gl.recommended(epsilon)
        for rate in RATES:
            found: dict[int, list[float]] = {size: [] for size in SIZES}
            for seed in range(SPLITS):
                parts = gl.split(graphs.labels, ratios=(0.75, 0.25), seed=seed)  # each sorted, and so by class
                train, held = (np.random.default_rng(seed).permutation(part) for part in parts)
                some = np.concatenate([train[: max(SIZES)], held[:1000]])
                reports = recipe.mechanism.randomize(graphs.subset(some), rng=seed)
                if rate < 1:
                    present = np.random.default_rng(seed).random(reports.num_users) < rate
                    reports = unanswered(reports, present).induced()
                test = reports.subset(np.arange(len(some))[max(SIZES) :])
                for size in SIZES:
                    fitted = recipe.classifier.fit(reports.subset(np.arange(size)))
                    found[size].append(float(fitted.score(test)))
            yield from (Curve(dataset, epsilon, rate, size, tuple(found[size])) for size in SIZES)


LEARNED = {
    "reddit_threads_10k": (24, "10,000 threads of about 24 users: a discussion or not"),
    "REDDIT-BINARY": (430, "2,000 threads of about 430 users: a discussion, or questions and answers"),
}


def curves() -> list[dict[str, Any]]:
    """What ``gl.plan`` shows of the measured accuracies."""
    made = []
    for name, (users, about) in LEARNED.items():
        rows = json.loads((RESULTS / f"learn-{name.lower()}.json").read_text())
        for epsilon, rate in product(EPSILONS, RATES):
            points = [
                (row["communities"], round(mean(row["accuracies"]), 4), round(stdev(row["accuracies"]), 4))
                for row in rows
                if (row["epsilon"], row["rate"]) == (epsilon, rate)
            ]
            made.append({"users": users, "about": about, "epsilon": epsilon, "reporting": rate, "curve": points})
    return made


def main(what: str, place: str = "", name: str = "") -> None:
    """Measure, and keep what was found in ``benchmarks/results``."""
    if what == "curves":
        lines = ",\n".join(json.dumps(each, ensure_ascii=False) for each in curves())
        Path(plans.__file__).with_name("curves.json").write_text(f"[\n{lines}\n]\n", "utf-8")
        return
    folder = Path(place)
    RESULTS.mkdir(parents=True, exist_ok=True)
    if what == "learn":
        rows = [asdict(each) for each in learn(name, folder)]
    elif what == "cover":
        roster = with_isolates() if name == "isolates" else college(folder, name)
        rows = [asdict(row) for survey in SURVEYS for rate in (1.0, RATE) for row in measure(roster, survey, rate)]
    else:
        raise SystemExit("python -m benchmarks.surveys cover FOLDER NAME | learn FOLDER NAME | curves")
    lines = ",\n".join(json.dumps(_short(row), ensure_ascii=False) for row in rows)
    (RESULTS / f"{what}-{name.lower()}.json").write_text(f"[\n{lines}\n]\n")


def _short(row: dict[str, Any]) -> dict[str, Any]:
    """With six digits of each number."""
    return {name: float(f"{each:.6g}") if isinstance(each, float) else each for name, each in row.items()}


if __name__ == "__main__":
    main(*sys.argv[1:])
