"""ProfileClassifier: trees and a kernel machine on a graph's profile, and n alone where the profile is noise.

Gradient boosting sees all of :func:`degree_profile` and :func:`hub_profile`, a kernel machine the columns by
which graphs are near each other; their probabilities are averaged. Trees cut the table along single columns, the kernel
compares graphs as a whole, and the two err on different ones. At a small ε the profile is mostly noise, and trees that
are offered sixty noisy columns lose sight of n. So the same pair is fitted to log n alone, and the two are mixed,

    w·profile + (1 − w)·size,

with the w of the smallest log loss on held-out folds of the training graphs; w = 0 unless that loss is below the one of
n alone by two standard errors. Where users have columns, another pair (:mod:`graphldp.learn.tables.column_pair`) takes
the first one's place, or a smooth model (:mod:`graphldp.learn.tables.shares`) where all that they told is a number or
one of two words; and the w of the smallest loss is taken as it is. What the mixture says of the same folds
calibrates it, see :mod:`graphldp.learn.calibration`.

A saved classifier is the table that it learned from, not its models: trees are kept as pickles, and reading those runs
code. Loading fits again, which gives the same ones with the same version of scikit-learn. What the folds said is in the
file, so that only the last of five fits is done again.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from graphldp.errors import FormatError
from graphldp.graphs import GraphSet
from graphldp.learn.calibration import Calibration
from graphldp.learn.progress import shown_steps
from graphldp.learn.saving import persistence
from graphldp.learn.saving.persistence import SavedModel
from graphldp.learn.saving.provenance import provenance_of
from graphldp.learn.tables.columns import column_profile
from graphldp.learn.tables.hubs import count_profile, hub_profile
from graphldp.learn.tables.mixture import STEPS, FoldsSay, Mixture, kept_chances
from graphldp.learn.tables.profiled import Profiled
from graphldp.learn.tables.profiles import degree_profile
from graphldp.learn.tables.tabular import Floats, Graphs, Model, TableClassifier, chances_of
from graphldp.neighbour_lists import NeighbourLists


class ProfileClassifier(TableClassifier):
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

    _watch: Callable[[], None] | None = None  # called after each of a fit's steps, while it lasts
    _told: FoldsSay | None = None  # by a file, while it is loaded

    def _model(self) -> Model:
        self.mixture_ = Mixture(self.seed, self.columns_, self._watch, self._told)
        return self.mixture_

    def uncalibrated(self, X: Graphs) -> Floats:
        """What the mixture says, [graphs, classes]. Graphs whose hub was never asked count as not answered."""
        check_is_fitted(self)
        return chances_of(self.model_, np.nan_to_num(self._table(X), nan=-1.0), len(self.classes_))

    def predict_proba(self, X: Graphs) -> Floats:
        """The probability of each class, [graphs, classes]: calibrated, and never above what the folds support."""
        return self.calibration_.apply(self.uncalibrated(X))

    @property
    def weight_(self) -> float:
        """The weight of the profile against n alone."""
        check_is_fitted(self)
        return self.mixture_.weight

    @property
    def calibration_(self) -> Calibration:
        """How its probabilities are read."""
        check_is_fitted(self)
        return self.mixture_.calibration

    def fit(self, X: Graphs, y: ArrayLike | None = None, *, verbose: bool = False) -> Self:
        """Learn from graphs; labels come from y, else from the graphs.

        Args:
            X: ``Reports`` or a ``GraphSet``, or the rows that were made of reports.
            y: one label per graph; from X by default.
            verbose: show a bar of its steps; one line at the end where nobody watches.
        """
        with shown_steps(verbose, STEPS, type(self).__name__) as self._watch:
            try:
                super().fit(X, y)
            finally:
                self._watch = None
        self.provenance_ = X.provenance(self.seed) if isinstance(X, Profiled) else provenance_of(X, self.seed)
        return self

    def _learn(self, table: Floats, codes: NDArray[np.int64]) -> Self:
        self.table_, self.codes_ = table, codes
        self.columns_ = table.shape[1] - self.features(GraphSet.from_edges([], [], [])).shape[1]
        return super()._learn(table, codes)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the classifier to one file, with its provenance; the old file stays until the new one is whole."""
        check_is_fitted(self)
        kind = type(self).__name__
        saved = SavedModel(self.get_params(), {}, self.provenance_, [], self.classes_, self._kept(), kind=kind)
        persistence.write(path, saved)

    def _kept(self) -> dict[str, NDArray[Any]]:
        """What it learned from, by name, and what the folds said of it."""
        kept = {"table": self.table_, "codes": self.codes_}
        return kept if self.mixture_.said is None else kept | self.mixture_.said._asdict()

    def _take(self, weights: Mapping[str, NDArray[Any]], graphs: int) -> None:
        """Take up what a file keeps beside the table, or refuse it with a ValueError."""

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a classifier that :meth:`save` wrote, and fit it again. Runs no code from the file.

        Raises:
            FormatError: for a file that is not such a classifier, is damaged, or was written by a newer version.
        """
        saved = persistence.read(path, cls.__name__)
        table, codes = (saved.weights.get(name, np.zeros(0)) for name in ("table", "codes"))
        columns = cls.features(GraphSet.from_edges([], [], [])).shape[1]
        typed = table.dtype == np.float64 and codes.dtype == np.int64 and codes.ndim == 1
        whole = typed and table.ndim == 2 and len(table) == len(codes) and table.shape[1] >= columns
        whole = whole and bool((np.isfinite(table) | np.isnan(table).all(axis=0)).all())  # a column that nobody filled
        if not (whole and np.array_equal(np.unique(codes), np.arange(saved.classes.size))):
            raise FormatError(f"{path}: damaged (it does not hold a table with a class for each row).")
        try:
            made = cls(**saved.params)
            made.classes_, made.provenance_ = saved.classes, dict(saved.provenance)
            made._take(saved.weights, len(codes))
            folds = kept_chances(FoldsSay._fields, saved.weights, (len(codes), saved.classes.size))
            made._told = None if folds is None else FoldsSay(*folds)
            made._learn(table, codes)
        except (TypeError, ValueError) as error:
            raise FormatError(f"{path}: damaged ({error})") from None
        made._told = None  # it is of this table, and of no other that it may be fitted to
        return made
