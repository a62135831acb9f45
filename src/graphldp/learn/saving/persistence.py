"""A trained model as one file: arrays in an ``.npz`` and a JSON header, so that reading it runs no code.

The header says what the model is, how it was trained and on what (mechanism, ε, dataset, seed, version); each array's
own checksum in the archive tells damage.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphldp.errors import DataError, FormatError
from graphldp.files.archives import read_arrays
from graphldp.files.whole import written_whole

FORMAT = 2  # raised when an older reader would misread a newer file: one of format 1 would not calibrate


@dataclass(frozen=True)
class SavedModel:
    """What a file holds.

    Args:
        params: the estimator's constructor arguments.
        spec: the architecture.
        provenance: mechanism, ε, dataset, seed and version.
        history: one row per epoch.
        classes: the labels, in the order of the scores.
        weights: the model's tensors by name.
        kind: the estimator's name.
        calibration: how a network's probabilities are read. Empty in files of format 1, which support next to nothing;
            and of a classifier that is fitted again when it is read.
    """

    params: Mapping[str, Any]
    spec: Mapping[str, Any]
    provenance: Mapping[str, Any]
    history: list[Mapping[str, Any]]
    classes: NDArray[Any]
    weights: Mapping[str, NDArray[Any]]
    kind: str
    calibration: Mapping[str, Any] = field(default_factory=dict)


_NEEDED = ("kind", "params", "spec", "provenance", "history")
_IN_HEADER = (*_NEEDED, "calibration")
_TABLES = ("params", "spec", "provenance", "calibration")


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
        needed = {name: header[name] for name in _NEEDED}
        calibration = header.get("calibration", {})
        return SavedModel(**needed, classes=arrays["classes"], weights=weights, calibration=calibration)
    except KeyError as error:
        raise FormatError(f"{path}: damaged ({error} is missing).") from None


def _plain(value: object) -> object:
    """NumPy's numbers among the parameters, as JSON's."""
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{type(value).__name__} cannot be stored in a model file")
