"""ProfileClassifier: trees and a kernel machine on a graph's profile, and n alone where the profile is noise.

Gradient boosting sees all of :func:`degree_profile` and :func:`hub_profile`, a kernel machine the columns by
which graphs are near each other; their probabilities are averaged. Trees cut the table along single columns, the kernel
compares graphs as a whole, and the two err on different ones. At a small ε the profile is mostly noise, and trees that
are offered sixty noisy columns lose sight of n. So the same pair is fitted to log n alone, and the two are mixed,

    w·profile + (1 − w)·size,

with the w of the smallest log loss on held-out folds of the training graphs; w = 0 unless that loss is below the one of
n alone by two standard errors. Where users have columns, another pair takes the first one's place, or a smooth model
where all that they told is a number or one of two words (:mod:`graphldp.learn.tables.column_models`), and the w of the
smallest loss is taken as it is. What the mixture says of the same folds calibrates it, see
:mod:`graphldp.learn.calibration`.
"""

from __future__ import annotations

from typing import ClassVar, Self

import numpy as np

from graphldp.graphs import GraphSet
from graphldp.learn.calibration import Calibration
from graphldp.learn.tables.hubs import count_profile, hub_profile
from graphldp.learn.tables.mixture import STEPS, HeldOut, Mixture
from graphldp.learn.tables.profiles import column_profile, degree_profile
from graphldp.learn.tables.tabular import CalibratedTableClassifier, Codes, Floats, Graphs
from graphldp.neighbour_lists import NeighbourLists


class ProfileClassifier(CalibratedTableClassifier):
    """Label graphs by their profile: n, degrees with the noise averaged out, and who gathers around the busiest user.

    Where users have features, groups or noisy columns of their own, their sums over a graph join the profile.

    Works on reports of any mechanism and on raw graphs; best where d* is released. Its settings are constants that were
    chosen on splits of REDDIT-BINARY; on other graphs the one weight is chosen on the training graphs.

    Args:
        seed: of trees and folds; the same seed gives the same classifier.

    Attributes:
        classes_: the labels, sorted.
        weight_: w.
        calibration_: how its probabilities are read, by the held-out folds.
        provenance_: mechanism, ε, dataset, seed and version, as kept in a saved file.

    Example::

        clf = ProfileClassifier(seed=0).fit(reports.subset(train))
        clf.score(reports.subset(test)), clf.weight_
    """

    table = "profile"

    @staticmethod
    def features(X: NeighbourLists) -> Floats:
        """Log(1 + n) first, then the rest of the three profiles, [graphs, 66]; then what users' columns say."""
        return np.hstack((degree_profile(X), hub_profile(X), count_profile(X), column_profile(X)))

    settings: ClassVar[tuple[str, ...]] = ("weight",)
    steps = STEPS

    model_: Mixture

    def _model(self) -> Mixture:
        return Mixture(self.seed, self.columns_, self.weight_, self._step)

    def _table(self, X: Graphs) -> Floats:
        """The rows; graphs whose hub was never asked count as not answered."""
        return np.nan_to_num(super()._table(X), nan=-1.0)

    @property
    def weight_(self) -> float:
        """The weight of the profile against n alone."""
        return self.settings_["weight"]

    def _chosen(self, table: Floats, codes: Codes) -> tuple[dict[str, float], Calibration]:
        held_out = self._held_out(table, codes)
        if held_out is None:
            return {"weight": 1.0}, Calibration()
        return {"weight": held_out.weight}, Calibration.fit(held_out.chances, codes)

    def _held_out(self, table: Floats, codes: Codes) -> HeldOut | None:
        return Mixture(self.seed, _told(table), step=self._step).held_out(table[:, self._filled(table)], codes)

    def _fit_with(self, table: Floats, codes: Codes, settings: dict[str, float], calibration: Calibration) -> Self:
        self.columns_ = _told(table)
        return super()._fit_with(table, codes, settings, calibration)

    @staticmethod
    def _is_table(table: Floats) -> bool:
        unfilled = np.isnan(table).all(axis=0)  # a column that nobody filled
        return _told(table) >= 0 and bool((np.isfinite(table) | unfilled).all())


def _told(table: Floats) -> int:
    """How many of a table's last columns are of what users told."""
    return int(table.shape[1] - ProfileClassifier.features(GraphSet.from_edges([], [], [])).shape[1])
