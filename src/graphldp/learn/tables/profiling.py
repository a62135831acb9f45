"""From reports to the rows that classifiers read; see :mod:`graphldp.learn.tables.profiled`."""

from __future__ import annotations

import numpy as np

from graphldp.errors import DataError
from graphldp.labels import NO_LABEL
from graphldp.learn.tables.controls import DegreeControl, SizeControl
from graphldp.learn.tables.profile_classifier import ProfileClassifier
from graphldp.learn.tables.profiled import Profiled
from graphldp.learn.tables.robust.levels import Levelled
from graphldp.learn.tables.robust.misfits import set_aside
from graphldp.reports import Reports

_READERS = (ProfileClassifier, DegreeControl, SizeControl)


def profiled(reports: Reports) -> Profiled:
    """What the recipe and its controls read of some reports, which are not needed any more.

    Args:
        reports: undirected, without private columns: what a collector holds.
    """
    if reports.directed or reports.filtered or not reports.collected:
        raise DataError(
            "Profiles are made of reports that a collector holds. These are directed, simulated, or left by a filter."
        )
    induced = reports.induced()
    return Profiled(
        tables={each.table: each.features(induced) for each in _READERS},
        levelled=Levelled.of(reports),
        aside=set_aside(reports),
        promised=reports.guarantee.by_graph(),
        classes=np.full(len(reports), NO_LABEL) if reports.labels is None else np.asarray(reports.labels, np.int64),
        graph_ids=np.asarray(reports.graph_ids),
        origin=reports.origin,
        noise=reports.noise,
    )
