"""Cells about confidence: how sure a trained classifier is about test graphs, and how often it is right."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from graphldp.errors import GraphLDPError
from graphldp.experiments.cells import Cell
from graphldp.experiments.draws import Context
from graphldp.experiments.measures.outcomes import CellOutcome, refusal
from graphldp.experiments.trial import Trial
from graphldp.experiments.trials import running
from graphldp.experiments.trials.cases import defended
from graphldp.learn.calibration import Reliability, reliability
from graphldp.learn.metrics import codes_of
from graphldp.learn.selection import split

_CHOICE = ("accuracy", "val_accuracy", "val_loss")


def measured(cells: Sequence[Cell], context: Context) -> Iterator[list[CellOutcome]]:
    """Run the trial of each cell, and compare confidences with outcomes, before and after calibration."""
    for cell in cells:
        trial = Trial.of(cell)
        for outcomes in running.run([trial.cell], context):
            try:
                yield [_measured(cell, trial, outcomes[0], context)]
            except GraphLDPError as error:
                yield [refusal(cell, error)]


def _measured(cell: Cell, trial: Trial, outcome: CellOutcome, context: Context) -> CellOutcome:
    from graphldp.experiments.models import classifier_of  # needs scikit-learn, which a far machine may lack

    classifier = classifier_of(outcome) if outcome.status == "done" else None
    if classifier is None:
        return CellOutcome(cell, outcome.status, note=outcome.note)
    reports = defended(trial, context).reports
    test = reports.subset(split(reports.labels, trial.ratios, trial.seed)[2])
    codes, own = codes_of(classifier.classes_, np.asarray(test.labels)), classifier.uncalibrated(test)
    before, after = reliability(own, codes), reliability(classifier.calibration_.apply(own), codes)
    numbers: dict[str, Any] = {name: outcome.numbers[name] for name in _CHOICE if name in outcome.numbers}
    numbers |= {"uncalibrated": _table(before), "calibrated": _table(after)}
    numbers |= {"temperature": classifier.calibration_.temperature, "held_out": classifier.calibration_.graphs}
    return CellOutcome(cell, "done", numbers, seconds=outcome.seconds)


def _table(found: Reliability) -> dict[str, list[float]]:
    return {"count": found.count.tolist(), "sure": found.sure.tolist(), "right": found.right.tolist()}
