"""``graphldp reproduce`` and ``page``: the paper's tables and figures, resumable, here or on a cluster, as a page."""

from __future__ import annotations

import shlex
from dataclasses import fields
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graphldp.cli.names import MECHANISM_HELP, mechanisms
from graphldp.cli.shared import console
from graphldp.cli.shared.options import (
    RESULTS,
    AddressOption,
    DeviceOption,
    EngineName,
    ResultsOption,
    RootOption,
    datasets,
    need,
    out_help,
    place,
)
from graphldp.errors import FormatError, bad_parameter
from graphldp.files.own import is_reference
from graphldp.files.whole import written_whole

if TYPE_CHECKING:
    from graphldp.experiments.draws import Context
    from graphldp.experiments.plans.plan import ExperimentPlan
    from graphldp.experiments.results import ResultsFile
    from graphldp.experiments.runs.runner import Engine

app = typer.Typer()
EPILOG = """Examples:
graphldp reproduce --effort smoke --results smoke.sqlite
graphldp reproduce accuracy-lambda accuracy-epsilon --dataset REDDIT-BINARY --effort quick
graphldp reproduce nodes --dataset Cora --effort paper --results nodes.sqlite
graphldp reproduce --dataset REDDIT-BINARY --effort paper --engine ray --address auto --results paper.sqlite
"""


class EffortName(StrEnum):
    """The efforts by name: how much is computed."""

    smoke = "smoke"
    demo = "demo"
    quick = "quick"
    paper = "paper"


def _experiments(incomplete: str) -> list[str]:
    from graphldp.experiments.plans.figures import EXPERIMENTS

    return [each for each in EXPERIMENTS if each.startswith(incomplete)]


@app.command(epilog=EPILOG)
def reproduce(
    experiments: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[EXPERIMENT]...",
            autocompletion=_experiments,
            help="Which experiments; by default all that fit the dataset.",
        ),
    ] = None,
    dataset: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            autocompletion=datasets,
            help="A dataset, or a file of graphs; by default REDDIT-BINARY, for smoke synthetic:threads.",
        ),
    ] = None,
    root: RootOption = None,
    effort: Annotated[EffortName, typer.Option(help="smoke: minutes; paper: the full grid.")] = EffortName.quick,
    seeds: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="How many seeds, instead of the effort's.")
    ] = None,
    grid: Annotated[
        str | None,
        typer.Option(
            metavar="WORDS", help="Another grid: 'layers=3,5 hidden=64 lr=0.01 dropout=0,0.5', each optional."
        ),
    ] = None,
    mechanism: Annotated[
        list[str] | None,
        typer.Option(
            *("--mechanism", "-m"),
            metavar="NAME",
            autocompletion=mechanisms,
            help=f"Compare one more in figures of accuracy and degrees. {MECHANISM_HELP}",
        ),
    ] = None,
    results: ResultsOption = RESULTS,
    engine: Annotated[EngineName, typer.Option(help="Processes of this machine, or Ray.")] = EngineName.local,
    address: AddressOption = None,
    workers: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Local processes; by default one per core.")
    ] = None,
    device: DeviceOption = "auto",
    export: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Write the cells to this folder, for another machine to compute."),
    ] = None,
    take: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Add rows that another machine computed; compute nothing.")
    ] = None,
    as_json: console.JsonOption = False,
) -> None:
    """Compute the paper's tables and figures, each cell once.

    EXPERIMENT is one of table-datasets, table-complexity, accuracy-lambda, accuracy-epsilon, allocation, degrees,
    runtime-sampling, runtime-nodes, grid, central, poisoning, poisoning-beyond, poisoning-recipe, side-by-side,
    beyond, elsewhere, ceilings, unseen, lists, rounds, calibration and ingredients; and, for one graph whose users
    have labels, such as Cora, nodes, nodes-features and nodes-side-by-side. All
    experiments of a call run on one dataset, --dataset.

    Every finished cell is kept at once. After an interruption, run the same command again, and it goes on. At the end
    it prints the accuracies of its figures; 'graphldp page' turns the results into a page.
    """
    need("learn", "reproduce")
    from graphldp.experiments.draws import Context
    from graphldp.experiments.plans.plan import dataset_id, experiments_for
    from graphldp.experiments.results import ResultsFile
    from graphldp.experiments.runs.runner import asked_plans, export_missing, overview, take_rows
    from graphldp.experiments.summary import accuracies

    if address is not None and engine is EngineName.local:
        raise bad_parameter("address", "graphldp reproduce", "left out without --engine ray", address)
    source = dataset or ("synthetic:threads" if effort is EffortName.smoke else "REDDIT-BINARY")
    name, files = dataset_id(source)
    own = tuple(mechanism or ())
    context = Context(
        None if root is None else str(root), tuple(files.items()), _device(device), own=tuple(filter(is_reference, own))
    )
    names = list(dict.fromkeys(experiments or experiments_for(name, context)))
    points = None if grid is None else parse_grid(grid)
    options: dict[str, Any] = {"effort": effort.value, "seeds": seeds, "grid": points, "mechanisms": own}
    asked = [{"name": each, "dataset": name, **options} for each in names]
    with ResultsFile(results) as table:
        plans = asked_plans(table, asked, context)
        if take is not None:
            count, plans = take_rows(table, asked, context, take)
            console.err.print(f"{count:,} new rows from {take}", highlight=False)
        elif export is not None:
            written = export_missing(table, plans, asked, context, export)
            console.err.print(f"{written:,} cells written to {export}", highlight=False)
        else:
            chosen = _engine(engine, address, context)
            compute(table, plans, context, chosen, workers)
            while (further := asked_plans(table, asked, context)) != plans:  # a search plans by what came out
                plans = further
                compute(table, plans, context, chosen, workers)
        with table.as_planned():
            rows, kept = overview(table, plans), table.rows()
            found = {plan.experiment: accuracies(plan, kept) for plan in plans}
    if as_json:
        console.show_json([{**row, "accuracy": found[row["experiment"]]} for row in rows])
    else:
        _show(rows, found, name, results)
    if any("failed" in (row["not done"] or "") for row in rows):
        raise typer.Exit(1)


def _show(
    rows: list[dict[str, Any]], found: dict[str, dict[str, list[dict[str, Any]]]], dataset: str, results: Path
) -> None:
    """What was computed, then the accuracies, then how to go on."""
    console.show(rows, as_json=False)
    for experiment, panels in found.items():
        for panel, lines in panels.items():
            words = [f"{experiment}, {dataset}: accuracy", panel, "mean ± standard deviation over seeds"]
            console.show(lines, as_json=False, title=", ".join(filter(None, words)))
    page = shlex.join(("graphldp", "page", str(results), "--out", "page.html"))
    console.err.print(f"A page of it: {page}", highlight=False, soft_wrap=True)


def compute(
    table: ResultsFile,
    plans: list[ExperimentPlan],
    context: Context,
    engine: Engine | None,
    workers: int | None,
) -> None:
    """Compute what is missing, with a display of cells and time left."""
    from graphldp.experiments.runs.runner import CellsDisplay, missing, run

    with CellsDisplay(len(missing(plans, table)), console.err) as display:
        run(plans, table, context, engine=engine, workers=workers, on_row=display.row)


def _engine(name: EngineName, address: str | None, context: Context) -> Engine | None:
    if name is EngineName.local:
        return None
    from graphldp.experiments.engines.ray import RayEngine
    from graphldp.machines.ray import require_ray

    require_ray()
    return RayEngine(address, gpus=0.0 if context.device == "cpu" else 1.0)


def _device(name: str) -> str:
    from graphldp.learn.engine.training import resolve_device

    return str(resolve_device(name))


def parse_grid(text: str) -> dict[str, tuple[float, ...]]:
    """Hyper-parameter values from words like ``layers=3,5``."""
    from graphldp.learn.grid import Grid

    known = [each.name for each in fields(Grid)]
    found: dict[str, tuple[float, ...]] = {}
    for word in text.split():
        name, _, values = word.partition("=")
        kind = int if name in ("layers", "hidden") else float
        try:
            found[name] = tuple(kind(value) for value in values.split(","))
        except ValueError:
            name = ""
        if name not in known:
            form = f"words like layers=3,5 of {', '.join(known)}"
            raise bad_parameter("grid", "graphldp reproduce", form, text)
    return found


PAGE_EPILOG = """Examples:
graphldp page results.sqlite --out page.html
graphldp page docs/results/reddit-binary.sqlite --out page.html --figures figures
"""


@app.command(epilog=PAGE_EPILOG)
def page(
    results: Annotated[
        Path,
        typer.Argument(help="What 'reproduce', 'train' and others computed.", metavar="RESULTS"),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="PATH", help=out_help("The page", "page.html"))] = Path(
        "page.html"
    ),
    figures: Annotated[
        Path | None, typer.Option(help="A folder for the charts as files of their own.", metavar="FOLDER")
    ] = None,
    as_json: console.JsonOption = False,
) -> None:
    """Write one HTML page that needs no network: figures, the same numbers as tables, and what is missing."""
    from graphldp.experiments.results import ResultsFile
    from graphldp.pages.page import make_page
    from graphldp.pages.plots import standalone

    with ResultsFile(results, create=False) as table:
        text, charts = make_page(table)
        if not table.plans():
            raise FormatError(f"{results}: holds no experiment yet; 'reproduce' and 'train' compute some.")
    out = place(out, "page.html", "page")
    _write(out, text)
    if figures is not None:
        figures.mkdir(parents=True, exist_ok=True)
        for name, svg in charts.items():
            _write(figures / f"{_file_name(name)}.svg", standalone(svg))
    console.show_one({"page": str(out), "charts": len(charts), "bytes": out.stat().st_size}, as_json=as_json)


def _file_name(name: str) -> str:
    return "".join(each if each in "-." or (each.isalnum() and each.isascii()) else "-" for each in name).lower()


def _write(path: Path, text: str) -> None:
    with written_whole(path) as file:
        file.write(text.encode())
