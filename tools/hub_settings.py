"""Choose settings for hubs on one half of a dataset and measure them on the other.

    python -m tools.hub_settings counts GRAPHS.npz docs/results/hub-settings.json
    python -m tools.hub_settings lists GRAPHS.npz docs/results/list-settings.json

Both rules were fixed before any of their numbers were seen. The graphs are halved at random, class by class. On the
first half, at one ε, each pair of settings is tried on ten splits, and the pair with the highest mean accuracy on
held-out graphs is taken; where two are level, the first. On the second half these settings are compared with a
mechanism that has none, split by split.

- ``counts``: HubCounts at ε = 1, against one round.
- ``lists``: HubLists at ε = 2, against all of ε on degrees. The settings that are shipped are measured too.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Callable
from functools import cache, partial
from itertools import product
from multiprocessing import Pool
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import graphldp as gl
from graphldp.machines.local import describe
from graphldp.privacy.hubs import LIST_SHARE, LIST_TIMES

CHOICE_SPLITS, MEASURE_SPLITS = 10, 40
HELD_OUT = 0.25  # of a half, in each split
Pair = tuple[float, float]
Values = NDArray[np.float64]


class Study(NamedTuple):
    """A study: what is chosen, and against what it is measured."""

    settings: dict[str, tuple[float, ...]]  # the names of the two, each with the values to try
    chosen_at: float  # the ε at which a pair is chosen
    epsilons: tuple[float, ...]  # at which it is measured
    make: Callable[[float, Pair], gl.Mechanism]
    plain: Callable[[float], gl.Mechanism]  # without settings
    called: tuple[str, str]  # the names of the two in the file
    shipped: Pair | None = None  # the pair that the package has, where it was chosen in another way


TIMES = (5.0, 10.0, 15.0, 20.0, 30.0)
STUDIES = {
    "counts": Study(
        settings={"times": TIMES, "busy": (2.0, 3.0, 4.0, 6.0, 8.0)},
        chosen_at=1.0,
        epsilons=(0.5, 1.0, 2.0),
        make=lambda epsilon, pair: gl.HubCounts(epsilon, times=pair[0], busy=pair[1]),
        plain=lambda epsilon: gl.recommended(epsilon).mechanism,
        called=("one_round", "two_rounds"),
    ),
    "lists": Study(
        settings={"times": TIMES, "share": (0.1, 0.2, 0.3, 0.4, 0.5)},
        chosen_at=2.0,
        epsilons=(1.5, 2.0, 3.0),
        make=lambda epsilon, pair: gl.HubLists(epsilon, times=pair[0], share=pair[1]),
        plain=partial(gl.NoisyDegrees, noise="discrete"),
        called=("degrees", "lists"),
        shipped=(LIST_TIMES, LIST_SHARE),
    ),
}


class Job(NamedTuple):
    """One fit: of which study, on which half, at which ε, with which settings (None for none), on which split."""

    study: str
    path: str
    half: int
    epsilon: float
    settings: Pair | None
    seed: int


@cache
def half_of(path: str, which: int) -> gl.GraphSet:
    """One half of the graphs, as many of each class as of the other."""
    graphs = gl.GraphSet.load(path)
    order = np.random.default_rng(2024).permutation(graphs.num_graphs)
    labels = np.asarray(graphs.labels)
    mine = [order[labels[order] == label][which::2] for label in np.unique(labels)]
    return graphs.subset(np.sort(np.concatenate(mine)))


def accuracy(job: Job) -> float:
    """The share of held-out graphs that are labelled right."""
    graphs, study = half_of(job.path, job.half), STUDIES[job.study]
    mechanism = study.plain(job.epsilon) if job.settings is None else study.make(job.epsilon, job.settings)
    reports = mechanism.randomize(graphs, rng=job.seed)
    train, stop, test = gl.split(reports.labels, ratios=(1 - HELD_OUT, HELD_OUT / 2, HELD_OUT / 2), seed=job.seed)
    fitted = gl.ProfileClassifier(seed=job.seed).fit(reports.subset(train))
    return fitted.score(reports.subset(np.concatenate((stop, test))))


def measured(study: Study, plain: Values, with_settings: Values) -> list[dict[str, float]]:
    """What settings gain at each ε, split by split, with the error that Nadeau & Bengio (2003) correct."""
    rows = []
    for epsilon, one, two in zip(study.epsilons, plain, with_settings, strict=True):
        error = (two - one).std(ddof=1) * np.sqrt(1 / len(one) + HELD_OUT / (1 - HELD_OUT))
        means = dict(zip(study.called, (float(one.mean()), float(two.mean())), strict=True))
        rows.append({"epsilon": epsilon, **means, "gain": float((two - one).mean()), "error": float(error)})
    return rows


def run(name: str, path: str, workers: int) -> dict[str, Any]:
    """Choose, then measure."""
    study = STUDIES[name]
    grid: list[Pair] = [(one, two) for one, two in product(*study.settings.values())]
    with Pool(workers) as pool:
        jobs = [Job(name, path, 0, study.chosen_at, pair, seed) for pair in grid for seed in range(CHOICE_SPLITS)]
        tried = np.array(pool.map(accuracy, jobs, chunksize=1)).reshape(len(grid), CHOICE_SPLITS).mean(axis=1)
        chosen = grid[int(tried.argmax())]
        pairs = list(dict.fromkeys([None, chosen, study.shipped or chosen]))
        places = product(pairs, study.epsilons, range(MEASURE_SPLITS))
        jobs = [Job(name, path, 1, epsilon, pair, seed) for pair, epsilon, seed in places]
        found = np.array(pool.map(accuracy, jobs, chunksize=1)).reshape(len(pairs), -1, MEASURE_SPLITS)
    known = dict(zip(pairs, found, strict=True))
    names = tuple(study.settings)
    told = {
        "tried": [
            dict(zip((*names, "accuracy"), (*pair, float(a)), strict=True)) for pair, a in zip(grid, tried, strict=True)
        ],
        "chosen": dict(zip(names, chosen, strict=True)),
        "measured": measured(study, known[None], known[chosen]),
        "splits": {"choice": CHOICE_SPLITS, "measure": MEASURE_SPLITS},
        "machine": describe("cpu"),
    }
    if study.shipped is None:
        return told
    shipped = dict(zip(names, study.shipped, strict=True))
    return told | {"shipped": shipped, "shipped_measured": measured(study, known[None], known[study.shipped])}


def main() -> None:
    """Run the study and write what it found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("study", choices=STUDIES)
    parser.add_argument("graphs", help="graphs that GraphSet.save wrote")
    parser.add_argument("out", type=Path, help="where the numbers go, as JSON")
    given = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = "1"
    found = run(given.study, given.graphs, os.cpu_count() or 1)
    given.out.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
