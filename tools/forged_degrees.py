"""Fill the tables of docs/forged-degrees.md: python tools/forged_degrees.py ROOT, the folder of the datasets.

Both are bounds on what any classifier can do on REDDIT-BINARY, by what honest graphs and reports look like.
"""

import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np
from fill import DOCS, fill, markdown
from numpy.typing import NDArray

import graphldp as gl
from graphldp.learn.tables.mixture import Pair
from graphldp.learn.tables.profiles import degree_profile
from graphldp.threats.worlds import exchangeable

PAGES = (DOCS / "forged-degrees.md",)
SHARES = (0.01, 0.1, 0.3)
ASKED = ("0.88", "0.86", "0.82")
SEEDS = 10
LEFT = (0.0, 0.05, 0.08, 0.1, 0.12, 0.15, 0.2, 0.3, 0.4)  # shares of graphs whose label may hang on the busiest user


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


def judged(graphs: gl.GraphSet, seed: int) -> NDArray[np.float64]:
    """Of each test graph of a split: its class, and its chances with and without the busiest user."""
    reports = gl.recommended(1.0).mechanism.randomize(graphs, rng=seed)
    degree, codes = np.asarray(reports.noisy_degree), np.unique(np.asarray(reports.labels), return_inverse=True)[1]
    away = np.zeros(reports.num_users, np.bool_)
    away[np.lexsort((-degree, reports.graph_of_user))[reports.graph_ptr[:-1]]] = True
    full, rest = degree_profile(reports), degree_profile(replace(reports, missing=away).induced())
    rest[:, 0] = full[:, 0]  # n is known
    learn, _, test = gl.split(reports.labels, seed=seed)
    chances = [Pair(0).fit(each[learn], codes[learn]).predict_proba(each[test])[:, 1] for each in (full, rest)]
    return np.stack((codes[test], *chances), axis=1)


def frontier(graphs: gl.GraphSet) -> str:
    """Accuracy without liars against what withstands the busiest user, as more labels are left to her."""
    true, full, rest = np.concatenate([judged(graphs, seed) for seed in range(SEEDS)]).T
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


TABLES: dict[str, Callable[[gl.GraphSet], str]] = {"training-bound": training, "evasion-bound": frontier}


def main() -> None:
    """Fill docs/forged-degrees.md."""
    graphs = gl.load_dataset("REDDIT-BINARY", root=sys.argv[1])
    for page in PAGES:
        fill(page, {name: partial(make, graphs) for name, make in TABLES.items()})


if __name__ == "__main__":
    main()
