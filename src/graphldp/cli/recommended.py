"""``graphldp train --recommended``: what :func:`graphldp.recommended` says, once per seed."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np

from graphldp.cli import console
from graphldp.cli.runs import RunFolder
from graphldp.cli.seeds import RECOMMENDED, Settings, compare, noised
from graphldp.learn.inputs import given_labels
from graphldp.learn.selection import split
from graphldp.learn.tables.profile_classifier import ProfileClassifier

if TYPE_CHECKING:
    from graphldp.graphs import GraphSet
    from graphldp.reports import Reports


def run(data: GraphSet | Reports, settings: Settings, folder: RunFolder, *, seeds: int) -> None:
    """Train and test every seed that the folder does not hold yet.

    Nothing is stopped early, so the validation graphs are learned from as well, by the controls too.
    """
    for seed in (each for each in range(seeds) if each not in folder.finished):
        start = time.perf_counter()
        graphs = noised(data, settings.noise, seed)
        train, validation, test = split(given_labels(graphs, None), settings.split, seed)
        learned = graphs[np.sort(np.concatenate((train, validation)))]
        clf = ProfileClassifier(seed=seed).fit(learned)
        seconds = time.perf_counter() - start
        name = f"seed-{seed}.npz"
        clf.save(folder.path / name)
        row = compare(RECOMMENDED, clf, learned, graphs[test])
        folder.add(row | {"weight": clf.weight_, "seconds": round(seconds, 3), "model": name})
        line = f"seed {seed}: accuracy {row[RECOMMENDED]['accuracy']:.4f}"
        console.err.print(line, highlight=False, soft_wrap=True)
