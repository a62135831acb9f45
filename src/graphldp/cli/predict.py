"""``graphldp predict``: labels from a trained model, or how good they are."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from graphldp.cli.shared import console
from graphldp.cli.shared.options import (
    RESULTS,
    DeviceOption,
    ResultsOption,
    RootOption,
    SourceArgument,
    need_learn,
    open_named,
    open_source,
    out_help,
    place,
)
from graphldp.errors import bad_parameter
from graphldp.files.whole import write_csv

app = typer.Typer()
EPILOG = """Examples:
graphldp predict runs/first/seed-0.npz reports.npz
graphldp predict runs/first/seed-0.npz reports.npz --out labels.csv
graphldp predict runs/first/seed-0.npz IMDB-BINARY --json
graphldp predict runs/users/seed-0.npz Cora --out classes.csv
graphldp predict runs/first/seed-0.npz reports.npz --evaluate
"""


@app.command(epilog=EPILOG)
def predict(
    model: Annotated[Path, typer.Argument(help="A model that 'graphldp train' saved.", metavar="MODEL")],
    source: SourceArgument,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", metavar="PATH", help=out_help("Write a table instead of printing one", "labels.csv")
        ),
    ] = None,
    evaluate: Annotated[
        bool, typer.Option("--evaluate", help="Instead: compare with the true labels, and keep the numbers.")
    ] = False,
    results: ResultsOption = RESULTS,
    device: DeviceOption = "auto",
    root: RootOption = None,
    as_json: console.JsonOption = False,
) -> None:
    """Label every graph, with probabilities.

    Probabilities are calibrated on graphs that were held out in training: of labels at 0.8, four in five are right.
    Some models also show under 'Withstands' how many users could lie without changing the label. Nothing is promised of
    what 'graphldp defend' left. A model of 'train --task nodes' labels users, and only those that it was trained on.

    Labels in the source are not read, except with --evaluate, which says accuracy, AUC and a confusion matrix of all
    graphs, even those that the model was trained on. Its row goes to the results file, and 'graphldp page' shows it.
    """
    need_learn("predict")
    if evaluate:
        if out is not None:
            raise bad_parameter("out", "graphldp predict", "left out with --evaluate", str(out))
        _evaluate(model, source, results, device, root, as_json)
        return
    from graphldp.learn.certificates import FILTERED, Certifying, certificates
    from graphldp.learn.inputs import filtered
    from graphldp.learn.loading import load_model
    from graphldp.learn.nodes.classifier import NodeClassifier

    classifier = load_model(model, device)
    graphs = open_source(source, root)
    table = classifier.predict_proba(graphs)
    what, whose = ("user", range(len(table))) if isinstance(classifier, NodeClassifier) else ("graph", graphs.graph_ids)
    labels = classifier.classes_[table.argmax(axis=1)].tolist()
    names = [f"p({each})" for each in classifier.classes_.tolist()]
    rows: list[dict[str, Any]] = [
        {what: int(one), "label": label} | dict(zip(names, chances, strict=True))
        for one, label, chances in zip(whose, labels, table.tolist(), strict=True)
    ]
    if isinstance(classifier, Certifying):
        if filtered(graphs):
            console.err.print(FILTERED)
        for row, certified in zip(rows, certificates(classifier, graphs), strict=True):
            row["withstands"] = console.promised(certified, as_json=as_json or out is not None)
    if out is None:
        console.show(rows, as_json=as_json)
        return
    path = place(out, "labels.csv", "predict")
    write_csv(path, [what, "label", *names, *(["withstands"] if isinstance(classifier, Certifying) else [])], rows)
    console.show_one({"file": str(path), f"{what}s": len(rows)}, as_json=as_json)


def _evaluate(model: Path, source: str, results: Path, device: str, root: Path | None, as_json: bool) -> None:
    """Show how good a model's labels are."""
    from graphldp.experiments.models import evaluate_model
    from graphldp.experiments.results import ResultsFile
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
