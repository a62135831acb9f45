"""WitnessClassifier: labels that liars cannot change, from how many friends users have in each other's groups.

A label that stands is proven to: whatever up to k users of its community send, or keep to themselves, and whoever they
are, the classifier says the same (:meth:`WitnessClassifier.withstands`). One user moves each sum over a group by a
known amount (:mod:`graphldp.learn.tables.witness_sums`), and the least lead of a label over all that k of them can
move is known (:mod:`graphldp.learn.tables.interpolated_kernel`). It is a promise about the classifier as it was
trained, and says nothing of liars in training graphs. Graphs of fewer users than groups are labelled by n alone,
without a promise.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator
from functools import partial
from typing import Self

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold
from sklearn.utils.validation import check_is_fitted

from graphldp.errors import DataError
from graphldp.learn.calibration import Calibration
from graphldp.learn.inputs import check_liars, checked_graphs, filtered
from graphldp.learn.tables.interpolated_kernel import InterpolatedKernel
from graphldp.learn.tables.profiled import Profiled
from graphldp.learn.tables.tabular import CalibratedTableClassifier, Codes, Floats, Graphs
from graphldp.learn.tables.witness_sums import COLUMNS, FACTS, witness_profile
from graphldp.neighbour_lists import NeighbourLists

_FOLDS = 4
_ROUNDING = 1e-9  # no label stands by a lead that rounding could have made


class WitnessClassifier(CalibratedTableClassifier):
    """Label graphs by counts of friends in groups of a deal, and say how many liars each label withstands.

    Args:
        seed: of what is drawn in a fit; the same seed gives the same classifier.

    Attributes:
        classes_: the labels, sorted.
        groups_: G.
        calibration_: how its probabilities are read, by held-out folds.
        provenance_: mechanism, ε, dataset, seed and version, as kept in a saved file.

    Example::

        recipe = gl.recommended(1.0, witnesses=True)
        reports = recipe.mechanism.randomize(graphs, rng=7)
        clf = recipe.classifier.fit(reports.subset(train))
        clf.predict(reports.subset(test)), clf.withstands(reports.subset(test), liars=1)
    """

    table = "witnesses"

    @staticmethod
    def features(X: NeighbourLists) -> Floats:
        """The rows of :func:`graphldp.learn.tables.witness_sums.witness_profile`."""
        return witness_profile(X)

    model_: InterpolatedKernel

    def _model(self) -> InterpolatedKernel:
        return InterpolatedKernel(self.seed)

    def _rows(self, X: Graphs) -> Floats:
        """The rows of graphs; who has not reported stays in n, so that nobody changes it by keeping silent."""
        if isinstance(X, Profiled):
            if self.table not in X.tables:
                raise DataError("These rows hold no witnesses: friends were not counted by groups of a deal.")
            return X.tables[self.table]
        return self.features(checked_graphs(X, type(self).__name__))

    def _table(self, X: Graphs) -> Floats:
        rows = self._rows(X)
        if len(rows) and (rows[:, 1] != self.groups_).any():
            raise DataError(
                f"This classifier learned from {self.groups_} groups, and labels no graphs with another number of them."
            )
        return rows

    @staticmethod
    def _filled(table: Floats) -> NDArray[np.bool_]:
        return np.ones(table.shape[1], np.bool_)

    def _learn(self, table: Floats, codes: Codes) -> Self:
        if len(np.unique(table[:, 1])) != 1:
            raise DataError("Graphs that are learned from together must have one number of groups.")
        return super()._learn(table, codes)

    def _fit_with(self, table: Floats, codes: Codes, settings: dict[str, float], calibration: Calibration) -> Self:
        self.groups_ = int(table[0, 1])
        return super()._fit_with(table, codes, settings, calibration)

    def _chosen(self, table: Floats, codes: Codes) -> tuple[dict[str, float], Calibration]:
        """By folds that are held out one after the other; a class of one graph cannot be held out."""
        folds = min(_FOLDS, int(np.bincount(codes).min()))
        if folds < 2:
            return {}, Calibration()
        chances = np.zeros((len(codes), int(codes.max()) + 1))
        for learn, held in StratifiedKFold(folds, shuffle=True, random_state=self.seed).split(table, codes):
            chances[held] = self._model().fit(table[learn], codes[learn]).predict_proba(table[held])
        return {}, Calibration.fit(chances, codes)

    @staticmethod
    def _is_table(table: Floats) -> bool:
        public = table[:, :FACTS]
        return table.shape[1] == COLUMNS and bool(np.isfinite(public).all()) and len(np.unique(public[:, 1])) == 1

    def withstands(self, X: Graphs, *, liars: int = 1) -> NDArray[np.bool_]:
        """Whether each label stands, whatever up to so many users of its graph send or do not send.

        Args:
            X: the graphs.
            liars: k. They know everything; who they are and what they sent before does not matter.
        """
        check_is_fitted(self)
        rows = self._table(X)
        count = check_liars(liars, rows[:, 0].astype(np.int64), type(self).__name__)
        most = np.minimum(count, rows[:, 0]).astype(np.int64)
        return np.array([stands(k) for stands, k in zip(self._promises(X, rows, most), most, strict=True)], np.bool_)

    def withstood(self, X: Graphs) -> Codes:
        """The largest such number of users for each graph; 0 where no label is promised to stand."""
        check_is_fitted(self)
        rows = self._table(X)
        order = np.argsort(rows[:, 0], kind="stable")  # those of one n together, which is quicker
        most = rows[order, 0].astype(np.int64)
        found = np.zeros(len(rows), np.int64)
        for graph, stands, n in zip(order, self._promises(X, rows[order], most), most.tolist(), strict=True):
            found[graph] = bisect_left(range(n), True, key=lambda k: not stands(k + 1))
        return found

    def _promises(self, X: Graphs, rows: Floats, most: Codes) -> Iterator[Callable[[int], bool]]:
        """For each graph whether its label stands, as a function of how many lie, for so many at most."""
        nothing = np.full(len(rows), filtered(X)) | np.isnan(rows).any(axis=1)
        labels = self.model_.scores(rows).argmax(axis=1)
        for none, label, within in zip(
            nothing, labels, self.model_.around(rows, np.where(nothing, 0, most)), strict=True
        ):
            yield (lambda _: False) if none else partial(_leads, within, label)


def _leads(within: Callable[[int], Floats], label: int, liars: int) -> bool:
    """Whether a label's score is above every other class's, wherever so many users can bring the row of their graph."""
    scores = within(liars)
    return bool((scores[:, [label]] - np.delete(scores, label, axis=1)).min() > _ROUNDING)
