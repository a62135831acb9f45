"""Attributes of users, known beside their friends: features, a label, a group; and which of it is public.

A column is private unless somebody says that it is public: a private one stays left of the privacy line, with the raw
edges. A group is public by what it is for. Users count their friends by group on their own devices, so everybody must
know who is in which.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from graphldp.errors import DataError, bad_parameter
from graphldp.neighbour_lists.labels import NO_LABEL
from graphldp.neighbour_lists.partitions import made_from, made_from_one
from graphldp.neighbour_lists.pointers import read_only

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]
_PARTS = ("data", "indices", "indptr", "shape")  # of sparse features, in a file


@dataclass(frozen=True, eq=False, repr=False)
class Attributes:
    """Columns with one entry for each user.

    Args:
        features: finite numbers, [users, columns]: a NumPy array, or any SciPy sparse matrix, which is kept as CSR.
        node_labels: a whole number for each user, ``labels.NO_LABEL`` where hers is not known.
        groups: the number of each user's group, from 0 to ``num_groups`` − 1: everybody is in one, nobody in two.
        num_groups: how many groups there are; by default one more than the largest number.
        public_features: which columns of the features are public: True, False, or one flag for each column.
        public_labels: whether the labels are public.
    """

    features: Any = None
    node_labels: Ints | None = None
    groups: Ints | None = None
    num_groups: int = 0
    public_features: Any = False
    public_labels: bool = False

    def __post_init__(self) -> None:
        self._set("features", _checked_features(self.features))
        self._set("public_features", _checked_flags(self.public_features, self.features))
        if self.node_labels is not None:
            self._set("node_labels", _whole(self.node_labels, "node_labels"))
        if not isinstance(self.public_labels, bool):
            raise bad_parameter("public_labels", "Attributes", "True or False", self.public_labels)
        if self.groups is not None:
            self._set("groups", _whole(self.groups, "groups"))
            self._set("num_groups", _checked_groups(self.groups, self.num_groups))
        lengths = {int(column.shape[0]) for column in self._columns().values()}
        if len(lengths) > 1:
            raise DataError(f"All columns must have one entry for each user. Got {sorted(lengths)} entries instead.")

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, read_only(value) if isinstance(value, np.ndarray) else value)

    def _columns(self) -> dict[str, Any]:
        given = {name: getattr(self, name) for name in ("features", "node_labels", "groups")}
        return {name: column for name, column in given.items() if column is not None}

    def __repr__(self) -> str:  # counts only: a log must not hold anybody's columns
        return f"<Attributes of {self.num_users} users, private: {', '.join(self.private_columns()) or 'nothing'}>"

    @property
    def num_users(self) -> int:
        """How many users the columns describe; 0 where there are none."""
        return next((int(column.shape[0]) for column in self._columns().values()), 0)

    def __bool__(self) -> bool:
        return bool(self._columns())

    def private_columns(self) -> tuple[str, ...]:
        """The columns that must not cross the privacy line without a mechanism of their own."""
        public = {"features": self.public_features.all(), "node_labels": self.public_labels, "groups": True}
        return tuple(name for name in self._columns() if not public[name])

    def public(self) -> Attributes | None:
        """The public columns alone; None where there are none.

        Raises:
            DataError: for groups that tell a private column: nobody may be counted, or named, by it.
        """
        if (private := self._told_by_groups()) is not None:
            raise DataError(
                f"Groups are public, and these give away everybody's {private}, which are private. Say that they are "
                "public, or group by what users told of them: "
                "gl.Joint(edges=gl.FriendCounts(…), features=gl.CategoryRR(…))."
            )
        shown = np.flatnonzero(self.public_features) if self.features is not None else np.zeros(0, np.int64)
        features = self.features
        if features is not None and len(shown) < features.shape[1]:
            features = features[:, shown] if len(shown) else None
        labels = self.node_labels if self.public_labels else None
        kept = Attributes(features, labels, self.groups, self.num_groups, features is not None, labels is not None)
        return kept if kept else None

    def _told_by_groups(self) -> str | None:
        """A private column that the groups were made from, by its name."""
        if self.groups is None or self.num_groups < 2:
            return None
        if self.node_labels is not None and not self.public_labels:
            known = self.node_labels != NO_LABEL
            if made_from_one(self.groups[known], self.node_labels[known]):
                return "node_labels"
        hidden = self.features is not None and made_from(
            self.groups, self.features, np.flatnonzero(~self.public_features)
        )
        return "features" if hidden else None

    def taken(self, users: Ints) -> Attributes:
        """The columns of some users."""
        return replace(self, **{name: column[users] for name, column in self._columns().items()})

    def beside(self, others: Attributes | None) -> Attributes:
        """Other columns with these groups."""
        return replace(others or Attributes(), groups=self.groups, num_groups=self.num_groups)

    def stored(self) -> dict[str, Any]:
        """The content of a file: arrays and numbers by name."""
        found = dict(vars(self))
        if self.features is None:
            del found["public_features"]
        elif not isinstance(self.features, np.ndarray):
            del found["features"]
            found |= {f"features_{part}": np.asarray(getattr(self.features, part)) for part in _PARTS}
        return found

    @classmethod
    def restored(cls, values: Mapping[str, Any]) -> Attributes | None:
        """From what :meth:`stored` gave; None where a file holds no column."""
        given = {name: value for name, value in values.items() if name in cls.__dataclass_fields__}
        parts = [values.get(f"features_{part}") for part in _PARTS]
        if all(isinstance(part, np.ndarray) for part in parts):
            from scipy import sparse

            data, indices, indptr, shape = (np.asarray(part) for part in parts)
            try:
                given["features"] = sparse.csr_array((data, indices, indptr), shape=tuple(shape.tolist()))
                given["features"].check_format(full_check=True)
            except (ValueError, TypeError, IndexError):
                raise DataError("features must be a whole sparse matrix.") from None
        made = cls(**given)
        return made if made else None


def _checked_features(given: Any) -> Any:
    matrix: Any
    if given is None:
        return None
    if hasattr(given, "tocsr"):
        from scipy import sparse  # here alone: reports go to machines that train and may lack it

        matrix = sparse.csr_array(given, dtype=_float_type(given.dtype), copy=True)
        matrix.sum_duplicates()
        values = matrix.data
        for part in (matrix.data, matrix.indices, matrix.indptr):
            part.flags.writeable = False
    else:
        try:
            matrix = np.ascontiguousarray(given)
            matrix = matrix.astype(_float_type(matrix.dtype), copy=False)
        except (TypeError, ValueError):
            raise DataError("features must be numbers, [users, columns].") from None
        values = matrix
    if matrix.ndim != 2 or not matrix.shape[1]:
        raise DataError(f"features must have the shape [users, columns]. Got {matrix.shape} instead.")
    if not np.isfinite(values).all():
        raise DataError("features must be finite numbers, without NaN.")
    return matrix


def _float_type(dtype: Any) -> Any:
    """Floats stay what they are; whole numbers and flags become float32."""
    if np.dtype(dtype).kind not in "biuf":
        raise DataError("features must be numbers, [users, columns].")
    return dtype if np.dtype(dtype).kind == "f" else np.float32


def _checked_flags(given: Any, features: Any) -> Flags:
    columns = 0 if features is None else features.shape[1]
    flags = np.asarray(given)
    if flags.dtype != np.bool_ or flags.shape not in ((), (columns,)):
        raise DataError(f"What is public must be True, False, or a flag for each of the {columns} columns of features.")
    return np.broadcast_to(flags, columns).copy()


def _whole(given: ArrayLike, name: str) -> Ints:
    array = np.asarray(given)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iub"):
        raise DataError(f"{name} must be flat and hold one whole number for each user.")
    return array.astype(np.int64)


def _checked_groups(groups: Ints, num_groups: int) -> int:
    count = int(groups.max(initial=-1)) + 1
    if isinstance(num_groups, bool) or not isinstance(num_groups, int | np.integer) or num_groups < 0:
        raise bad_parameter("num_groups", "Attributes", "a whole number", num_groups)
    if (groups < 0).any():
        without = int(np.count_nonzero(groups < 0))
        raise DataError(f"Everybody must be in one group, numbered from 0. {without} users are in none.")
    if num_groups and count > num_groups:
        raise DataError(f"groups must be numbered from 0 to {num_groups - 1}. Got {count - 1} instead.")
    return int(num_groups) or count
