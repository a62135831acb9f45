"""Cells about whom a defense flags: detection against false positives, for all honest users and for hubs apart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from graphldp.errors import GraphLDPError
from graphldp.experiments.cells import Cell
from graphldp.experiments.draws import Context
from graphldp.experiments.measures.outcomes import CellOutcome, refusal
from graphldp.experiments.trial import Trial
from graphldp.experiments.trials.cases import attacked
from graphldp.threats import roc
from graphldp.threats.named import make_defense

_CURVE_POINTS = 80
_ALL_SCORES = 0.99  # the guarantee point computes p-values as far as this θ


def curve(cells: Sequence[Cell], context: Context) -> Iterator[list[CellOutcome]]:
    """Detection against false positives, for all honest users and for honest hubs apart."""
    for cell in cells:
        try:
            case = attacked(Trial.of(cell), context)
            score = make_defense(cell.params["defense"], theta=_ALL_SCORES).judge(case.reports).score
        except GraphLDPError as error:
            yield [refusal(cell, error)]
            continue
        numbers: dict[str, Any] = {}
        honest = case.inside & ~case.malicious
        for name, among in (("all", honest), ("hubs", honest & case.hubs)):
            found = roc(score, case.malicious, among)
            way = found.false_positives + found.detected  # even steps along the curve, from 0 to 2
            some = np.unique(np.searchsorted(way, np.linspace(0, way[-1], _CURVE_POINTS)))
            numbers[name] = {
                "area": found.area,
                "false_positives": found.false_positives[some].tolist(),
                "detected": found.detected[some].tolist(),
            }
        yield [CellOutcome(cell, "done", numbers)]
