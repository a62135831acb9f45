"""Classify the users of Cora and FacebookPages under edge local differential privacy, and fill docs/groups.md.

    python tools/nodes.py --root data    # computes what is missing in docs/results/nodes.json, then fills the page
    python tools/nodes.py                # fills the page alone

Splits are those of Blink (half of the users train, a quarter validates, a quarter tests), class by class, seeds 100 to
109. Every setting was chosen on seeds 0 to 9. Each row is kept as soon as it is known: interrupt it, and run it again.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from fill import DOCS, fill, markdown
from scipy import sparse

import graphldp as gl
from graphldp.files import written_whole
from graphldp.learn.inference.blink import denoise
from graphldp.learn.nodes import opinions

PAGES = (DOCS / "groups.md",)
RESULTS = DOCS / "results" / "nodes.json"
RATIOS, SEEDS = (0.5, 0.25, 0.25), range(100, 110)
EPSILONS = (0.5, 1.0, 2.0, 3.0, 4.0, 6.0, 8.0)
LISTS = {"Cora": (3.0, 4.0, 6.0, 8.0), "FacebookPages": (6.0, 8.0)}  # below, a list names a good part of everybody
BLINK = {"Cora": (1.0, 2.0, 4.0, 6.0, 8.0), "FacebookPages": ()}  # whose server takes n² bytes
PUBLISHED = {"Cora": {1.0: 0.712, 2.0: 0.713, 3.0: 0.748, 4.0: 0.810, 6.0: 0.864, 8.0: 0.871}}  # Blink, best variant
LABELS = {
    "words": "words alone",
    "features": "all that features say",
    "counts": "**friend counts**",
    "lists": "lists (RR)",
    "blink": "Blink's graph, our learners",
    "true": "true lists, not private",
}


class Key(NamedTuple):
    """One number: a method on one split, at an ε where it has one."""

    dataset: str
    seed: int
    method: str
    epsilon: float | None


def wanted(dataset: str) -> Iterator[Key]:
    """All numbers of a dataset, split by split."""
    for seed in SEEDS:
        yield from (Key(dataset, seed, method, None) for method in ("words", "features"))
        yield from (Key(dataset, seed, "counts", epsilon) for epsilon in EPSILONS)
        yield Key(dataset, seed, "true", None)
        yield from (Key(dataset, seed, "lists", epsilon) for epsilon in LISTS[dataset])
        yield from (Key(dataset, seed, "blink", epsilon) for epsilon in BLINK[dataset])


def read() -> dict[Key, float]:
    """What is known."""
    rows = json.loads(RESULTS.read_text()) if RESULTS.exists() else []
    return {Key(each["dataset"], each["seed"], each["method"], each["epsilon"]): each["accuracy"] for each in rows}


def write(found: dict[Key, float]) -> None:
    """Keep it, in order."""
    order = sorted(found, key=lambda key: (key.dataset, key.seed, key.method, key.epsilon or 0.0))
    rows = [json.dumps(key._asdict() | {"accuracy": round(found[key], 5)}) for key in order]
    with written_whole(RESULTS) as file:
        file.write(("[\n" + ",\n".join(rows) + "\n]\n").encode())


def compute(dataset: str, root: Path, seeds: Sequence[int]) -> None:
    """Compute the numbers that are missing."""
    graphs = gl.load_dataset(dataset, root, download=False)
    for seed in seeds:
        missing = [key for key in wanted(dataset) if key.seed == seed and key not in read()]
        if not missing:
            continue
        train, validation, test = gl.split(graphs.node_labels, RATIOS, seed)
        view = gl.FeatureView.of(graphs, train=train, validation=validation)
        truth = np.searchsorted(view.users.classes, np.asarray(graphs.node_labels)[test])
        for key in missing:
            found = scores(key, graphs.with_groups(view.groups), view)[test].argmax(axis=1)
            write(read() | {key: float((found == truth).mean())})
            print(*key, read()[key], flush=True)


def scores(key: Key, graphs: gl.GraphSet, view: gl.FeatureView) -> Any:
    """Log probabilities of all users, by one method."""
    if key.method in ("words", "features"):
        return view.opinions["features"] if key.method == "words" else view.log_proba
    epsilon, users = key.epsilon or 0.0, view.users
    if key.method == "blink":
        return users.mixed(view.opinions | by_blink(gl.Blink(epsilon).randomize(graphs, rng=key.seed), view))[1]
    makers: dict[str, Callable[[], gl.Mechanism]] = {
        "counts": lambda: gl.FriendCounts(epsilon),
        "lists": lambda: gl.RR(epsilon),
        "true": gl.NonPrivFull,
    }
    reports = makers[key.method]().randomize(graphs, rng=key.seed)
    clf = gl.NodeClassifier().fit(reports, train=users.train, validation=users.validation, view=view)
    return clf.log_proba_


def by_blink(reports: gl.Reports, view: gl.FeatureView) -> dict[str, Any]:
    """What friends say in the graph that Blink's own server makes."""
    found, users = denoise(reports, "hybrid"), view.users
    graph = found.reports
    edges = sparse.csr_array((found.weight, graph.indices, graph.indptr), shape=(graph.num_users, graph.num_users))
    rows = opinions.compressed(view.rows, 0)
    return opinions.by_links(rows, edges, view.log_proba, users.codes, users.train, users.validation)


def table(dataset: str) -> str:
    """Mean accuracy of each method, with the corrected error of Nadeau & Bengio (2003)."""
    known = read()
    rows: list[list[str | None]] = []
    for method, label in LABELS.items():
        cells = []
        for epsilon in EPSILONS:
            keys = [key for key in known if key.dataset == dataset and key.method == method]
            values = np.array([known[key] for key in keys if key.epsilon in (None, epsilon)])
            cells.append(shown(values) if len(values) else None)
        if any(cells):
            rows.append([label, *cells])
    if dataset in PUBLISHED:
        rows.append(
            [
                "Blink as published",
                *(f"{PUBLISHED[dataset][e]:.3f}" if e in PUBLISHED[dataset] else None for e in EPSILONS),
            ]
        )
    return markdown(["accuracy", *(f"ε = {epsilon:g}" for epsilon in EPSILONS)], rows)


def shown(values: Any) -> str:
    """A mean and its error."""
    error = values.std(ddof=1) * np.sqrt(1 / len(values) + RATIOS[2] / RATIOS[0])
    return f"{values.mean():.3f} ± {error:.3f}"


TABLES: dict[str, Callable[[], str]] = {
    "nodes-cora": lambda: table("Cora"),
    "nodes-facebook": lambda: table("FacebookPages"),
}


def main() -> None:
    """Compute where a data root is given; fill the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=Path, help="a folder with Cora.npz and FacebookPages.npz, or with nodes/")
    parser.add_argument("--dataset", choices=sorted(LISTS), action="append", help="one of them; both unless said")
    given = parser.parse_args()
    for dataset in (given.dataset or LISTS) if given.root else ():
        compute(dataset, given.root, SEEDS)
    for page in PAGES:
        fill(page, TABLES)


if __name__ == "__main__":
    main()
