"""Classify graphs whose users have columns, under local differential privacy, and fill docs/guides/columns.md.

    python -m tools.learning.attributes --root data --jobs 8  # computes what is missing in docs/results/attributes.json

PROTEINS and ENZYMES: what a node is (helix, sheet or turn) is a label, what is measured of it are features. Splits are
75/10/15, class by class, seeds 100 to 109; what validates elsewhere is trained on here, since nothing is chosen by it.
What users tell, and what the classifier is made of, was chosen on seeds below 30.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
from tools.fill import DOCS, fill, markdown
from tools.learning.rows import compute, read, shown

import graphldp as gl
from graphldp.learn.tables.controls import DegreeControl, SizeControl

PAGES = (DOCS / "guides" / "columns.md",)
RESULTS = DOCS / "results" / "attributes.json"
DATASETS, RATIOS, SEEDS, EPSILONS = ("PROTEINS", "ENZYMES"), (0.75, 0.10, 0.15), range(100, 110), (1.0, 2.0, 4.0)
CATEGORIES = 3
HELIX, SHEET, TURN, LENGTH = 0, 1, 2, 0  # the labels, and the feature that says how long an element is
GINS: dict[str, Literal["degree", "columns"]] = {"gin": "degree", "gin-columns": "columns"}
LABELS = {
    "size": "n alone, public",
    "degrees": "noisy degrees, no columns",
    "private": "label private, no degrees sent",
    "coded": "**label and length private, told as one word**",
    "both": "label and degrees private, a tenth of ε for degrees",
    "public": "**columns public, degrees private**",
    "true-degrees": "true degrees, no columns, not private",
    "gin": "GIN on the true graphs, no columns, not private",
    "gin-columns": "GIN on the true graphs with columns, not private",
    "true": "columns and true degrees, not private",
}


class Rule(NamedTuple):
    """How label and length become one category.

    Args:
        helix: the lengths at which helices are divided.
        sheet: the same of sheets.
        turns: what turns count as, which are rare; by default a category of their own.
    """

    helix: tuple[int, ...] = ()
    sheet: tuple[int, ...] = ()
    turns: int = TURN

    @property
    def categories(self) -> int:
        """How many there are."""
        return len(self.helix) + len(self.sheet) + 2 + (self.turns == TURN)


FINE = Rule((6, 12), (4, 7))
RULES = {
    "PROTEINS": {1.0: Rule(turns=HELIX), 2.0: Rule(), 4.0: FINE},
    "ENZYMES": {1.0: Rule((9,), turns=SHEET), 2.0: Rule((9,), turns=SHEET), 4.0: FINE._replace(turns=SHEET)},
}
WITH_EPSILON = ("degrees", "private", "coded", "both", "public")


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


def graphs_of(dataset: str, root: Path) -> gl.GraphSet:
    """A dataset whose columns are private, and whose users' labels count from 0."""
    graphs = gl.load_dataset(dataset, root, download=False)
    labels = np.asarray(graphs.node_labels)
    return graphs.with_node_labels(labels - labels.min())


def shown_columns(graphs: gl.GraphSet) -> gl.GraphSet:
    """The same with all columns public, and labels as groups."""
    public = graphs.with_features(graphs.features, public=True).with_node_labels(None)
    return public.with_groups(graphs.node_labels, num_groups=CATEGORIES)


def told_as_one(key: Key, graphs: gl.GraphSet) -> gl.Reports:
    """What users tell where label and length are one category.

    A device makes the category from its own two columns by a public rule, so ε holds for both together. More categories
    say more, and each is told truly less often: the more ε, the finer the rule.
    """
    rule = RULES[key.dataset][key.epsilon or 0.0]
    label, length = np.asarray(graphs.node_labels), np.asarray(graphs.features)[:, LENGTH]
    label = np.where(label == TURN, rule.turns, label)
    helix, sheet = (np.searchsorted(cuts, length, side="right") for cuts in (rule.helix, rule.sheet))
    found = np.where(label == HELIX, helix, len(rule.helix) + 1 + sheet)
    found = np.where(label == TURN, rule.categories - 1, found)
    mechanism = gl.CategoryRR(key.epsilon or 0.0, categories=rule.categories)
    return mechanism.randomize(graphs.with_node_labels(found.astype(np.int64)), rng=key.seed)


def drawn(key: Key, graphs: gl.GraphSet) -> gl.GraphSet | gl.Reports:
    """What the server sees."""
    epsilon, bare = key.epsilon or 0.0, graphs.with_features(None).with_node_labels(None)
    degrees = gl.NoisyDegrees(epsilon or 1.0, noise="discrete")
    label = gl.CategoryRR(epsilon or 1.0, categories=CATEGORIES)
    both = gl.Joint(edges=degrees.at(1.0), features=label.at(9.0))
    makers: dict[str, Callable[[], gl.GraphSet | gl.Reports]] = {
        "degrees": lambda: degrees.randomize(bare, rng=key.seed),
        "private": lambda: label.randomize(graphs, rng=key.seed),
        "coded": lambda: told_as_one(key, graphs),
        "both": lambda: both.at(epsilon).randomize(graphs, rng=key.seed),
        "public": lambda: degrees.randomize(shown_columns(graphs), rng=key.seed),
        "true": lambda: shown_columns(graphs),
        "gin-columns": lambda: shown_columns(graphs),
    }
    return makers.get(key.method, lambda: bare)()


def accuracy(key: Key, root: Path) -> float:
    """The share of test graphs whose label is found."""
    seen = drawn(key, graphs_of(key.dataset, root))
    train, validation, test = gl.split(seen.labels, RATIOS, key.seed)
    if key.method in GINS:
        gin = gl.GINClassifier(seed=key.seed, features=GINS[key.method])
        return float(gin.fit(seen.subset(train), validation=seen.subset(validation)).score(seen.subset(test)))
    makers: dict[str, Callable[[], Any]] = {
        "size": lambda: SizeControl(seed=key.seed, kind="forest"),
        "true-degrees": lambda: DegreeControl(seed=key.seed, kind="forest"),
        "degrees": lambda: DegreeControl(seed=key.seed, kind="forest"),
    }
    clf = makers.get(key.method, lambda: gl.ProfileClassifier(seed=key.seed))()
    both = np.concatenate((train, validation))
    return float(clf.fit(seen.subset(both)).score(seen.subset(test)))


def table(dataset: str) -> str:
    """Mean accuracy of each method, with its error."""
    known, rows = read(RESULTS), list[list[str | None]]()
    for method, label in LABELS.items():
        keys = [key for key in known if (key[0], key[2]) == (dataset, method)]
        values = [[known[key] for key in keys if key[3] in (None, epsilon)] for epsilon in EPSILONS]
        rows.append([label, *(shown(each, len(SEEDS), RATIOS[2] / (RATIOS[0] + RATIOS[1])) for each in values)])
    return markdown(["accuracy", *(f"ε = {epsilon:g}" for epsilon in EPSILONS)], rows)


TABLES: dict[str, Callable[[], str]] = {
    "attributes-proteins": lambda: table("PROTEINS"),
    "attributes-enzymes": lambda: table("ENZYMES"),
}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=Path, required=True, help="a folder with PROTEINS.zip and ENZYMES.zip")
    parser.add_argument("--jobs", type=int, default=2, help="how many splits at a time")
    asked = parser.parse_args()
    slow_last = sorted(wanted(), key=lambda key: key.method in GINS)
    compute(RESULTS, slow_last, accuracy, asked.jobs, asked.root)
    fill(PAGES[0], TABLES)
