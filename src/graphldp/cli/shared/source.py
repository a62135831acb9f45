"""Where a command's graphs come from: a dataset's name, an embedded set, or a file of graphs or reports."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graphldp.errors import EXTRAS, FormatError, MissingExtraError

if TYPE_CHECKING:
    from graphldp.graphs import GraphSet
    from graphldp.reports import Reports


RootOption = Annotated[
    Path | None,
    typer.Option(help="A folder of datasets, looked into before $GRAPHLDP_DATA and the cache.", metavar="FOLDER"),
]
HELP = (
    "A dataset's name such as REDDIT-BINARY, synthetic:threads or synthetic:communities (need no download), or a .npz "
    "file of graphs or reports."
)


def open_source(source: str, root: Path | None) -> GraphSet | Reports:
    """The graphs or reports that a command was pointed at."""
    from graphldp.datasets import load_dataset, synthetic

    if source.startswith(synthetic.PREFIX):
        return synthetic.embedded(source)
    return read_file(Path(source)) if source.endswith(".npz") else load_dataset(source, root=root)


def open_named(source: str, root: Path | None) -> tuple[str, dict[str, str], GraphSet | Reports]:
    """How results name what a command was pointed at, the file it is in where it is one, and the graphs or reports."""
    from graphldp.experiments.plans.plan import file_id

    data = open_source(source, root)
    return (*(file_id(Path(source)) if source.endswith(".npz") else (source, {})), data)


def read_file(path: Path) -> GraphSet | Reports:
    """Graphs or reports from a file that either's ``save`` wrote."""
    from graphldp.files.sets import kind_of
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
    """The same for what trains or labels."""
    need("learn", command)
