"""Choose HubCounts' settings on one half of a dataset and measure them on the other.

    python tools/hub_settings.py GRAPHS.npz docs/results/hub-settings.json

The rule was fixed before any of its numbers were seen. The graphs are halved at random, class by class. On the first
half, at ε = 1, each pair of settings is tried on ten splits, and the pair with the highest mean accuracy on held-out
graphs is taken. On the second half the recipe with these settings is compared with one round, split by split.
"""

from __future__ import annotations

import argparse
import json
import os
from functools import cache
from itertools import product
from multiprocessing import Pool
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import graphldp as gl
from graphldp.machines.local import describe

TIMES = (5.0, 10.0, 15.0, 20.0, 30.0)
BUSY = (2.0, 3.0, 4.0, 6.0, 8.0)
CHOSEN_AT = 1.0
EPSILONS = (0.5, 1.0, 2.0)
CHOICE_SPLITS, MEASURE_SPLITS = 10, 40
HELD_OUT = 0.25  # of a half, in each split


class Job(NamedTuple):
    """One fit: which half, at which ε, with which settings (None for one round), on which split."""

    path: str
    half: int
    epsilon: float
    settings: tuple[float, float] | None
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
    graphs = half_of(job.path, job.half)
    mechanism: gl.Mechanism = gl.recommended(job.epsilon).mechanism
    if job.settings is not None:
        mechanism = gl.HubCounts(job.epsilon, times=job.settings[0], busy=job.settings[1])
    reports = mechanism.randomize(graphs, rng=job.seed)
    train, stop, test = gl.split(reports.labels, ratios=(1 - HELD_OUT, HELD_OUT / 2, HELD_OUT / 2), seed=job.seed)
    fitted = gl.ProfileClassifier(seed=job.seed).fit(reports.subset(train))
    return fitted.score(reports.subset(np.concatenate((stop, test))))


def mean_and_error(values: NDArray[np.float64]) -> tuple[float, float]:
    """The mean over overlapping splits, and its error as Nadeau & Bengio (2003) correct it."""
    count = len(values)
    return float(values.mean()), float(values.std(ddof=1) * np.sqrt(1 / count + HELD_OUT / (1 - HELD_OUT)))


def study(path: str, workers: int) -> dict[str, Any]:
    """Choose, then measure."""
    grid = list(product(TIMES, BUSY))
    with Pool(workers) as pool:
        jobs = [Job(path, 0, CHOSEN_AT, pair, seed) for pair in grid for seed in range(CHOICE_SPLITS)]
        tried = np.array(pool.map(accuracy, jobs, chunksize=1)).reshape(len(grid), CHOICE_SPLITS).mean(axis=1)
        chosen = grid[int(tried.argmax())]
        jobs = [
            Job(path, 1, epsilon, settings, seed)
            for epsilon in EPSILONS
            for settings in (None, chosen)
            for seed in range(MEASURE_SPLITS)
        ]
        found = np.array(pool.map(accuracy, jobs, chunksize=1)).reshape(len(EPSILONS), 2, MEASURE_SPLITS)
    measured = []
    for epsilon, (one, two) in zip(EPSILONS, found, strict=True):
        gain, error = mean_and_error(two - one)
        means = {"one_round": float(one.mean()), "two_rounds": float(two.mean())}
        measured.append({"epsilon": epsilon, **means, "gain": gain, "error": error})
    return {
        "tried": [{"times": t, "busy": b, "accuracy": float(a)} for (t, b), a in zip(grid, tried, strict=True)],
        "chosen": {"times": chosen[0], "busy": chosen[1]},
        "measured": measured,
        "splits": {"choice": CHOICE_SPLITS, "measure": MEASURE_SPLITS},
        "machine": describe("cpu"),
    }


def main() -> None:
    """Run the study and write what it found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("graphs", help="graphs that GraphSet.save wrote")
    parser.add_argument("out", type=Path, help="where the numbers go, as JSON")
    given = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = "1"
    found = study(given.graphs, os.cpu_count() or 1)
    given.out.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
