"""``graphldp train``: noise, split, train and test, once per seed, with the controls beside it."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from copy import copy
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graphldp.cli.names import (
    ATTACK,
    DEFENSE,
    EPSILON,
    LIARS,
    MECHANISM,
    PUBLIC,
    WHERE,
    given_defense,
    given_threat,
    named_mechanism,
)
from graphldp.cli.predict import show_confusion
from graphldp.cli.shared import console
from graphldp.cli.shared.options import (
    DEVICE,
    KEPT,
    NETWORK,
    RESULTS,
    ROOT,
    SPLIT,
    SourceArgument,
    folder,
    need_learn,
    open_named,
    settings,
    shares,
)
from graphldp.errors import ParameterError, bad_parameter

if TYPE_CHECKING:
    from graphldp.experiments.cells import Row
    from graphldp.experiments.draws import Context
    from graphldp.experiments.models import ModelFolder
    from graphldp.experiments.plans.setup import Setup
    from graphldp.experiments.results import ResultsFile

app = typer.Typer()
EPILOG = """Examples:
graphldp train synthetic:threads --seeds 3 --out runs/first
graphldp train reports.npz --model 'layers=3 hidden=32' --tensorboard logs
graphldp train REDDIT-BINARY -m 'dprr alpha=0.8' -a random --liars 0.3
graphldp train IMDB-BINARY --recommended -d 'recommended allowance=0.05'
"""


class TaskName(StrEnum):
    """The tasks by name: what is labelled."""

    graphs = "graphs"
    nodes = "nodes"


def _in(title: str, *names: str, **settings: Any) -> Any:
    """An option under a title of the help."""
    return typer.Option(*names, rich_help_panel=title, **settings)


def _put(title: str, option: Any) -> Any:
    """An option of other commands under a title."""
    moved = copy(option)
    moved.rich_help_panel = title
    return moved


@app.command(epilog=EPILOG)
def train(
    source: SourceArgument,
    mechanism: Annotated[str | None, _put("Noise", MECHANISM)] = None,
    epsilon: Annotated[float | None, _put("Noise", EPSILON)] = None,
    public_fraction: Annotated[float, _put("Noise", PUBLIC)] = 0.0,
    recommended: Annotated[
        bool, _in("Noise", "--recommended", help="Take the mechanism and classifier that do best at ε.")
    ] = False,
    attack: Annotated[str | None, _put("Liars", ATTACK)] = None,
    liars: Annotated[str | None, _put("Liars", LIARS)] = None,
    where: Annotated[str | None, _put("Liars", WHERE)] = None,
    defense: Annotated[str | None, _put("Liars", DEFENSE)] = None,
    trusted: Annotated[
        float | None, _in("Liars", metavar="SHARE", help="Learn from this share alone: graphs known to be honest.")
    ] = None,
    task: Annotated[
        TaskName, _in("Training", help="Label graphs (the default), or users of one.", show_default=False)
    ] = TaskName.graphs,
    model: Annotated[
        str | None, _in("Training", metavar="WORDS", help="Arguments of the network: 'layers=5 hidden=64'.")
    ] = None,
    grid: Annotated[bool, _in("Training", "--grid", help="Search the paper's grid on validation graphs.")] = False,
    seeds: Annotated[int, _in("Training", metavar="N", help="How many, each with its own noise.")] = 10,
    split: Annotated[str | None, _put("Training", SPLIT)] = None,
    device: Annotated[str, _put("Training", DEVICE)] = "auto",
    results: Annotated[Path, _put("Files", KEPT)] = RESULTS,
    out: Annotated[
        Path | None, _in("Files", "--out", "-o", metavar="FOLDER", help="For the models; by default none are kept.")
    ] = None,
    tensorboard: Annotated[Path | None, _in("Files", metavar="FOLDER", help="For TensorBoard's logs.")] = None,
    root: Annotated[Path | None, _put("Files", ROOT)] = None,
    as_json: Annotated[bool, _put("Files", console.JSON)] = False,
) -> None:
    """Train classifiers on noisy reports and say how good they are.

    The table shows mean and 95 % interval over the seeds, beside two controls: the number of users alone, and degrees
    alone. '--defense recommended' fits the classifier that withstands liars. With --task nodes, --model, --grid and
    liars do not apply. Run it again after an interruption: no seed is trained twice.
    """
    need_learn("train")
    from graphldp.experiments.draws import Context
    from graphldp.experiments.models import ModelFolder
    from graphldp.experiments.plans.setup import asked_setup
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
    way, rest = ("", {}) if defense is None else given_defense(defense, "graphldp train", "allowance")
    robust, allowance = way == "recommended", rest.get("allowance")
    if robust and (not recommended or "treatment" in rest):
        raise bad_parameter("defense", "graphldp train", "a test that flags users, without --recommended", defense)
    if allowance is not None and not robust:
        raise bad_parameter("defense", "graphldp train", "recommended, where there is an allowance", defense)
    if seeds < 1:
        raise bad_parameter("seeds", "graphldp train", "at least 1", seeds)
    if trusted is not None and (not 0 < trusted < 1 or task is TaskName.nodes):
        raise bad_parameter("trusted", "graphldp train", "a number above 0 and below 1, of graphs", trusted)
    threatened = (attack, liars, where, defense, model, tensorboard)
    if task is TaskName.nodes and (grid or any(each is not None for each in threatened)):
        raise ParameterError(
            "With --task nodes there is no network, no attack and no defense: leave --model, --grid, --tensorboard and "
            "the options of liars out."
        )
    chosen, options = (None, {}) if mechanism is None else named_mechanism(mechanism)
    network = settings(model or "", "model", "train", NETWORK)
    together = network.pop("together", None)
    setup = asked_setup(
        *(name, data, chosen, 1.0 if epsilon is None else epsilon),
        public_fraction=public_fraction,
        options=options,
        network=network,
        recommended=recommended,
        grid=grid,
        ratios=shares(split, "train"),
        task=task.value,
        robust=robust,
        allowance=allowance,
        trusted=trusted,
        threat=given_threat(attack, liars, where, None if robust else defense, "graphldp train"),
    )
    chip = resolve_device(device)
    context = Context(None if root is None else str(root), tuple(files.items()), str(chip), given={name: data})
    setup.check(context)
    models = None if out is None else ModelFolder(folder(out, "train"), setup)
    at_once = together or (seeds if chip.type == "cuda" else 1)
    with ResultsFile(results) as table:
        rows = _run(setup, seeds, table, context, models, at_once, tensorboard, network.get("max_epochs", 500))
        with table.as_planned():
            show_seeds(setup, seeds, rows, models, data.name, as_json)


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
    from graphldp.experiments.runs.runner import run_setup
    from graphldp.learn.progress import Logs, TrainingDisplay

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


def show_seeds(
    setup: Setup, seeds: int, rows: Mapping[str, Row], models: ModelFolder | None, dataset: str, as_json: bool
) -> None:
    """Show the accuracy of a run, of its controls, and of each seed where JSON is asked for.

    Args:
        setup: what was run.
        seeds: how many.
        rows: of its cells.
        models: where the models were kept, if they were.
        dataset: as people call it.
        as_json: for programs.
    """
    import numpy as np

    from graphldp.experiments.plans.setup import seed_rows, seeds_together
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
    what = setup.held_out
    kept_out = f"{found[0][what]:,} test {what} held out" + (" each" if len(found) > 1 else "")
    console.show(lines, as_json=False, title=f"{dataset}, {setup}, {count}, {kept_out}")
    for whom, rate in (("liars", "detected"), ("honest users", "false_positives")):
        rates = [row[rate] for row in found if rate in row]
        if rates:
            console.out.print(f"Flagged in attacked graphs: {np.mean(rates):.2%} of {whom}.", highlight=False)
    show_confusion(found[0]["classes"], np.sum([row["confusion"] for row in found], axis=0).tolist())
