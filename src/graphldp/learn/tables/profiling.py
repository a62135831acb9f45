"""From reports to the rows that classifiers read; see :mod:`graphldp.learn.tables.profiled`."""

from __future__ import annotations

import numpy as np

from graphldp.errors import DataError
from graphldp.learn.tables.controls import DegreeControl, SizeControl
from graphldp.learn.tables.levels import Levelled
from graphldp.learn.tables.profile_classifier import ProfileClassifier
from graphldp.learn.tables.profiled import Profiled
from graphldp.learn.tables.witness_classifier import WitnessClassifier
from graphldp.neighbour_lists.labels import NO_LABEL
from graphldp.reports import Reports

_READERS = (ProfileClassifier, DegreeControl, SizeControl)


def profiled(reports: Reports) -> Profiled:
    """The rows that the recipe and its controls read of a collector's reports, which are not needed any more."""
    if reports.directed or reports.filtered or not reports.collected:
        raise DataError(
            "Profiles are made of reports that a collector holds. These are directed, simulated, or left by a filter."
        )
    induced = reports.induced()
    tables = {each.table: each.features(induced) for each in _READERS}
    if "dealt" in reports.origin.parameters:  # who has not reported stays in n: nobody changes it by keeping silent
        tables[WitnessClassifier.table] = WitnessClassifier.features(reports)
    return Profiled(
        tables=tables,
        levelled=Levelled.of(reports),
        promised=reports.guarantee.by_graph(),
        classes=np.full(len(reports), NO_LABEL) if reports.labels is None else np.asarray(reports.labels, np.int64),
        graph_ids=np.asarray(reports.graph_ids),
        origin=reports.origin,
        noise=reports.noise,
    )
