"""``graphldp evaluate``: how well a trained model labels graphs whose labels are known."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from graphldp.cli.predict import ModelArgument
from graphldp.cli.shared import console
from graphldp.cli.shared.options import RESULTS, DeviceOption, ResultsOption
from graphldp.cli.shared.source import HELP, RootOption, need_learn, open_named

EPILOG = """Examples:

graphldp evaluate runs/first/seed-0.npz reports.npz

graphldp evaluate runs/first/seed-0.npz IMDB-BINARY --json
"""


def evaluate(
    model: ModelArgument,
    source: Annotated[str, typer.Argument(metavar="DATASET", help=HELP)],
    results: ResultsOption = RESULTS,
    device: DeviceOption = "auto",
    root: RootOption = None,
    as_json: console.JsonOption = False,
) -> None:
    """Compare a model's labels with the true ones: accuracy, AUC and confusion matrix.

    All graphs count, even those that the model was trained on. The row goes to the results file, and 'graphldp page'
    shows it.
    """
    need_learn("evaluate")
    from graphldp.experiments.results import ResultsFile
    from graphldp.experiments.runs.evaluation import evaluate_model
    from graphldp.intervals import share_bounds

    name, _, graphs = open_named(source, root)
    with ResultsFile(results) as table:
        row, trained = evaluate_model(model, name, graphs, table, device)
    numbers = row.numbers
    low, high = share_bounds(round(numbers["accuracy"] * len(graphs)), len(graphs))
    interval = {"low": float(low), "high": float(high)}
    found: dict[str, Any] = {"accuracy": numbers["accuracy"], "auc": numbers["auc"], "graphs": len(graphs)}
    if as_json:
        console.show_json(found | interval | {"confusion": numbers["confusion"], "trained": trained})
        return
    found["95 % interval"] = f"{low:.4f} to {high:.4f}"
    console.show_one(found | {"trained on": f"{trained['dataset']}, {trained['mechanism']}"}, as_json=False)
    show_confusion(numbers["classes"], numbers["confusion"])


def show_confusion(classes: list[Any], matrix: list[list[int]]) -> None:
    """Print counts by true class (rows) and predicted class (columns)."""
    rows = [
        {"true \\ predicted": str(name)} | {str(c): n for c, n in zip(classes, row, strict=True)}
        for name, row in zip(classes, matrix, strict=True)
    ]
    console.show(rows, as_json=False)
