"""What labels by witnesses withstand: accuracy where nobody lies, and the share that is certified and right.

    python -m tools.liars.witnesses REDDIT-BINARY --root data --out docs/results/witnesses-reddit-binary.json

Twenty splits, each with a draw of its own. The settings were chosen on other draws, of seeds 0 to 7. A certificate
covers every lie that an attacker who knows everything could choose, so none is searched.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from tools.fill import DOCS, markdown
from tools.liars.study import asked, kept

import graphldp as gl
from graphldp.datasets.registry import split_ratios
from graphldp.learn.tables.witness_classifier import WitnessClassifier

SEEDS = (*range(300, 310), *range(400, 410))
SHARE = 0.01


def measured(graphs: gl.GraphSet, epsilon: float, seed: int) -> dict[str, Any]:
    """One split: of its test graphs the share that is right, and that is also certified."""
    recipe = gl.recommended(epsilon, witnesses=True, seed=seed)
    reports = recipe.mechanism.randomize(graphs, rng=seed)
    learn, _, test = gl.split(reports.labels, split_ratios(graphs.name), seed)
    held_out, classifier = reports.subset(test), recipe.classifier
    assert isinstance(classifier, WitnessClassifier)  # noqa: S101
    classifier.fit(reports.subset(learn))
    right, most = classifier.predict(held_out) == held_out.labels, classifier.withstood(held_out)
    crowds = {"one": 1, "two": 2, "percent": np.ceil(SHARE * held_out.sizes)}
    certified = {name: float((right & (most >= liars)).mean()) for name, liars in crowds.items()}
    return {"seed": seed, "nobody": float(right.mean()), **certified}


DATASETS = ("reddit-binary", "reddit-threads-10k", "imdb-binary")
COLUMNS = {
    "nobody": "right where nobody lies",
    "one": "certified against one liar and right",
    "two": "against two",
    "percent": "against 1 % of the users",
}


def withstood() -> str:
    """Mean and standard deviation over splits, by dataset and ε."""
    rows: list[list[str | None]] = []
    for dataset in DATASETS:
        found = json.loads((DOCS / "results" / f"witnesses-{dataset}.json").read_text("utf-8"))
        for row in found["rows"]:
            values = np.array([[split[name] for name in COLUMNS] for split in row["splits"]])
            spread = zip(values.mean(axis=0), values.std(axis=0, ddof=1), strict=True)
            rows.append([found["dataset"], f"{row['epsilon']:g}", *(f"{mean:.3f} ± {off:.3f}" for mean, off in spread)])
    return markdown(["dataset", "ε", *COLUMNS.values()], rows)


if __name__ == "__main__":
    graphs, epsilons, seeds, out = asked(__doc__, SEEDS)
    found = [{"epsilon": each, "splits": [measured(graphs, each, seed) for seed in seeds]} for each in epsilons]
    kept(graphs, out, rows=found)
