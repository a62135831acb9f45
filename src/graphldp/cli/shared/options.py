"""Options that several commands share, declared once."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from enum import StrEnum
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from graphldp.errors import bad_parameter

DeviceOption = Annotated[str, typer.Option(help="auto, cpu, cuda or mps.")]
ResultsOption = Annotated[
    Path, typer.Option("--results", metavar="FILE", help="Where finished rows are kept; 'graphldp page' reads it.")
]
RESULTS = Path("results.sqlite")


class EngineName(StrEnum):
    """Where a command computes."""

    local = "local"
    ray = "ray"


class NetworkOption(NamedTuple):
    """An option of a network: its default, and what it says."""

    default: Any
    about: str


NETWORK = {
    "layers": NetworkOption(5, "Layers, counted with the input layer."),
    "hidden": NetworkOption(64, "Hidden units."),
    "dropout": NetworkOption(0.5, "Dropout on graph scores."),
    "lr": NetworkOption(0.01, "Initial learning rate."),
    "readout": NetworkOption("mean", "mean or sum."),
    "convolution": NetworkOption("gin", "gin, gcn or sage."),
    "features": NetworkOption("constant", "constant, degree, noisy-degree, size, profile or columns."),
    "graph_features": NetworkOption(
        "none", "What the model sees of a whole graph: none, size (n) or degrees (n and d*)."
    ),
    "directions": NetworkOption("own", "Aggregate over own lists, or both ways: own or both."),
    "weights": NetworkOption("none", "Weigh reported entries by how likely they are: none or posterior."),
    "batch_size": NetworkOption(64, "Graphs in a batch."),
    "max_epochs": NetworkOption(500, "The most epochs."),
    "half": NetworkOption(False, "On a GPU, compute with half the digits: faster, as accurate on average."),
}
"""The options of a graph neural network, with the defaults of :class:`graphldp.GINClassifier`."""


def takes_network(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of :data:`NETWORK`; they reach it as one mapping, ``network``."""

    @wraps(command)
    def run(**given: Any) -> None:
        network = {name: given.pop(name) for name in NETWORK}
        command(**given, network=network)

    own = inspect.signature(command, eval_str=True)
    more = [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=each.default,
            annotation=Annotated[type(each.default), typer.Option(help=each.about)],
        )
        for name, each in NETWORK.items()
    ]
    shown = [each for each in own.parameters.values() if each.name != "network"]
    shown = [each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in shown]
    run.__signature__ = own.replace(parameters=[*shown, *more])  # type: ignore[attr-defined]
    run.__annotations__ = {each.name: each.annotation for each in [*shown, *more]}
    return run


def out_help(what: str, name: str) -> str:
    """What ``--out`` says of itself: one rule for every command that writes a file."""
    return f"{what}: a name that ends in {Path(name).suffix} is the file; one without an ending is a folder for {name}."


def place(out: Path, name: str, command: str) -> Path:
    """The file that ``--out`` means: itself where it ends as it should, else ``name`` in that folder.

    Args:
        out: what the user wrote.
        name: the file in a folder; its ending is the one that is asked for.
        command: for the message.
    """
    suffix = Path(name).suffix
    if out.suffix == suffix:
        return out
    if out.suffix:
        raise bad_parameter("out", f"graphldp {command}", f"a file that ends in {suffix}, or a folder", str(out))
    out.mkdir(parents=True, exist_ok=True)
    return out / name


def folder_help(what: str) -> str:
    """The same for a command that writes several files."""
    return f"A folder for {what}: a name without an ending, or a folder that exists."


def check_folder(out: Path, command: str) -> None:
    """Refuse a file's name where ``--out`` is a folder."""
    if out.suffix and not out.is_dir():
        raise bad_parameter("out", f"graphldp {command}", "a folder: a name without an ending", str(out))


def folder(out: Path, command: str) -> Path:
    """The folder that ``--out`` means, made where there is none."""
    check_folder(out, command)
    out.mkdir(parents=True, exist_ok=True)
    return out


SplitOption = Annotated[
    str | None,
    typer.Option(
        "--split",
        help="Shares of training, validation and test graphs, such as 0.75,0.10,0.15; by default the dataset's own.",
    ),
]


def shares(split: str | None, command: str) -> tuple[float, ...] | None:
    """The three shares that a user wrote; None where she wrote none."""
    if split is None:
        return None
    try:
        found = tuple(float(each) for each in split.split(","))
    except ValueError:
        found = ()
    if len(found) != 3:
        raise bad_parameter("split", f"graphldp {command}", "three shares", split)
    return found
