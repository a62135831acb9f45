"""An experiment on a dataset at an effort: which numbers it needs."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from graphldp.datasets.loading import FILES, files_of, read_graphs
from graphldp.datasets.registry import split_ratios
from graphldp.errors import ParameterError, bad_parameter
from graphldp.experiments.cells import Row
from graphldp.experiments.draws import Context, load
from graphldp.experiments.plans.accuracy import NodeSweep, with_methods
from graphldp.experiments.plans.figures import EXPERIMENTS
from graphldp.experiments.plans.scope import EFFORTS, PlannedCell, Scope
from graphldp.mechanisms.named import named

TRAINING = "train"
"""The experiment of plans that 'graphldp train' makes; their effort is the run in words."""

EVALUATION = "evaluate"
"""The same of 'graphldp predict --evaluate'; their effort is the model in words."""

COMPARISON = "compare"
"""The same of ``gl.compare``; their effort is the comparison in words."""

RUNS = (TRAINING, EVALUATION, COMPARISON)
"""Plans that no experiment of the table made."""


@dataclass(frozen=True)
class ExperimentPlan:
    """An experiment on a dataset, with all its entries."""

    experiment: str
    dataset: str
    effort: str
    seeds: int
    grid: str
    entries: tuple[PlannedCell, ...]


def make_plan(
    name: str,
    dataset: str,
    context: Context,
    *,
    effort: str = "quick",
    seeds: int | None = None,
    grid: dict[str, tuple[float, ...]] | None = None,
    mechanisms: Sequence[str] = (),
    rows: Mapping[str, Row] = MappingProxyType({}),
) -> ExperimentPlan:
    """The cells of an experiment.

    Args:
        name: a key of :data:`graphldp.experiments.plans.figures.EXPERIMENTS`.
        dataset: as :func:`dataset_id` names it.
        context: where datasets are.
        effort: a key of :data:`graphldp.experiments.plans.scope.EFFORTS`.
        seeds: how many, instead of the effort's.
        grid: values of hyper-parameters instead of the effort's.
        mechanisms: what is compared beside the experiment's own methods, where it is about accuracy or degrees.
        rows: what is computed already, by the cell's id: a search plans its next step by it.

    Raises:
        ParameterError: for an unknown experiment or effort.
        DatasetNotFoundError: where the dataset is not at hand.
    """
    if name not in EXPERIMENTS:
        raise bad_parameter("experiment", "graphldp reproduce", f"one of {', '.join(EXPERIMENTS)}", name)
    if effort not in EFFORTS:
        raise bad_parameter("effort", "graphldp reproduce", f"one of {', '.join(EFFORTS)}", effort)
    chosen = EFFORTS[effort]
    if grid:
        values: dict[str, Any] = dict(grid)
        chosen = replace(chosen, grid=replace(chosen.grid, **values))
    count = chosen.seeds if seeds is None else seeds
    if count < 1:
        raise bad_parameter("seeds", "graphldp reproduce", "a whole number ≥ 1", seeds)
    graphs = load(dataset, context)
    if isinstance(EXPERIMENTS[name], NodeSweep):
        if graphs.num_graphs != 1 or graphs.node_labels is None:
            raise ParameterError(f"{dataset} is not one graph whose users have labels, which is what {name} is about.")
    elif graphs.labels is None:
        raise ParameterError(f"{dataset} has no labels to learn; the experiment classifies graphs.")
    setting = Scope(dataset, graphs, chosen, count, split_ratios(graphs.name), rows)
    spec = with_methods(EXPERIMENTS[name], [named(each).name for each in mechanisms])
    entries = tuple(spec.cells(setting))
    return ExperimentPlan(name, dataset, effort, count, str(chosen.grid), entries)


def experiments_for(dataset: str, context: Context) -> list[str]:
    """The experiments that a dataset is for: those about single users where it has labels of these alone."""
    users = load(dataset, context).labels is None
    return [name for name, spec in EXPERIMENTS.items() if isinstance(spec, NodeSweep) == users]


def dataset_id(source: str) -> tuple[str, dict[str, str]]:
    """How cells name a dataset, and the file it is in where the user gave one.

    A saved set of graphs is named by its content, so that cells of another file of the same name are not taken for its.
    """
    if not source.endswith(FILES):
        return source, {}
    read_graphs(source)  # the errors for a missing or damaged file
    return file_id(source)


def file_id(source: str | Path) -> tuple[str, dict[str, str]]:
    """How cells name a file of graphs or reports, or edges and labels in two files, and where it is."""
    files = files_of(str(source))
    digest = hashlib.sha256(b"".join(each.read_bytes() for each in files)).hexdigest()[:12]
    name = f"file:{files[0].stem}@{digest}"
    return name, {name: ",".join(str(each.resolve()) for each in files)}
