"""``graphldp collect train``: learn from labelled communities."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graphldp.cli.collect.store import CommunitiesOption, DefenseOption, actor, open_database, recommended_defense
from graphldp.cli.serve import DatabaseOption
from graphldp.cli.shared import console
from graphldp.cli.shared.options import RESULTS, AddressOption, DeviceOption, EngineName, ResultsOption, need_learn
from graphldp.errors import bad_parameter

if TYPE_CHECKING:
    from graphldp.experiments.service.gathering import RowReader


app = typer.Typer()


@app.command(epilog="Example: graphldp collect train model.npz")
def train(
    model: Annotated[Path, typer.Argument(help="Where to write the model, a .npz file.", metavar="MODEL")],
    communities: CommunitiesOption = None,
    defense: DefenseOption = None,
    seed: Annotated[int, typer.Option(metavar="N", help="Of weights, batches and of who is held out.")] = 0,
    network: Annotated[
        bool, typer.Option("--network", help="Fit a graph neural network instead of the recommended classifier.")
    ] = False,
    trusted_only: Annotated[
        bool,
        typer.Option("--trusted-only", help="Learn from the trusted communities alone."),
    ] = False,
    max_epochs: Annotated[int, typer.Option(min=1, metavar="N", help="The most epochs of a network.")] = 500,
    results: ResultsOption = RESULTS,
    engine: Annotated[EngineName, typer.Option(help="Read reports here, or on a Ray cluster.")] = EngineName.local,
    address: AddressOption = None,
    folder: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="With ray: a folder that all machines can use. It holds a file of reports for a while.",
        ),
    ] = None,
    device: DeviceOption = "auto",
    database: DatabaseOption = None,
    as_json: console.JsonOption = False,
) -> None:
    """Train on the communities of a known class with enough reports: the setting 'min_reports' says how many.

    Accuracy is measured by cross-validation: each community is held out once. For a network, a tenth is held out, and
    another tenth to stop it in time. Only users who reported are in a community's graph. Rows for the classifier and
    two controls, on one split, go to the results file, and 'graphldp page' shows them.

    With '--engine ray' the reports are read by the machines of a Ray cluster; the model is the same to the last bit.

    The recommended classifier is by default the one that withstands liars; '--defense none' takes the plain one, and
    '--defense "recommended allowance=0.05"' says how much accuracy that may cost. Communities with witnesses
    have one of their own, which always does. What it promises holds for the model as it was trained. If others may lie
    where you train, use '--trusted-only'.
    """
    need_learn("collect train")
    way, allowance = recommended_defense(defense or ("none" if network else "recommended"), "graphldp collect train")
    if engine is EngineName.ray and (network or way not in ("none", "recommended")):
        raise bad_parameter("engine", "collect train", "local, where lists are looked at", engine.value)
    if engine is EngineName.local and (address or folder):
        raise bad_parameter("engine", "collect train", "ray, with --address or --folder", engine.value)
    store = open_database(database)
    from graphldp.collector.actions.reports import chosen
    from graphldp.collector.roles import Role, noting
    from graphldp.collector.settings import load_settings
    from graphldp.experiments.service.collected import train_collected
    from graphldp.experiments.service.gathering import Course, read_profiles

    least, read = load_settings().min_reports, read_profiles if engine is EngineName.local else _on_ray(address, folder)
    with noting(store, actor(), "reports.train", Role.OPERATOR, communities):
        labelled = [
            each for each in chosen(store, communities) if each.label is not None and (each.trusted or not trusted_only)
        ]
        run = train_collected(
            *(store, labelled, model, results),
            defense=None if way == "none" else way,
            allowance=allowance,
            seed=seed,
            recommended=not network,
            max_epochs=max_epochs,
            min_reports=least,
            trusted_only=trusted_only,
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
