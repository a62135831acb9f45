"""Score a trained model on graphs whose labels are known, and keep the row beside those of trials."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from graphldp.experiments.cells import Cell, Row
from graphldp.experiments.measures.outcomes import scored
from graphldp.experiments.plans.plan import EVALUATION, ExperimentPlan
from graphldp.experiments.plans.scope import PlannedCell
from graphldp.experiments.results import ResultsFile
from graphldp.learn.certificates import checked
from graphldp.learn.engine.training import resolve_device
from graphldp.learn.inputs import given_labels
from graphldp.learn.metrics import evaluate
from graphldp.learn.saving.loading import load_classifier
from graphldp.machines.local import PeakMemory, describe
from graphldp.neighbour_lists import NeighbourLists


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
    classifier = checked(load_classifier(model, device), graphs)
    scores = evaluate(classifier.classes_, classifier.predict_proba(graphs), given_labels(graphs, None))
    trained = classifier.provenance_
    name = f"{model.stem}@{hashlib.sha256(model.read_bytes()).hexdigest()[:12]}"
    cell = Cell.of("evaluation", dataset=dataset, model=name)
    numbers = scored(scores, classifier.classes_)
    row = Row(cell, "done", numbers, time.perf_counter() - began, peak.read(), describe(chip), "")
    about = f"the model {name}, trained on {trained['dataset']}, {trained['mechanism']}"
    entry = PlannedCell("", model.stem, None, 0, cell)
    results.add_plan(ExperimentPlan(EVALUATION, dataset, about, 1, "", (entry,)))
    results.add(row)
    return row, trained
