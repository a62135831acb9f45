"""Classifiers' common part: labels from probabilities, and a trained model as one file.

A file is an ``.npz`` of arrays with a JSON header, so that reading it runs no code. The header says what the model is,
how it was trained and on what (mechanism, ε, dataset, seed, version); each array's own checksum tells damage.
"""

from __future__ import annotations

import json
import os
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from graphldp.errors import DataError, FormatError
from graphldp.files.archives import read_arrays
from graphldp.files.whole import written_whole

FORMAT = 2  # raised when an older reader would misread a newer file


@dataclass(frozen=True)
class SavedModel:
    """A saved model: what its file holds.

    Args:
        kind: the estimator's name.
        params: its constructor arguments.
        provenance: mechanism, ε, dataset, seed and version.
        classes: the labels, in the order of the scores.
        spec: the architecture, or what was chosen.
        weights: what was learned, as arrays by name.
        history: one row per epoch.
        calibration: how probabilities are read.
    """

    kind: str
    params: Mapping[str, Any]
    provenance: Mapping[str, Any]
    classes: NDArray[Any]
    spec: Mapping[str, Any]
    weights: Mapping[str, NDArray[Any]]
    history: list[Mapping[str, Any]] = field(default_factory=list)
    calibration: Mapping[str, Any] = field(default_factory=dict)


_TABLES = ("params", "spec", "provenance", "calibration")
_IN_HEADER = ("kind", "history", *_TABLES)


class Classifier(ClassifierMixin, BaseEstimator, ABC):
    """A classifier of graphs or of users, as scikit-learn knows them."""

    classes_: NDArray[Any]

    @abstractmethod
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The probability of each class, in the order of ``classes_``."""

    def predict(self, X: Any) -> NDArray[Any]:
        """The likeliest label of each graph, or of each user."""
        codes = self.predict_proba(X).argmax(axis=1)
        likeliest: NDArray[Any] = self.classes_[codes]
        return likeliest

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.target_tags.required = False  # labels may come with the graphs
        return tags


class SavedClassifier(Classifier):
    """A classifier that can be saved."""

    provenance_: dict[str, Any]

    @abstractmethod
    def _learned(self) -> dict[str, Any]:
        """What a file keeps of it, by the fields of :class:`SavedModel`."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the classifier to one file, with its provenance; the old file stays until the new one is whole."""
        check_is_fitted(self)
        about = type(self).__name__, self.get_params(), self.provenance_, self.classes_
        write(path, SavedModel(*about, **self._learned()))


def write(path: str | os.PathLike[str], model: SavedModel) -> None:
    """Write a model; the old file stays until the new one is whole."""
    classes = np.array(model.classes.tolist())  # words may come as objects, which only pickle could store
    if classes.dtype.kind not in "biufU":
        raise DataError("A model can be saved when its labels are numbers or words.")
    header = {"format": FORMAT} | {name: getattr(model, name) for name in _IN_HEADER}
    arrays: dict[str, Any] = {"header": np.array(json.dumps(header, default=_plain)), "classes": classes}
    arrays |= {f"weights/{name}": array for name, array in model.weights.items()}
    with written_whole(path) as file:
        np.savez(file, allow_pickle=False, **arrays)


def read(path: str | os.PathLike[str], *kinds: str) -> SavedModel:
    """Read a model of one of these kinds.

    Raises:
        FormatError: for a file that is not a model, is damaged, or was written by a newer version.
    """
    arrays = read_arrays(path, "a saved model")
    try:
        header = json.loads(str(arrays["header"][()]))
        kind, version = header["kind"], int(header["format"])
    except (ArithmeticError, LookupError, RecursionError, TypeError, ValueError):
        raise FormatError(f"{path}: not a saved model, or damaged.") from None
    if kind not in kinds:
        raise FormatError(f"{path}: holds a {kind}, not a {' or a '.join(kinds)}.")
    if version > FORMAT:
        raise FormatError(f"{path}: format {version} is newer than this graphldp reads ({FORMAT}); upgrade it.")
    if any(not isinstance(header.get(name, {}), dict) for name in _TABLES):
        raise FormatError(f"{path}: damaged (its header is not one).")
    weights = {name.removeprefix("weights/"): a for name, a in arrays.items() if name.startswith("weights/")}
    try:
        kept = {name: header[name] for name in _IN_HEADER}
        return SavedModel(**kept, classes=arrays["classes"], weights=weights)
    except KeyError as error:
        raise FormatError(f"{path}: damaged ({error} is missing).") from None


def _plain(value: object) -> object:
    """NumPy's numbers among the parameters, as JSON's."""
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{type(value).__name__} cannot be stored in a model file")
