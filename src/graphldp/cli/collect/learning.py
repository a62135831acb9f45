"""``graphldp collect train`` and ``label``: learn from labelled communities, and label the others."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from graphldp.cli.collect.store import CommunitiesOption, chosen, open_database
from graphldp.cli.serve import DatabaseOption
from graphldp.cli.shared import console
from graphldp.cli.shared.options import RESULTS, DeviceOption, ResultsOption
from graphldp.cli.shared.source import need_learn

DefenseOption = Annotated[
    str | None,
    typer.Option(
        help="Leave out the users that a defense flags, and show them on the dashboard: threshold, row-column, "
        "guard-accuracy or guard-guarantee."
    ),
]


def train(
    model: Annotated[Path, typer.Argument(help="Where to write the model, a .npz file.", metavar="MODEL")],
    communities: CommunitiesOption = None,
    defense: DefenseOption = None,
    seed: Annotated[int, typer.Option(help="Of weights, batches and the communities held out.")] = 0,
    recommended: Annotated[
        bool,
        typer.Option(
            "--recommended", help="Fit the recommended classifier, on the CPU, instead of a graph neural network."
        ),
    ] = False,
    max_epochs: Annotated[int, typer.Option(min=1, help="The most epochs.")] = 500,
    results: ResultsOption = RESULTS,
    device: DeviceOption = "auto",
    database: DatabaseOption = None,
    as_json: console.JsonOption = False,
) -> None:
    """Train on the communities that have a label and a report.

    A tenth of them stops the network in time, and another tenth is held out to measure by. A community's graph is the
    one induced on those who reported. Rows go to the results file, two controls beside the classifier, and 'graphldp
    page' shows them.
    """
    need_learn("collect train")
    store = open_database(database)
    from graphldp.experiments.collected import train_collected
    from graphldp.experiments.results import ResultsFile

    labelled = [each for each in chosen(store, communities) if each.label is not None]
    with ResultsFile(results) as table:
        run = train_collected(
            *(store, labelled, model, table),
            defense=defense,
            seed=seed,
            recommended=recommended,
            max_epochs=max_epochs,
            device=device,
        )
    _left_out(len(labelled) - run.communities)
    row: dict[str, Any] = {"model": run.model, "communities": run.communities, "users": run.users}
    row |= {"reported": run.reported, "held-out accuracy": run.validation}
    console.show_one(row | dict(run.settings), as_json=as_json)


def label(
    model: Annotated[Path, typer.Argument(help="A model that 'graphldp collect train' wrote.", metavar="MODEL")],
    communities: CommunitiesOption = None,
    defense: DefenseOption = None,
    device: DeviceOption = "auto",
    database: DatabaseOption = None,
    as_json: console.JsonOption = False,
) -> None:
    """Label the communities that have no label, or those that are named.

    The confidence is the model's probability. Beside it stands how many of the users had reported. There is no label
    below the setting 'min_reports' ($GRAPHLDP_MIN_REPORTS): a label from a few reports is about these few.
    """
    need_learn("collect label")
    store = open_database(database)
    from graphldp.collector.settings import load_settings
    from graphldp.experiments.collected import label_collected

    wanted = [each for each in chosen(store, communities) if communities or each.label is None]
    least = load_settings().min_reports
    found = label_collected(store, wanted, model, defense=defense, device=device, min_reports=least)
    if few := len(wanted) - len(found):
        console.err.print(f"Left out: {few} communities in which fewer than {least} have reported.")
    rows = [
        {
            "community": each.community.id,
            "label": each.prediction.label,
            "confidence": each.prediction.confidence,
            "reported": each.prediction.reported,
            "users": each.community.n,
        }
        for each in found
    ]
    console.show(rows, as_json=as_json)


def _left_out(silent: int) -> None:
    if silent:
        console.err.print(f"Left out: {silent} communities in which nobody has reported.")
