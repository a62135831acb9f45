"""``graphldp train``: noise, split, train and test, once per seed, with the controls beside it."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from graphldp.cli import console, mechanisms
from graphldp.cli.datasets import RootOption
from graphldp.cli.evaluate import show_confusion
from graphldp.cli.options import SplitOption, shares
from graphldp.cli.runs import RunFolder
from graphldp.cli.source import HELP, need_learn, open_source
from graphldp.datasets.registry import split_ratios
from graphldp.errors import ParameterError

EPILOG = """Examples:

graphldp train synthetic:threads --seeds 3 --out runs/first

graphldp train REDDIT-BINARY --mechanism dprr --epsilon 1 --public-fraction 0.2 --grid --out runs/reddit

graphldp train REDDIT-BINARY --recommended --epsilon 0.5 --out runs/best

graphldp train reports.npz --seeds 10 --tensorboard runs/logs --out runs/collected --json
"""


def train(
    source: Annotated[str, typer.Argument(metavar="DATASET", help=HELP)],
    out: Annotated[Path, typer.Option("--out", "-o", help="A folder for models and results; goes on with its run.")],
    mechanism: Annotated[
        str | None,
        typer.Option("--mechanism", "-m", help=f"{mechanisms.MECHANISM_HELP} dprr unless said. Not for reports."),
    ] = None,
    epsilon: Annotated[
        float | None, typer.Option("--epsilon", "-e", help="ε of every private user; 1 unless said. Not for reports.")
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
    seeds: Annotated[
        int, typer.Option(min=1, help="How many seeds: 0, 1, 2, … Each draws noise, split and weights.")
    ] = 10,
    grid: Annotated[bool, typer.Option("--grid", help="Search the paper's grid on validation graphs.")] = False,
    layers: Annotated[int, typer.Option(help="Layers, counted with the input layer.")] = 5,
    hidden: Annotated[int, typer.Option(help="Hidden units.")] = 64,
    dropout: Annotated[float, typer.Option(help="Dropout on graph scores.")] = 0.5,
    lr: Annotated[float, typer.Option(help="Initial learning rate.")] = 0.01,
    readout: Annotated[str, typer.Option(help="mean or sum.")] = "mean",
    convolution: Annotated[str, typer.Option(help="gin, gcn or sage.")] = "gin",
    features: Annotated[str, typer.Option(help="constant, degree, noisy-degree, size or profile.")] = "constant",
    graph_features: Annotated[
        str, typer.Option(help="What the model sees of a whole graph: none, size (n) or degrees (n and d*).")
    ] = "none",
    directions: Annotated[str, typer.Option(help="Aggregate over own lists, or both ways: own or both.")] = "own",
    weights: Annotated[
        str, typer.Option(help="Weigh reported entries by how likely they are: none or posterior.")
    ] = "none",
    batch_size: Annotated[int, typer.Option(help="Graphs in a batch.")] = 64,
    max_epochs: Annotated[int, typer.Option(help="The most epochs.")] = 500,
    split: SplitOption = None,
    device: Annotated[str, typer.Option(help="auto, cpu, cuda or mps.")] = "auto",
    together: Annotated[
        int | None, typer.Option(min=1, help="Seeds trained as one computation: all on a GPU, else 1, unless said.")
    ] = None,
    tensorboard: Annotated[Path | None, typer.Option(help="A folder for TensorBoard logs.", metavar="DIR")] = None,
    root: RootOption = None,
    as_json: console.JsonOption = False,
) -> None:
    """Train graph classifiers on noisy reports and say how good they are.

    Every seed draws its own noise, its own stratified split and its own weights. Mean, standard deviation and 95 %
    confidence interval over the seeds stand beside two controls: the number of users alone, and degrees alone.

    Results go to OUT/results.json as each seed ends, models to OUT/seed-0.npz and so on. Run it again to go on after an
    interruption; finished seeds are not trained again.
    """
    need_learn("train")
    from graphldp.cli import recommended as recipe
    from graphldp.cli.seeds import RECOMMENDED, Settings, run
    from graphldp.reports import Reports

    data = open_source(source, root)
    if isinstance(data, Reports) and not (mechanism is None and epsilon is None and public_fraction == 0.0):
        raise ParameterError(
            "The graphs are noisy reports already: leave --mechanism, --epsilon and --public-fraction out."
        )
    if recommended and (mechanism is not None or grid):
        raise ParameterError("--recommended chooses mechanism and classifier: leave --mechanism and --grid out.")
    settings = Settings(
        source=source,
        dataset=data.name,
        graphs=data.num_graphs,
        users=data.num_users,
        noise=None
        if isinstance(data, Reports)
        else {
            "mechanism": RECOMMENDED if recommended else mechanism or "dprr",
            "epsilon": 1.0 if epsilon is None else epsilon,
            "public_fraction": public_fraction,
            "allocation": allocation,
            "alpha": alpha,
            "noise": noise,
            "sampling": sampling,
        },
        classifier={}
        if recommended
        else {
            "layers": layers,
            "hidden": hidden,
            "dropout": dropout,
            "lr": lr,
            "readout": readout,
            "convolution": convolution,
            "features": features,
            "graph_features": graph_features,
            "directions": directions,
            "weights": weights,
            "batch_size": batch_size,
            "max_epochs": max_epochs,
        },
        grid=grid,
        split=list(shares(split, "train") or split_ratios(data.name)),
    )
    folder = RunFolder.open(out, asdict(settings))
    if recommended:
        recipe.run(data, settings, folder, seeds=seeds)
    else:
        run(data, settings, folder, seeds=seeds, device=device, together=together, tensorboard=tensorboard)
    rows = [row for row in folder.rows if row["seed"] < seeds]
    _show(rows, as_json, folder)


def _show(rows: list[dict[str, Any]], as_json: bool, folder: RunFolder) -> None:
    import numpy as np

    from graphldp.cli.seeds import CONTESTANTS, summary

    table = summary(rows)
    if as_json:
        console.show_json({"settings": folder.settings, "results": rows, "summary": table})
        return
    lines = []
    for name, about in CONTESTANTS.items():
        if name not in table:
            continue
        accuracy, auc = table[name]["accuracy"], table[name]["auc"]
        lines.append(
            {
                "classifier": about,
                "accuracy": f"{accuracy['mean']:.4f}",
                "± std": "–" if accuracy["std"] is None else f"{accuracy['std']:.4f}",
                "95 % interval": "–" if accuracy["low"] is None else f"{accuracy['low']:.4f} to {accuracy['high']:.4f}",
                "AUC": "–" if auc["mean"] is None else f"{auc['mean']:.4f}",
            }
        )
    count = f"{len(rows)} seeds" if len(rows) > 1 else "1 seed"
    console.show(lines, as_json=False, title=f"{folder.settings['dataset']}, {count}, test graphs")
    total = np.sum([row["confusion"] for row in rows], axis=0)
    show_confusion(rows[0]["classes"], total.tolist())
