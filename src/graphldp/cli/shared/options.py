"""Options that several commands share, declared once, and where a command's graphs come from."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from enum import StrEnum
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from graphldp.errors import EXTRAS, FormatError, MissingExtraError, bad_parameter

if TYPE_CHECKING:
    from graphldp.graphs import GraphSet
    from graphldp.reports import Reports

DEVICE: Any = typer.Option("--device", metavar="NAME", help="auto, cpu, cuda or mps.")
KEPT: Any = typer.Option("--results", metavar="FILE", help="For rows; results.sqlite unless said.", show_default=False)
SPLIT: Any = typer.Option("--split", metavar="SHARES", help="Training, validation, test; else the dataset's own.")
DeviceOption = Annotated[str, DEVICE]
AddressOption = Annotated[
    str | None, typer.Option("--address", metavar="URL", help="A Ray cluster; by default a local one starts.")
]
ResultsOption = Annotated[Path, KEPT]
RESULTS = Path("results.sqlite")
_Value = TypeVar("_Value")


class EngineName(StrEnum):
    """The places where a command can compute."""

    local = "local"
    ray = "ray"


def _flag(text: str) -> bool:
    return {"yes": True, "no": False}[text]


NETWORK: dict[str, Callable[[str], Any]] = {
    **dict.fromkeys(("layers", "hidden", "batch_size", "max_epochs"), int),
    **dict.fromkeys(("dropout", "lr"), float),
    **dict.fromkeys(("readout", "convolution", "features", "graph_features", "directions", "weights"), str),
    "half": _flag,
    "together": int,
}
"""What may follow ``--model``: arguments of :class:`graphldp.GINClassifier`, and how many seeds train at once."""


def settings(text: str, option: str, command: str, known: Mapping[str, Callable[[str], _Value]]) -> dict[str, _Value]:
    """What words like ``layers=5 hidden=64`` set.

    Args:
        text: the words.
        option: after which they stand, for the message.
        command: the same.
        known: what may be set, and how its value is read.
    """
    found = {}
    for word in text.split():
        name, _, value = word.partition("=")
        name = name.replace("-", "_")
        try:
            found[name] = known[name](value)
        except (KeyError, ValueError):
            form = f"words like {next(iter(known))}=5, of {', '.join(known)}"
            raise bad_parameter(option, f"graphldp {command}", form, text) from None
    return found


def named(text: str) -> tuple[str, dict[str, Any]]:
    """A name and its settings, as in ``dprr alpha=0.8 noise=discrete``."""
    name, *words = re.split(r"\s+(?=[a-z][\w-]*=)", text.strip())
    pairs = (word.partition("=")[::2] for word in words)
    return name, {key.replace("-", "_"): _number(value) for key, value in pairs}


def _number(text: str) -> int | float | str:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


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
    """The help of ``--out`` for a command that writes several files."""
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


def datasets(incomplete: str) -> list[str]:
    """Names of datasets, for a shell to complete."""
    from graphldp.datasets.registry import KNOWN, NODE_DATASETS

    known = (*KNOWN, *NODE_DATASETS, "synthetic:threads", "synthetic:communities")
    return [each for each in known if each.startswith(incomplete)]


ROOT: Any = typer.Option("--root", help="Where datasets are, beside the usual places.", metavar="FOLDER")
RootOption = Annotated[Path | None, ROOT]
SourceArgument = Annotated[
    str,
    typer.Argument(
        metavar="DATASET",
        autocompletion=datasets,
        help="A name such as REDDIT-BINARY or synthetic:threads ('graphldp dataset' lists them), a .npz file of "
        "graphs or reports, or edges.csv or edges.csv,labels.csv (columns source, target and graph; graph and label).",
    ),
]


def open_source(source: str, root: Path | None) -> GraphSet | Reports:
    """The graphs or reports that a command was pointed at."""
    from graphldp.datasets import synthetic
    from graphldp.datasets.loading import FILES, load_dataset, read_graphs

    if source.startswith(synthetic.PREFIX):
        return synthetic.embedded(source)
    if source.endswith(".npz"):
        return read_file(Path(source))
    return read_graphs(source) if source.endswith(FILES) else load_dataset(source, root=root)


def open_named(source: str, root: Path | None) -> tuple[str, dict[str, str], GraphSet | Reports]:
    """How results name what a command was pointed at, the file it is in where it is one, and the graphs or reports."""
    from graphldp.datasets.loading import FILES
    from graphldp.experiments.plans.plan import file_id

    data = open_source(source, root)
    return (*(file_id(source) if source.endswith(FILES) else (source, {})), data)


def read_file(path: Path) -> GraphSet | Reports:
    """Graphs or reports from a file that either's ``save`` wrote."""
    from graphldp.files.archives import kind_of
    from graphldp.graphs import GraphSet
    from graphldp.reports import Reports

    kind = kind_of(path)
    if kind == "GraphSet":
        return GraphSet.load(path)
    if kind == "Reports":
        return Reports.load(path)
    raise FormatError(f"{path}: not a file of graphs or reports, or damaged.")


def need(extra: str, command: str) -> None:
    """Say in one line that a command needs an extra where it is not installed, before work is done in vain."""
    if any(find_spec(package) is None for package in EXTRAS[extra]):
        raise MissingExtraError(f"graphldp {command}", extra)


def need_learn(command: str) -> None:
    """Say in one line that training or labelling needs the extra learn where it is not installed."""
    need("learn", command)
