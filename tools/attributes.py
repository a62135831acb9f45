"""Classify graphs whose users have columns, under local differential privacy, and fill docs/columns.md.

    python tools/attributes.py --root data --jobs 8    # computes what is missing in docs/results/attributes.json
    python tools/attributes.py                         # fills the page alone

PROTEINS and ENZYMES: what a node is (helix, sheet or turn) is a label, what is measured of it are features. Splits are
75/10/15, class by class, seeds 100 to 109; what validates elsewhere is trained on here, since nothing is chosen by it.
How ε is shared out, and what the classifier is made of, was chosen on seeds 0 to 9. Each row is kept as soon as
it is known: interrupt it, and run it again.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from fill import DOCS, fill, markdown

import graphldp as gl
from graphldp.files import written_whole
from graphldp.learn.tables.controls import DegreeControl, SizeControl

PAGES = (DOCS / "columns.md",)
RESULTS = DOCS / "results" / "attributes.json"
DATASETS, RATIOS, SEEDS, EPSILONS = ("PROTEINS", "ENZYMES"), (0.75, 0.10, 0.15), range(100, 110), (1.0, 2.0, 4.0)
CATEGORIES = 3
LABELS = {
    "size": "n alone, public",
    "degrees": "noisy degrees, no columns",
    "private": "**label private, degrees stay at home**",
    "both": "label and degrees private, a tenth of ε for degrees",
    "public": "**columns public, degrees private**",
    "true-degrees": "true degrees, no columns, not private",
    "gin": "GIN on the true graphs, no columns, not private",
    "true": "columns and true degrees, not private",
}
WITH_EPSILON = ("degrees", "private", "both", "public")


class Key(NamedTuple):
    """One number: a method on one split, at an ε where it has one."""

    dataset: str
    seed: int
    method: str
    epsilon: float | None


def wanted() -> Iterable[Key]:
    """All numbers, split by split."""
    for seed in SEEDS:
        for dataset in DATASETS:
            for method in LABELS:
                at = EPSILONS if method in WITH_EPSILON else (None,)
                yield from (Key(dataset, seed, method, epsilon) for epsilon in at)


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


def graphs_of(dataset: str, root: Path) -> gl.GraphSet:
    """A dataset whose columns are private, and whose users' labels count from 0."""
    graphs = gl.load_dataset(dataset, root, download=False)
    labels = np.asarray(graphs.node_labels)
    return graphs.with_node_labels(labels - labels.min())


def shown_columns(graphs: gl.GraphSet) -> gl.GraphSet:
    """The same with all columns public, and labels as groups."""
    public = graphs.with_features(graphs.features, public=True).with_node_labels(None)
    return public.with_groups(graphs.node_labels, num_groups=CATEGORIES)


def drawn(key: Key, graphs: gl.GraphSet) -> gl.GraphSet | gl.Reports:
    """What the server sees."""
    epsilon, bare = key.epsilon or 0.0, graphs.with_features(None).with_node_labels(None)
    degrees = gl.NoisyDegrees(epsilon or 1.0, noise="discrete")
    label = gl.CategoryRR(epsilon or 1.0, categories=CATEGORIES)
    both = gl.Joint(edges=degrees.at(1.0), features=label.at(9.0))
    makers: dict[str, Callable[[], gl.GraphSet | gl.Reports]] = {
        "degrees": lambda: degrees.randomize(bare, rng=key.seed),
        "private": lambda: label.randomize(graphs, rng=key.seed),
        "both": lambda: both.at(epsilon).randomize(graphs, rng=key.seed),
        "public": lambda: degrees.randomize(shown_columns(graphs), rng=key.seed),
        "true": lambda: shown_columns(graphs),
    }
    return makers.get(key.method, lambda: bare)()


def accuracy(key: Key, root: Path) -> float:
    """The share of test graphs whose label is found."""
    seen = drawn(key, graphs_of(key.dataset, root))
    train, validation, test = gl.split(seen.labels, RATIOS, key.seed)
    if key.method == "gin":
        gin = gl.GINClassifier(seed=key.seed, features="degree")
        return float(gin.fit(seen.subset(train), validation=seen.subset(validation)).score(seen.subset(test)))
    makers: dict[str, Callable[[], Any]] = {
        "size": lambda: SizeControl(seed=key.seed, kind="forest"),
        "true-degrees": lambda: DegreeControl(seed=key.seed, kind="forest"),
        "degrees": lambda: DegreeControl(seed=key.seed, kind="forest"),
    }
    clf = makers.get(key.method, lambda: gl.ProfileClassifier(seed=key.seed))()
    both = np.concatenate((train, validation))
    return float(clf.fit(seen.subset(both)).score(seen.subset(test)))


def compute(root: Path, jobs: int) -> None:
    """Compute the numbers that are missing."""
    missing = sorted((key for key in wanted() if key not in read()), key=lambda key: key.method == "gin")  # slow
    with ProcessPoolExecutor(jobs) as pool:
        running = {pool.submit(accuracy, key, root): key for key in missing}
        for done in as_completed(running):
            write(read() | {running[done]: done.result()})
            print(*running[done], done.result(), flush=True)


def table(dataset: str) -> str:
    """Mean accuracy of each method, with the corrected error of Nadeau & Bengio (2003)."""
    known = read()
    rows: list[list[str | None]] = []
    for method, label in LABELS.items():
        cells: list[str | None] = []
        for epsilon in EPSILONS:
            keys = [key for key in known if key.dataset == dataset and key.method == method]
            values = np.array([known[key] for key in keys if key.epsilon in (None, epsilon)])
            cells.append(shown(values) if len(values) == len(SEEDS) else None)
        rows.append([label, *cells])
    return markdown(["accuracy", *(f"ε = {epsilon:g}" for epsilon in EPSILONS)], rows)


def shown(values: Any) -> str:
    """A mean and its error."""
    error = values.std(ddof=1) * np.sqrt(1 / len(values) + RATIOS[2] / (RATIOS[0] + RATIOS[1]))
    return f"{values.mean():.3f} ± {error:.3f}"


TABLES: dict[str, Callable[[], str]] = {
    "attributes-proteins": lambda: table("PROTEINS"),
    "attributes-enzymes": lambda: table("ENZYMES"),
}


def main() -> None:
    """Compute where a data root is given; fill the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=Path, help="a folder with PROTEINS.zip and ENZYMES.zip")
    parser.add_argument("--jobs", type=int, default=2, help="how many splits at a time")
    given = parser.parse_args()
    if given.root:
        compute(given.root, given.jobs)
    for page in PAGES:
        fill(page, TABLES)


if __name__ == "__main__":
    main()
