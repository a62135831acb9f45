"""``graphldp collect train``: learn from labelled communities."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graphldp.cli.collect.store import CommunitiesOption, DefenseOption, actor, open_database
from graphldp.cli.serve import DatabaseOption
from graphldp.cli.shared import console
from graphldp.cli.shared.options import RESULTS, DeviceOption, EngineName, ResultsOption
from graphldp.cli.shared.source import need_learn
from graphldp.cli.threats import AllowanceOption
from graphldp.errors import bad_parameter

if TYPE_CHECKING:
    from graphldp.experiments.service.gathering import RowReader


def train(
    model: Annotated[Path, typer.Argument(help="Where to write the model, a .npz file.", metavar="MODEL")],
    communities: CommunitiesOption = None,
    defense: DefenseOption = None,
    allowance: AllowanceOption = None,
    seed: Annotated[int, typer.Option(help="The seed of weights, batches and the choice of communities held out.")] = 0,
    recommended: Annotated[
        bool,
        typer.Option(
            "--recommended/--network",
            help="Fit the recommended classifier, on the CPU, or a graph neural network instead.",
        ),
    ] = True,
    max_epochs: Annotated[int, typer.Option(min=1, help="The most epochs of a network.")] = 500,
    results: ResultsOption = RESULTS,
    engine: Annotated[EngineName, typer.Option(help="Read reports here, or on a Ray cluster.")] = EngineName.local,
    address: Annotated[str | None, typer.Option(help="A Ray cluster; by default a local one starts.")] = None,
    folder: Annotated[
        Path | None,
        typer.Option(help="With ray: a folder that all machines can use. It holds a file of reports for a while."),
    ] = None,
    device: DeviceOption = "auto",
    database: DatabaseOption = None,
    as_json: console.JsonOption = False,
) -> None:
    """Train on the communities that have a label and enough reports: the setting 'min_reports' says how many.

    A tenth of them is held out to measure accuracy, and another tenth to stop a network in time. Only users who
    reported are in a community's graph. Rows for the classifier and two controls go to the results file, and
    'graphldp page' shows them.

    With '--engine ray' the reports are read by the machines of a Ray cluster; the model is the same to the last bit.

    The recommended classifier is by default the one that withstands liars; '--defense none' takes the plain one.
    """
    need_learn("collect train")
    if engine is EngineName.ray and not (recommended and defense in (None, "none", "recommended")):
        raise bad_parameter("engine", "collect train", "local, where lists are looked at", engine.value)
    if engine is EngineName.local and (address or folder):
        raise bad_parameter("engine", "collect train", "ray, with --address or --folder", engine.value)
    store = open_database(database)
    from graphldp.collector.acting import noting
    from graphldp.collector.actions.collected import chosen
    from graphldp.collector.roles import Role
    from graphldp.collector.settings import load_settings
    from graphldp.experiments.service.collected import train_collected
    from graphldp.experiments.service.gathering import Course, read_profiles

    least, read = load_settings().min_reports, read_profiles if engine is EngineName.local else _on_ray(address, folder)
    with noting(store, actor(), "reports.train", Role.OPERATOR, communities):
        labelled = [each for each in chosen(store, communities) if each.label is not None]
        run = train_collected(
            *(store, labelled, model, results),
            defense=_defense(defense, recommended),
            allowance=allowance,
            seed=seed,
            recommended=recommended,
            max_epochs=max_epochs,
            min_reports=least,
            course=Course(read=read, device=device),
        )
    if few := len(labelled) - run.communities:
        console.err.print(f"Left out: {few} communities in which fewer than {least} have reported.")
    row: dict[str, Any] = {"model": run.model, "communities": run.communities, "users": run.users}
    row |= {"reported": run.reported, "held-out accuracy": run.validation, "held out": run.held_out}
    if run.interval is not None:
        low, high = run.interval
        row |= {"low": low, "high": high} if as_json else {"95 % interval": f"{low:.2f} to {high:.2f}"}
    console.show_one(row | dict(run.settings), as_json=as_json)


def _on_ray(address: str | None, folder: Path | None) -> RowReader:
    from graphldp.experiments.engines.ray_rows import RayRows

    return RayRows(address, folder)


def _defense(given: str | None, recommended: bool) -> str | None:
    """What the server does about liars, unless it is told to do nothing."""
    if given is None and recommended:
        return "recommended"
    return None if given == "none" else given
