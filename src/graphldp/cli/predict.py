"""``graphldp predict``: labels for graphs or reports, from a trained model."""

from __future__ import annotations

import csv
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from graphldp.cli import console
from graphldp.cli.source import need_learn, read_file

EPILOG = """Examples:

graphldp predict runs/first/seed-0.npz reports.npz

graphldp predict runs/first/seed-0.npz reports.npz --format csv > labels.csv
"""

ModelArgument = Annotated[Path, typer.Argument(help="A model that 'graphldp train' saved.", metavar="MODEL")]
DeviceOption = Annotated[str, typer.Option(help="auto, cpu, cuda or mps.")]


class Output(StrEnum):
    """How predictions are printed."""

    table = "table"
    csv = "csv"
    json = "json"


def predict(
    model: ModelArgument,
    file: Annotated[Path, typer.Argument(help="A .npz file of graphs or reports.", metavar="FILE")],
    output: Annotated[Output, typer.Option("--format", help="How to print.")] = Output.table,
    device: DeviceOption = "auto",
) -> None:
    """Label every graph of a file, with probabilities.

    Labels in the file are not read. 'graphldp evaluate' compares with them.
    """
    need_learn("predict")
    from graphldp.learn.loading import load_classifier

    classifier = load_classifier(model, device)
    graphs = read_file(file)
    table = classifier.predict_proba(graphs)
    labels = classifier.classes_[table.argmax(axis=1)].tolist()
    names = [f"p({each})" for each in classifier.classes_.tolist()]
    rows: list[dict[str, Any]] = [
        {"graph": graph, "label": label} | dict(zip(names, chances, strict=True))
        for graph, label, chances in zip(graphs.graph_ids.tolist(), labels, table.tolist(), strict=True)
    ]
    if output is Output.csv:
        writer = csv.DictWriter(sys.stdout, ["graph", "label", *names], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    elif output is Output.json:
        console.show_json(rows)
    else:
        console.show(rows, as_json=False)
