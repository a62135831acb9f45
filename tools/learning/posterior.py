"""Fill the tables of docs/guides/learning.md: python -m tools.learning.posterior FOLDER, with datasets in FOLDER."""

import sys
from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import roc_auc_score
from tools.fill import DOCS, fill, markdown

import graphldp as gl
from graphldp.estimates.smoothed import smoothed_degrees
from graphldp.neighbour_lists import NeighbourLists

PAGES = (DOCS / "guides" / "learning.md",)


def codes(lists: NeighbourLists) -> NDArray[np.int64]:
    """One number for each entry."""
    return np.repeat(np.arange(lists.num_users), lists.degrees) * lists.n_max + lists.indices


def links(graphs: gl.GraphSet) -> str:
    """The table of how well the posterior tells true entries from false ones."""
    rows = []
    for epsilon in (0.2, 0.5, 1.0, 2.0, 4.0):
        reports = gl.DPRR(epsilon, allocation="utility", n_max=3782).randomize(graphs, rng=0)
        weight, true = gl.LinkPosterior.of(reports).probability, np.isin(codes(reports), codes(graphs))
        means = f"{weight[true].mean():.2f}", f"{weight[~true].mean():.3f}"
        sums = f"{weight.sum() / np.count_nonzero(true):.2f}", f"{roc_auc_score(true, weight):.3f}"
        split = f"{reports.epsilon1[0]:.2f} + {reports.epsilon2[0]:.2f}"
        rows.append([f"{epsilon:g}", split, f"{true.mean():.1%}", *means, *sums])
    return markdown(["ε", "ε₁ + ε₂", "true", "weight, true", "weight, false", "Σ weight / true", "AUC"], rows)


def degrees(graphs: gl.GraphSet) -> str:
    """Mean and distance of distributions."""
    truth, place = np.bincount(graphs.degrees, minlength=graphs.n_max) / graphs.num_users, np.arange(graphs.n_max)
    rows = []
    for epsilon in (0.1, 0.2, 0.5, 1.0):
        reports = gl.NoisyDegrees(epsilon).randomize(graphs, rng=0)
        clipped = np.clip(np.rint(np.asarray(reports.noisy_degree)), 0, graphs.n_max - 1).astype(np.int64)
        cells = [f"{epsilon:g}", f"{truth @ place:.2f}"]
        for found in (
            np.bincount(clipped, minlength=graphs.n_max) / graphs.num_users,
            smoothed_degrees(np.asarray(reports.noisy_degree), reports.epsilon1, graphs.n_max - 1),
        ):
            cells += [f"{found @ place:.2f}", f"{np.abs(np.cumsum(found - truth)).max():.2f}"]
        rows.append(cells)
    head = ["ε₁", "true mean", "clipped d*: mean", "clipped d*: distance", "deconvolved: mean", "deconvolved: distance"]
    return markdown(head, rows)


TABLES: dict[str, Callable[[gl.GraphSet], str]] = {"links": links, "degrees": degrees}


if __name__ == "__main__":
    REDDIT = gl.load_dataset("REDDIT-BINARY", root=sys.argv[1])[::10]
    fill(PAGES[0], {name: partial(make, REDDIT) for name, make in TABLES.items()})
