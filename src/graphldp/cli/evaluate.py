"""``graphldp evaluate``: how well a trained model labels graphs whose labels are known."""

from __future__ import annotations

import math
from typing import Annotated, Any

import typer

from graphldp.cli.predict import ModelArgument
from graphldp.cli.shared import console
from graphldp.cli.shared.options import DeviceOption
from graphldp.cli.shared.source import HELP, RootOption, need_learn, open_source

EPILOG = """Examples:

graphldp evaluate runs/first/seed-0.npz reports.npz

graphldp evaluate runs/first/seed-0.npz IMDB-BINARY --json
"""


def evaluate(
    model: ModelArgument,
    source: Annotated[str, typer.Argument(metavar="DATASET", help=HELP)],
    device: DeviceOption = "auto",
    root: RootOption = None,
    as_json: console.JsonOption = False,
) -> None:
    """Compare a model's labels with the true ones: accuracy, AUC and confusion matrix."""
    need_learn("evaluate")
    from graphldp.learn.inputs import given_labels
    from graphldp.learn.loading import load_classifier
    from graphldp.learn.metrics import evaluate as compare

    classifier = load_classifier(model, device)
    graphs = open_source(source, root)
    scores = compare(classifier.classes_, classifier.predict_proba(graphs), given_labels(graphs, None))
    trained = classifier.provenance_
    found: dict[str, Any] = {
        "accuracy": scores.accuracy,
        "auc": None if math.isnan(scores.auc) else scores.auc,  # of one class only there is none
        "graphs": len(graphs),
    }
    if as_json:
        console.show_json(found | {"confusion": scores.confusion.tolist(), "trained": trained})
        return
    console.show_one(found | {"trained on": f"{trained['dataset']}, {trained['mechanism']}"}, as_json=False)
    show_confusion(classifier.classes_.tolist(), scores.confusion.tolist())


def show_confusion(classes: list[Any], matrix: list[list[int]]) -> None:
    """Print counts by true class (rows) and predicted class (columns)."""
    rows = [
        {"true \\ predicted": str(name)} | {str(c): n for c, n in zip(classes, row, strict=True)}
        for name, row in zip(classes, matrix, strict=True)
    ]
    console.show(rows, as_json=False)
