"""Trained models: the folder of a run, one file per seed, and how well a model labels other graphs."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from graphldp.errors import ParameterError
from graphldp.experiments.cells import Cell, Row
from graphldp.experiments.plans.plan import EVALUATION, ExperimentPlan
from graphldp.experiments.plans.scope import PlannedCell
from graphldp.experiments.plans.setup import Setup, chosen
from graphldp.experiments.results import ResultsFile
from graphldp.experiments.trials.running import TRIAL, classifier_of
from graphldp.learn.engine.training import resolve_device
from graphldp.learn.grid import preference
from graphldp.learn.inputs import given_labels
from graphldp.learn.loading import KINDS, load_classifier
from graphldp.learn.metrics import evaluate
from graphldp.learn.nodes.classifier import NodeClassifier
from graphldp.learn.saving import read
from graphldp.machines.local import PeakMemory, describe
from graphldp.neighbour_lists import NeighbourLists


class ModelFolder:
    """A run's models, as ``seed-0.npz``, ``seed-1.npz`` and so on. A folder never mixes two runs.

    Args:
        path: the folder; made where there is none.
        setup: the run.

    Raises:
        ParameterError: where the folder holds models of another run.
    """

    def __init__(self, path: Path, setup: Setup) -> None:
        self.path, self._setup = path, setup
        self._best: dict[int, tuple[float, float]] = {}
        path.mkdir(parents=True, exist_ok=True)
        for file in sorted(path.glob("seed-*.npz")):
            seed = file.stem.removeprefix("seed-")
            known = {trial.cell.id for trial in setup.candidates(int(seed))} if seed.isdecimal() else set()
            if self._trial(file) not in known:
                raise ParameterError(
                    f"The 'out' parameter of graphldp train must be a new folder, or one of the same run. {path} holds "
                    "models of another run."
                )

    def file(self, seed: int) -> Path:
        """The file of a seed's model."""
        return self.path / f"seed-{seed}.npz"

    def keep(self, row: Row) -> None:
        """Keep the model of a trial, unless the seed has one that is better on validation graphs; keep no controls."""
        fitted = classifier_of(row)
        if fitted is None:
            return
        seed = row.cell.params["seed"]
        key = preference(row.numbers["val_accuracy"], row.numbers.get("val_loss", 0.0))
        if key < self._best.get(seed, (float("inf"), 0.0)):
            self._best[seed] = key
            fitted.save(self.file(seed))

    def absent(self, seeds: int, rows: Mapping[str, Row]) -> set[str]:
        """The chosen cells of finished seeds whose model is not here."""
        found = {seed: chosen(self._setup, seed, rows) for seed in range(seeds)}
        return {row.cell.id for seed, row in found.items() if row is not None and self._lacks(seed, row)}

    def _lacks(self, seed: int, row: Row) -> bool:
        return not self.file(seed).is_file() or self._trial(self.file(seed)) != row.cell.id

    @staticmethod
    def _trial(file: Path) -> str | None:
        return read(file, *KINDS, NodeClassifier.__name__).provenance.get(TRIAL)


def evaluate_model(
    model: Path, dataset: str, graphs: NeighbourLists, results: ResultsFile, device: str = "auto"
) -> tuple[Row, Mapping[str, Any]]:
    """Compare a model's labels with the true ones.

    Args:
        model: a file that ``graphldp train`` or a classifier's ``save`` wrote.
        dataset: how results name the graphs.
        graphs: raw graphs or reports, with labels.
        results: where the row goes.
        device: of a network.

    Returns:
        The row, and what the model says of its own training.
    """
    chip = str(resolve_device(device))
    began, peak = time.perf_counter(), PeakMemory(chip)
    classifier = load_classifier(model, device)
    scores = evaluate(classifier.classes_, classifier.predict_proba(graphs), given_labels(graphs, None))
    trained = classifier.provenance_
    name = f"{model.stem}@{hashlib.sha256(model.read_bytes()).hexdigest()[:12]}"
    cell = Cell.of("evaluation", dataset=dataset, model=name)
    numbers = scores.numbers(classifier.classes_)
    row = Row(cell, "done", numbers, time.perf_counter() - began, peak.read(), describe(chip), "")
    about = f"the model {name}, trained on {trained['dataset']}, {trained['mechanism']}"
    entry = PlannedCell("", model.stem, None, 0, cell)
    results.add_plan(ExperimentPlan(EVALUATION, dataset, about, 1, "", (entry,)))
    results.add(row)
    return row, trained
