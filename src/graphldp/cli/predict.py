"""``graphldp predict``: labels for graphs or reports, from a trained model."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Annotated, Any

import typer

from graphldp.cli.shared import console
from graphldp.cli.shared.options import DeviceOption, out_help, place
from graphldp.cli.shared.source import HELP, RootOption, need_learn, open_source
from graphldp.files.whole import written_whole

EPILOG = """Examples:

graphldp predict runs/first/seed-0.npz reports.npz

graphldp predict runs/first/seed-0.npz reports.npz --out labels.csv

graphldp predict runs/first/seed-0.npz IMDB-BINARY --json

graphldp predict runs/users/seed-0.npz Cora --out classes.csv
"""

ModelArgument = Annotated[Path, typer.Argument(help="A model that 'graphldp train' saved.", metavar="MODEL")]


def predict(
    model: ModelArgument,
    source: Annotated[str, typer.Argument(metavar="DATASET", help=HELP)],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help=out_help("Write a table instead of printing one", "labels.csv"))
    ] = None,
    device: DeviceOption = "auto",
    root: RootOption = None,
    as_json: console.JsonOption = False,
) -> None:
    """Label every graph, with probabilities.

    Probabilities are calibrated on graphs that were held out in training: of labels at 0.8, four in five are right.
    Some models also show under 'Withstands' how many users could lie without changing the label. Such a model is first
    compared with the graphs. If they contradict what it learned, a line says what the labels still rest on. Nothing is
    promised of what 'graphldp defend' left. Labels in the source are not read; 'graphldp evaluate' compares with them.

    A model of 'train --task nodes' labels users, and only those that it was trained on.
    """
    need_learn("predict")
    from graphldp.learn.certificates import FILTERED, UNHEARD, Certifying, certificates, checked
    from graphldp.learn.inputs import filtered
    from graphldp.learn.nodes.classifier import NodeClassifier
    from graphldp.learn.saving.loading import load_model

    classifier = load_model(model, device)
    graphs = open_source(source, root)
    classifier = checked(classifier, graphs)
    if (trust := getattr(classifier, "trust_", None)) in UNHEARD:
        console.err.print(UNHEARD[trust])
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
    text = io.StringIO()
    columns = [what, "label", *names, *(["withstands"] if isinstance(classifier, Certifying) else [])]
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    path = place(out, "labels.csv", "predict")
    with written_whole(path) as file:
        file.write(text.getvalue().encode())
    console.show_one({"file": str(path), f"{what}s": len(rows)}, as_json=as_json)
