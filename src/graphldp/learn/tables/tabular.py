"""Graph classification from a table, one row per graph: scikit-learn's ordinary classifiers behind our interface."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any, ClassVar, Protocol, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from graphldp.errors import DataError, FormatError
from graphldp.learn.calibration import Calibration
from graphldp.learn.inputs import among_trusted, given_labels, graphs_of, labels_of, provenance_of
from graphldp.learn.metrics import accuracy
from graphldp.learn.progress import shown_steps
from graphldp.learn.saving import Classifier, SavedClassifier, read
from graphldp.learn.tables.profiled import Profiled
from graphldp.neighbour_lists import NeighbourLists

Codes = NDArray[np.int64]
Floats = NDArray[np.float64]
Graphs = NeighbourLists | Profiled
"""What a classifier of tables takes: graphs, or the rows that were made of them before."""


class Model(Protocol):
    """A model that is fitted to the table."""

    def fit(self, X: Floats, y: NDArray[Any]) -> Self:
        """Learn."""
        ...

    def predict_proba(self, X: Floats) -> Floats:
        """The probability of each class, [rows, classes]."""
        ...


class TableClassifier(Classifier):
    """A classifier of graphs that sees a few numbers of each.

    Args:
        seed: of what is drawn in the fit; the same seed gives the same classifier.
    """

    table: ClassVar[str]
    """What its table is called in :class:`graphldp.learn.tables.profiled.Profiled`."""

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed

    @staticmethod
    @abstractmethod
    def features(X: NeighbourLists) -> Floats:
        """The numbers, [graphs, columns]."""

    @abstractmethod
    def _model(self) -> Model:
        """The unfitted model."""

    def fit(self, X: Graphs, y: ArrayLike | None = None, *, trusted: ArrayLike | None = None) -> Self:
        """Learn from graphs.

        Args:
            X: ``Reports`` or a ``GraphSet``, or the rows that were made of reports.
            y: one label per graph; from X by default.
            trusted: positions of the graphs to learn from alone, where others may lie; all by default.
        """
        X, y = among_trusted(X, y, trusted, type(self).__name__)
        table = self._rows(X)
        self.classes_, codes = labels_of(X, y, type(self).__name__)
        return self._learn(table, codes)

    def _rows(self, X: Graphs) -> Floats:
        """The numbers of graphs, read now or before."""
        return X.tables[self.table] if isinstance(X, Profiled) else self.features(graphs_of(X, type(self).__name__))

    @staticmethod
    def _filled(table: Floats) -> NDArray[np.bool_]:
        """The columns that the model reads: boosting refuses one without a number."""
        return np.asarray(~np.isnan(table).all(axis=0))

    def _learn(self, table: Floats, codes: Codes) -> Self:
        self.filled_ = self._filled(table)
        self.model_ = self._model().fit(table[:, self.filled_], codes)
        return self

    def predict_proba(self, X: Graphs) -> Floats:
        """The probability of each class, [graphs, classes]."""
        check_is_fitted(self)
        table = self._table(X)  # scikit-learn's models refuse one without rows
        return self.model_.predict_proba(table) if len(table) else np.zeros((0, len(self.classes_)))

    def _table(self, X: Graphs) -> Floats:
        """The numbers that the model was fitted to, of other graphs."""
        table = self._rows(X)
        if table.shape[1] != np.size(self.filled_):
            raise DataError("These graphs have other columns than those that the classifier learned from.")
        return np.asarray(table[:, self.filled_])

    def score(self, X: Graphs, y: ArrayLike | None = None) -> float:
        """Accuracy; the true labels come from y, else from the graphs."""
        return accuracy(given_labels(X, y), self.predict(X))


class CalibratedTableClassifier(TableClassifier, SavedClassifier):
    """A classifier whose settings and probabilities come from held-out folds, and which can be saved.

    A file holds the table that it learned from and its settings, not its models: trees are kept as pickles, and reading
    those runs code. Loading fits again, which gives the same classifier with the same version of scikit-learn.
    """

    settings: ClassVar[tuple[str, ...]] = ()
    """The names of the numbers from 0 to 1 that held-out folds choose."""
    steps: ClassVar[int] = 1
    """How often a fit calls ``_step``."""
    _step: Callable[[], None] | None = None  # while a fit lasts

    def fit(
        self, X: Graphs, y: ArrayLike | None = None, *, trusted: ArrayLike | None = None, verbose: bool = False
    ) -> Self:
        """Learn from graphs.

        Args:
            X: reports or a ``GraphSet``, or the rows that were made of reports.
            y: one label per graph; from X by default.
            trusted: positions of the graphs to learn from alone, where others may lie; all by default.
            verbose: show a bar of its steps; one line at the end where nobody watches.
        """
        X, y = among_trusted(X, y, trusted, type(self).__name__)
        self._begin(X)
        with shown_steps(verbose, self.steps, type(self).__name__) as self._step:
            try:
                super().fit(X, y)
            finally:
                self._step = None
        self.provenance_ = X.provenance(self.seed) if isinstance(X, Profiled) else provenance_of(X, self.seed)
        return self

    def _begin(self, X: Graphs) -> None:
        """Read what is learned from beside the table."""

    def _learn(self, table: Floats, codes: Codes) -> Self:
        return self._fit_with(table, codes, *self._chosen(table, codes))

    @abstractmethod
    def _chosen(self, table: Floats, codes: Codes) -> tuple[dict[str, float], Calibration]:
        """The settings and the calibration that suit held-out folds best."""

    def _fit_with(self, table: Floats, codes: Codes, settings: dict[str, float], calibration: Calibration) -> Self:
        """Fit to all graphs with these settings."""
        self.table_, self.codes_, self.settings_, self.calibration_ = table, codes, settings, calibration
        return super()._learn(table, codes)

    def uncalibrated(self, X: Graphs) -> Floats:
        """The model's own probabilities, [graphs, classes]."""
        return super().predict_proba(X)

    def predict_proba(self, X: Graphs) -> Floats:
        """The probability of each class, [graphs, classes]: calibrated, and never above what the folds support."""
        chances = self.uncalibrated(X)
        return self.calibration_.apply(chances)

    def _learned(self) -> dict[str, Any]:
        return {"spec": self.settings_, "weights": self._kept(), "calibration": asdict(self.calibration_)}

    def _kept(self) -> dict[str, NDArray[Any]]:
        """The arrays that it learned from, by name."""
        return {"table": self.table_, "codes": self.codes_}

    def _take(self, weights: Mapping[str, NDArray[Any]], graphs: int) -> None:
        """Take up what a file keeps beside the table, or refuse it with a ValueError."""

    @staticmethod
    @abstractmethod
    def _is_table(table: Floats) -> bool:
        """Whether a table from a file has the columns of this classifier."""

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a classifier that :meth:`save` wrote, and fit it again. Runs no code from the file.

        Raises:
            FormatError: for a file that is not such a classifier, is damaged, or was written by another version.
        """
        saved = read(path, cls.__name__)
        table, codes = (saved.weights.get(name, np.zeros(0)) for name in ("table", "codes"))
        whole = table.dtype == np.float64 and table.ndim == 2 and codes.dtype == np.int64 and codes.ndim == 1
        if not (whole and len(table) == len(codes) and len(codes) and cls._is_table(table)):
            raise FormatError(f"{path}: damaged (it does not hold a table with a class for each row).")
        if not np.array_equal(np.unique(codes), np.arange(saved.classes.size)) or saved.classes.size < 2:
            raise FormatError(f"{path}: damaged (it does not hold a row of each class).")
        if missing := [name for name in cls.settings if name not in saved.spec]:
            raise FormatError(f"{path}: damaged, or of an older form ('{missing[0]}' is missing); train it anew.")
        try:
            settings = {name: float(saved.spec[name]) for name in cls.settings}
            if not all(0.0 <= value <= 1.0 for value in settings.values()):
                raise ValueError("its settings are none")
            classifier = cls(**saved.params)
            classifier.classes_, classifier.provenance_ = saved.classes, dict(saved.provenance)
            classifier._take(saved.weights, len(codes))
            return classifier._fit_with(table, codes, settings, Calibration(**saved.calibration))
        except (TypeError, ValueError, DataError) as error:
            raise FormatError(f"{path}: damaged ({error})") from None
