"""``graphldp train``: noise, split, train and test, once per seed, with the controls beside it."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from graphldp.cli import mechanisms, threats
from graphldp.cli.evaluate import show_confusion
from graphldp.cli.shared import console
from graphldp.cli.shared.options import (
    RESULTS,
    DeviceOption,
    ResultsOption,
    SplitOption,
    folder,
    folder_help,
    shares,
    takes_network,
)
from graphldp.cli.shared.source import HELP, RootOption, need_learn, open_named
from graphldp.errors import ParameterError, bad_parameter

if TYPE_CHECKING:
    from graphldp.experiments.cells import Row
    from graphldp.experiments.draws import Context
    from graphldp.experiments.models import ModelFolder
    from graphldp.experiments.plans.setup import Setup
    from graphldp.experiments.results import ResultsFile
    from graphldp.experiments.trial import Threat
    from graphldp.graphs import GraphSet
    from graphldp.reports import Reports

EPILOG = """Examples:

graphldp train synthetic:threads --seeds 3 --out runs/first

graphldp train REDDIT-BINARY --mechanism dprr --epsilon 1 --public-fraction 0.2 --grid

graphldp train REDDIT-BINARY --recommended --epsilon 0.5 --out runs/best

graphldp train IMDB-BINARY -m examples/own_mechanism.py:HalfResponse

graphldp train REDDIT-BINARY --attack random --fraction 0.3 --defense guard-accuracy

graphldp train REDDIT-BINARY --recommended --attack fake-hub --liars 1 --where test --defense recommended

graphldp train REDDIT-BINARY --recommended --defense recommended --allowance 0.05

graphldp train reports.npz --seeds 10 --tensorboard runs/logs --json

graphldp train Cora --task nodes --epsilon 1

graphldp train synthetic:communities --task nodes -m rr --epsilon 6 --out runs/users
"""


class TaskName(StrEnum):
    """What is labelled."""

    graphs = "graphs"
    nodes = "nodes"


@takes_network
def train(
    network: dict[str, Any],
    source: Annotated[str, typer.Argument(metavar="DATASET", help=HELP)],
    task: Annotated[
        TaskName, typer.Option(help="Label whole graphs, or single users of one graph with labels.")
    ] = TaskName.graphs,
    mechanism: Annotated[
        str | None,
        typer.Option(
            "--mechanism",
            "-m",
            help=f"{mechanisms.MECHANISM_HELP} By default dprr, for nodes the recommended one. Not for reports.",
        ),
    ] = None,
    epsilon: Annotated[
        float | None, typer.Option("--epsilon", "-e", help="ε of every private user; 1 by default. Not for reports.")
    ] = None,
    public_fraction: mechanisms.PublicOption = 0.0,
    recommended: Annotated[
        bool,
        typer.Option(
            "--recommended",
            help="The mechanism and the classifier that do best at this ε; options of others do not apply.",
        ),
    ] = False,
    allocation: mechanisms.AllocationOption = None,
    alpha: mechanisms.AlphaOption = None,
    noise: mechanisms.NoiseOption = None,
    sampling: mechanisms.SamplingOption = None,
    attack: Annotated[
        str | None, typer.Option("--attack", "-a", help=f"Let some users lie. {threats.ATTACK_HELP}")
    ] = None,
    fraction: Annotated[
        float | None, typer.Option("--fraction", "-f", help="β: the share of liars in an attacked graph.")
    ] = None,
    liars: threats.LiarsOption = None,
    where: threats.WhereOption = None,
    honest_degree: threats.HonestDegreeOption = False,
    defense: Annotated[
        str | None, typer.Option("--defense", "-d", help=f"{threats.DEFENSE_HELP} {threats.ROBUST_HELP}")
    ] = None,
    allowance: threats.AllowanceOption = None,
    treatment: threats.TreatmentOption = None,
    seeds: Annotated[
        int, typer.Option(min=1, help="How many seeds: 0, 1, 2, … Each draws noise, split and weights.")
    ] = 10,
    grid: Annotated[bool, typer.Option("--grid", help="Search the paper's grid on validation graphs.")] = False,
    split: SplitOption = None,
    results: ResultsOption = RESULTS,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help=folder_help("the models") + " By default none are kept.")
    ] = None,
    device: DeviceOption = "auto",
    together: Annotated[
        int | None,
        typer.Option(
            min=1, help="How many seeds to train as one computation; by default all on a GPU, and 1 elsewhere."
        ),
    ] = None,
    tensorboard: Annotated[Path | None, typer.Option(help="A folder for TensorBoard logs.", metavar="DIR")] = None,
    root: RootOption = None,
    as_json: console.JsonOption = False,
) -> None:
    """Train graph classifiers on noisy reports and say how good they are.

    Every seed draws its own noise, its own stratified split and its own weights. The table shows mean, standard
    deviation and 95 % confidence interval over the seeds, beside two controls: the number of users alone, and degrees
    alone.

    With --attack, some users lie: --fraction or --liars says how many in each graph, and --where in which graphs. With
    --defense, the server drops reports that look fake before it trains. '--defense recommended' drops none, and fits
    the recommended classifier that withstands liars. --allowance says how much accuracy that may cost.

    With --task nodes, it labels the users of one graph, from their public features and from what they report about
    friends. Three controls use no reports: features alone, the graph of users with similar features, and all that
    features say. Options of networks, liars and defenses do not apply. Users who count friends count them by the
    graph's groups or, if it has none, by the classes that features suggest.

    Rows go to the results file as each training ends, and 'graphldp page' shows them. Models go to OUT/seed-0.npz and
    so on. After an interruption, run it again: finished seeds are not trained twice.
    """
    need_learn("train")
    from graphldp.experiments.draws import Context
    from graphldp.experiments.models import ModelFolder
    from graphldp.experiments.results import ResultsFile
    from graphldp.learn.engine.training import resolve_device
    from graphldp.reports import Reports

    name, files, data = open_named(source, root)
    if isinstance(data, Reports) and not (mechanism is None and epsilon is None and public_fraction == 0.0):
        raise ParameterError(
            "The graphs are noisy reports already: leave --mechanism, --epsilon and --public-fraction out."
        )
    if recommended and (mechanism is not None or grid):
        raise ParameterError("--recommended chooses mechanism and classifier: leave --mechanism and --grid out.")
    robust = defense == "recommended"
    if robust and not recommended:
        raise bad_parameter("defense", "graphldp train", "a test that flags users, without --recommended", defense)
    if allowance is not None and not robust:
        raise bad_parameter("allowance", "graphldp train", "given together with --defense recommended", allowance)
    threatened = (attack, fraction, liars, where, defense, treatment, tensorboard)
    if task is TaskName.nodes and (grid or honest_degree or any(each is not None for each in threatened)):
        raise ParameterError(
            "With --task nodes there is no network, no attack and no defense: leave --grid, --tensorboard and the "
            "options of attacks and defenses out."
        )
    options = {"allocation": allocation, "alpha": alpha, "noise": noise, "sampling": sampling}
    drawn = _drawn(task, "recommended" if recommended else mechanism, 1.0 if epsilon is None else epsilon)
    setup = _setup(
        *(name, data, drawn, public_fraction, {} if recommended else options),
        network=network,
        recommended=recommended,
        grid=grid,
        ratios=shares(split, "train"),
        task=task.value,
        robust=robust,
        allowance=allowance,
        threat=threats.given_threat(
            *(attack, fraction, None if robust else defense),
            honest_degree=honest_degree,
            treatment=treatment,
            where=where,
            liars=liars,
        ),
    )
    chip = resolve_device(device)
    context = Context(None if root is None else str(root), tuple(files.items()), str(chip))
    setup.check(context)
    models = None if out is None else ModelFolder(folder(out, "train"), setup)
    at_once = together or (seeds if chip.type == "cuda" else 1)
    with ResultsFile(results) as table:
        rows = _run(setup, seeds, table, context, models, at_once, tensorboard, network["max_epochs"])
    _show(setup, seeds, rows, models, data.name, as_json)


def _drawn(task: TaskName, mechanism: str | None, epsilon: float) -> tuple[str, float]:
    """Which mechanism at which ε. For single users the recommended one is named by itself: it is a mechanism's run."""
    if task is TaskName.graphs:
        return mechanism or "dprr", epsilon
    from graphldp.learn.recipe import recommended
    from graphldp.mechanisms.named import name_of

    if mechanism in (None, "recommended"):
        return name_of(type(recommended(epsilon, task="nodes").mechanism)), epsilon
    return mechanism, epsilon


def _setup(
    name: str,
    data: GraphSet | Reports,
    drawn: tuple[str, float],
    public_fraction: float,
    options: Mapping[str, Any],
    *,
    network: Mapping[str, Any],
    recommended: bool,
    grid: bool,
    ratios: tuple[float, ...] | None,
    task: Literal["graphs", "nodes"] = "graphs",
    threat: Threat | None = None,
    robust: bool = False,
    allowance: float | None = None,
) -> Setup:
    """What the options mean."""
    from graphldp.datasets.registry import NODE_SPLIT, split_ratios
    from graphldp.experiments.draws import REPORTED, Draw
    from graphldp.experiments.plans.setup import Setup, allowed, draw_for, split_settings
    from graphldp.graphs import GraphSet
    from graphldp.learn.grid import paper_grid

    if isinstance(data, GraphSet):
        draw = draw_for(name, data, *drawn, public_fraction, options)
    else:
        draw = Draw(name, REPORTED)
    if task == "nodes":
        return Setup(name, tuple(ratios or NODE_SPLIT), draw, task=task)
    if data.labels is None and data.node_labels is not None:
        raise ParameterError(f"{name} has labels of its users, and none of whole graphs: add --task nodes.")
    settings = allowed(allowance, "graphldp train")
    model, training = (settings, {}) if recommended else split_settings(network)
    points = paper_grid(data.name) if grid else None
    parts = tuple(ratios or split_ratios(data.name))
    return Setup(name, parts, draw, model, training, recommended, points, threat, robust)


def _run(
    setup: Setup,
    seeds: int,
    table: ResultsFile,
    context: Context,
    models: ModelFolder | None,
    together: int,
    logs_to: Path | None,
    epochs: int,
) -> dict[str, Row]:
    """Run it with a display of epochs, and logs where they are asked for."""
    from graphldp.cli.shared.tensorboard import Logs
    from graphldp.experiments.runs.training import run_setup
    from graphldp.learn.progress import TrainingDisplay

    with ExitStack() as stack:
        display = stack.enter_context(TrainingDisplay(epochs * len(setup.candidates(0)), console.err))
        logs = stack.enter_context(Logs(logs_to))

        def watch(trial: Any, record: Any) -> None:
            display.epoch(trial.seed, record)
            if setup.grid is None:
                logs.write(trial.seed, record)

        def end(seed: int, row: Row) -> None:
            at = row.numbers.get("best_epoch")
            shown = f"accuracy {row.numbers['accuracy']:.4f}" + (f", best epoch {at}" if at else "")
            display.end(seed, shown)

        return run_setup(setup, seeds, table, context, together=together, models=models, watch=watch, on_seed=end)


def _show(
    setup: Setup, seeds: int, rows: Mapping[str, Row], models: ModelFolder | None, dataset: str, as_json: bool
) -> None:
    import numpy as np

    from graphldp.experiments.plans.setup import held_out, seed_rows, seeds_together
    from graphldp.pages.sections.training import LABELS

    found = seed_rows(setup, seeds, rows)
    table = seeds_together(setup, found)
    if as_json:
        for row in found if models is not None else ():
            row["model"] = str(models.file(row["seed"])) if models is not None else None
        console.show_json({"setting": str(setup), "results": found, "summary": table})
        return
    lines = []
    for name, own in table.items():
        accuracy, auc = own["accuracy"], own["auc"]
        lines.append(
            {
                "classifier": LABELS[name],
                "accuracy": f"{accuracy['mean']:.4f}",
                "± std": "–" if accuracy["std"] is None else f"{accuracy['std']:.4f}",
                "95 % interval": "–" if accuracy["low"] is None else f"{accuracy['low']:.4f} to {accuracy['high']:.4f}",
                "AUC": "–" if auc["mean"] is None else f"{auc['mean']:.4f}",
            }
        )
    count = f"{len(found)} seeds" if len(found) > 1 else "1 seed"
    what = held_out(setup)
    kept_out = f"{found[0][what]:,} test {what} held out" + (" each" if len(found) > 1 else "")
    console.show(lines, as_json=False, title=f"{dataset}, {setup}, {count}, {kept_out}")
    for whom, rate in (("liars", "detected"), ("honest users", "false_positives")):
        rates = [row[rate] for row in found if rate in row]
        if rates:
            console.out.print(f"Flagged in attacked graphs: {np.mean(rates):.2%} of {whom}.", highlight=False)
    show_confusion(found[0]["classes"], np.sum([row["confusion"] for row in found], axis=0).tolist())
