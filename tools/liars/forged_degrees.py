"""Fill the tables of docs/forged-degrees.md: python -m tools.liars.forged_degrees ROOT, the folder of the datasets.

All are bounds on what any classifier can do on REDDIT-BINARY, by what honest graphs and reports look like.
"""

import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray
from tools.fill import DOCS, fill, markdown

import graphldp as gl
from graphldp.experiments.one_liar.bound import LeftOut, ViewTruth, as_it_came_out, right_and_safe
from graphldp.learn.tables.mixture import Pair
from graphldp.learn.tables.profiles import degree_profile
from graphldp.threats.worlds import exchangeable

PAGES = (DOCS / "forged-degrees.md",)
SHARES = (0.01, 0.1, 0.3)
ASKED = ("0.88", "0.86", "0.82")
SEEDS = 10
LEFT = (0.0, 0.05, 0.08, 0.1, 0.12, 0.15, 0.2, 0.3, 0.4)  # shares of graphs whose label may hang on the busiest user
LOST = (0.005, 0.01, 0.02, 0.03, 0.05)
PLACES = (0, 1, 2, -1)  # users who are left out: the busiest, the next two, and one in the middle
FOLDS = 4


def training(graphs: gl.GraphSet) -> str:
    """What no learner can have where a share of the users of training graphs lies."""
    rows = []
    for epsilon in (1.0, 2.0):
        for share, asked in zip(SHARES, ASKED, strict=True):
            both, random, one = (exchangeable(graphs, share, epsilon, each) for each in ("both", "random", "one"))
            bounds = (f"{1 - both / 2:.3f}", f"{1 - random / 2:.3f}", f"{2 - one:.3f}")
            rows.append([f"{epsilon:g}", f"{share:g}", asked, f"{both:.3f}", *bounds])
    head = ["ε", "β", "asked for", "exchanged, m", "any learner", "… liars drawn at random", "without and with, added"]
    return markdown(head, rows)


def ranks(reports: gl.Reports) -> NDArray[np.int64]:
    """Each user's place in her graph, the busiest first."""
    rank = np.empty(reports.num_users, np.int64)
    rank[np.lexsort((-np.asarray(reports.noisy_degree), reports.graph_of_user))] = reports.local_users
    return rank


def profile_without(reports: gl.Reports, away: NDArray[np.bool_]) -> NDArray[np.float64]:
    """The profile of each graph without some users; n is known."""
    profile = degree_profile(replace(reports, missing=away).induced() if away.any() else reports)
    profile[:, 0] = np.log1p(reports.sizes)
    return profile


def judged(reports: gl.Reports, left_out: NDArray[np.int64], seed: int) -> NDArray[np.float64]:
    """The second class's chance of each test graph of a split, by the best learners without the busiest users."""
    codes = codes_of(reports)
    profile = profile_without(reports, ranks(reports) < left_out[reports.graph_of_user])
    learn, _, test = gl.split(reports.labels, seed=seed)
    return chances(profile[learn], codes[learn], profile[test])[:, 1]


def chances(table: NDArray[np.float64], codes: NDArray[np.int64], asked: NDArray[np.float64]) -> NDArray[np.float64]:
    """What the best learners say of some rows, [rows, classes]."""
    return np.asarray(Pair(0).fit(table, codes).predict_proba(asked))


def absent(reports: gl.Reports, seed: int) -> tuple[LeftOut, ViewTruth]:
    """What the best learners say of the test graphs of a split without one user, and what is true of them."""
    codes, rank, n = codes_of(reports), ranks(reports), reports.sizes
    learn, _, test = gl.split(reports.labels, seed=seed)
    whole = profile_without(reports, np.zeros(reports.num_users, np.bool_))
    right, fold = np.empty(len(learn), np.int64), np.random.default_rng(seed).permutation(len(learn)) % FOLDS
    for held in (fold == each for each in range(FOLDS)):
        said = chances(whole[learn][~held], codes[learn][~held], whole[learn][held]).argmax(axis=1)
        right[held] = said == codes[learn][held]
    places = [np.minimum(n // 2 if place < 0 else place, n - 1) for place in PLACES]
    tables = [profile_without(reports, rank == each[reports.graph_of_user]) for each in places]
    asked, users = np.concatenate([each[test] for each in tables]), np.repeat(np.arange(len(tables)), len(learn))
    known = LeftOut.alike(
        chances(np.concatenate([each[learn] for each in tables]), users, asked).T,
        np.stack([chances(each[learn], codes[learn], asked) for each in tables]),
        np.stack([chances(each[learn], right, asked)[:, 1] for each in tables]),
    )
    best = chances(whole[learn], codes[learn], whole[test]).argmax(axis=1) == codes[test]
    missing = np.repeat(np.arange(len(tables)), len(test))
    return known, ViewTruth(missing, np.tile(codes[test], len(tables)), np.tile(best, len(tables)))


def anybody(graphs: gl.GraphSet) -> str:
    """What no classifier can have against one liar who may be anybody, by what it may lose where nobody lies."""
    found = [absent(reports, seed) for seed, reports, _ in drawn(graphs)]
    who, chance, best = (
        np.concatenate([getattr(known, name) for known, _ in found], axis=1) for name in ("who", "chance", "best")
    )
    true = ViewTruth(*(np.concatenate(each) for each in zip(*(outcome for _, outcome in found), strict=True)))
    mine = true.who == 0
    cases = (
        (
            LeftOut.alike(np.ones((1, mine.sum())), chance[:1, mine], best[:1, mine]),
            ViewTruth(*(e[mine] for e in true)),
        ),
        (LeftOut.alike(who, chance, best), true),
    )
    rows = []
    for lost in LOST:
        shares = [
            share
            for known, outcome in cases
            for share in (right_and_safe(known, lost).share, as_it_came_out(known, lost, outcome))
        ]
        rows.append([f"{lost:g}", *(f"{share:.3f}" for share in shares)])
    head = [
        "may be lost",
        "the busiest may lie, by chances",
        "as it came out",
        "anybody may lie, by chances",
        "as it came out",
    ]
    return markdown(head, rows)


def codes_of(reports: gl.Reports) -> NDArray[np.int64]:
    """The class of each graph, as 0 or 1."""
    return np.unique(np.asarray(reports.labels), return_inverse=True)[1]


def drawn(graphs: gl.GraphSet) -> Iterator[tuple[int, gl.Reports, NDArray[np.int64]]]:
    """The seed of each split, honest reports, and the true class of its test graphs."""
    for seed in range(SEEDS):
        reports = gl.recommended(1.0).mechanism.randomize(graphs, rng=seed)
        yield seed, reports, codes_of(reports)[gl.split(reports.labels, seed=seed)[2]]


def without_hubs(graphs: gl.GraphSet) -> str:
    """What no learner can have where a share of the users of training graphs lies, whoever is busiest first."""
    right: dict[float, list[float]] = {share: [] for share in (0.0, *SHARES)}
    for seed, reports, true in drawn(graphs):
        for share, found in right.items():
            liars = np.floor(share * reports.sizes).astype(np.int64)
            found.append(float(((judged(reports, 2 * liars, seed) > 0.5) == true).mean()))
    rows = [
        [f"{share:g}", "–" if asked is None else asked, f"{2 * share:.0%}", f"{np.mean(right[share]):.3f}"]
        for share, asked in zip(right, (None, *ASKED), strict=True)
    ]
    return markdown(["β", "asked for", "left out, the busiest", "any learner"], rows)


def without_liars(graphs: gl.GraphSet) -> str:
    """What no classifier can have against so many liars in each graph, whatever it loses where nobody lies."""
    right: dict[int, list[float]] = {liars: [] for liars in (0, 1, 2, 5)}
    for seed, reports, true in drawn(graphs):
        for liars, found in right.items():
            left_out = np.minimum(2 * liars, reports.sizes - 1)  # somebody is left in the smallest graphs
            found.append(float(((judged(reports, left_out, seed) > 0.5) == true).mean()))
    best = np.maximum.accumulate([float(np.mean(found)) for found in right.values()][::-1])[
        ::-1
    ]  # others may be ignored
    rows = [[str(liars), str(2 * liars), f"{bound:.3f}"] for liars, bound in zip(right, best, strict=True)]
    return markdown(["liars in each graph", "left out, the busiest", "any classifier"], rows)


def frontier(graphs: gl.GraphSet) -> str:
    """Accuracy without liars against what withstands the busiest user, as more labels are left to her."""
    found = [
        (true, *(judged(reports, np.full(len(reports), gone), seed) for gone in (0, 1)))
        for seed, reports, true in drawn(graphs)
    ]
    true, full, rest = np.concatenate(found, axis=1)
    sure, by_full, by_rest = np.abs(rest - 0.5), (full > 0.5) == true, (rest > 0.5) == true
    rows = []
    for left in LEFT:
        kept = sure >= np.quantile(sure, left)
        accuracy = np.where(kept, by_rest, by_full).mean()
        rows.append(
            [f"{left:.0%}", f"{accuracy:.3f}", f"{by_full.mean() - accuracy:.3f}", f"{(kept & by_rest).mean():.3f}"]
        )
    head = ["labels that hang on her", "accuracy, nobody lies", "lost", "accuracy, she lies"]
    return markdown(head, rows)


TABLES: dict[str, Callable[[gl.GraphSet], str]] = {
    "training-bound": training,
    "hubs-bound": without_hubs,
    "evasion-bound": frontier,
    "liars-bound": without_liars,
    "anybody-bound": anybody,
}


def main() -> None:
    """Fill docs/forged-degrees.md."""
    graphs = gl.load_dataset("REDDIT-BINARY", root=sys.argv[1])
    for page in PAGES:
        fill(page, {name: partial(make, graphs) for name, make in TABLES.items()})


if __name__ == "__main__":
    main()
