"""Columns of users as Parquet holds them: what is there, what of it is public, and its way to arrays and back."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphldp.attributes import Attributes
from graphldp.errors import DataError, FormatError

COLUMNS = ("features", "node_label", "group")


@dataclass(frozen=True)
class UserTable:
    """Where columns of users stand, and which of them are public: a column is private unless it is said here.

    A Parquet file, or a folder of them, with one row for each user, in any order. ``user`` is her number. Beside it
    stand ``features``, ``node_label`` and ``group``, or some of them. ``features`` is a list of numbers, or, where most
    are 0, a list of structs of ``column`` and ``value``.

    Args:
        path: the file or folder.
        public_features: which features are public: True, False, or one flag for each.
        public_labels: whether the labels are public.
        width: how many features there are, a public number; needed where ``column`` and ``value`` are given.
        num_groups: how many groups there are; one more than the largest number unless said.
    """

    path: Path
    public_features: Any = False
    public_labels: bool = False
    width: int = 0
    num_groups: int = 0

    def claimed(self, file: Any, path: Path) -> tuple[int, str]:
        """Refuse a file without the columns; how many bytes it claims to hold, and of what."""
        from pyarrow import types

        schema, found = file.schema_arrow, file.metadata
        whole = [name for name in ("user", "node_label", "group") if name in schema.names]
        if "user" not in whole or not all(types.is_integer(schema.field(name).type) for name in whole):
            raise FormatError(f"{path}: needs a whole-number column 'user'; 'node_label' and 'group' are whole, too.")
        if not any(name in schema.names for name in COLUMNS):
            raise FormatError(f"{path}: needs a column 'features', 'node_label' or 'group'.")
        if "features" in schema.names:
            self._check_features(schema.field("features").type, path)
        groups = (found.row_group(each) for each in range(found.num_row_groups))
        values = sum(each.column(place).num_values for each in groups for place in range(each.num_columns))
        return 8 * values, f"{values:,} numbers"

    def _check_features(self, kind: Any, path: Path) -> None:
        from pyarrow import types

        if is_sparse(kind):
            if self.width < 1:
                raise FormatError(f"{path}: with 'column' and 'value', UserTable must say the width of the features.")
            return
        listed = types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind)
        if not listed or not _is_number(kind.value_type):
            raise FormatError(f"{path}: 'features' must be a list of numbers, or of structs of 'column' and 'value'.")


def is_sparse(kind: Any) -> bool:
    """Whether features are lists of column and value."""
    from pyarrow import types

    if not (types.is_list(kind) or types.is_large_list(kind)) or not types.is_struct(kind.value_type):
        return False
    parts = {each.name: each.type for each in kind.value_type}
    return parts.keys() == {"column", "value"} and types.is_integer(parts["column"]) and _is_number(parts["value"])


def _is_number(kind: Any) -> bool:
    from pyarrow import types

    return bool(types.is_integer(kind) or types.is_floating(kind))


def stored_columns(table: Any, width: int) -> dict[str, Any]:
    """The columns of a table as :meth:`Attributes.restored` takes them."""
    from pyarrow import compute

    found: dict[str, Any] = {}
    for name, ours in (("node_label", "node_labels"), ("group", "groups")):
        if name in table.column_names:
            found[ours] = table.column(name).to_numpy()
    if "features" not in table.column_names:
        return found
    lists = table.column("features").combine_chunks()
    lengths, values = full(compute.list_value_length(lists)), lists.flatten()
    if is_sparse(lists.type):
        pairs = {each.name: full(part) for each, part in zip(values.type, values.flatten(), strict=True)}
        indptr = np.concatenate(([0], np.cumsum(lengths, dtype=np.int64)))
        parts = {"data": pairs["value"], "indices": pairs["column"], "indptr": indptr}
        parts["shape"] = np.array([len(lists), width])
        return found | {f"features_{part}": each for part, each in parts.items()}
    return found | {"features": rectangle(lengths, full(values))}


def full(values: Any) -> NDArray[Any]:
    """Arrow's numbers as an array, refused where some are absent."""
    if values.null_count:
        raise DataError("Every user must have a value in every column. Some values are missing.")
    return np.asarray(values.to_numpy(zero_copy_only=False))


def rectangle(lengths: NDArray[Any], values: NDArray[Any]) -> NDArray[Any]:
    """Lists of one length, as a table."""
    if len(np.unique(lengths)) > 1:
        raise DataError("Every user must have the same number of features.")
    return values.reshape(len(lengths), int(lengths[0]))


def to_arrow(about: Attributes) -> dict[str, Any]:
    """Columns as Arrow holds them."""
    import pyarrow as pa

    found: dict[str, Any] = {}
    if isinstance(about.features, np.ndarray):
        found["features"] = listed(about.features)
    elif about.features is not None:
        pairs = pa.StructArray.from_arrays(
            [pa.array(np.asarray(each)) for each in (about.features.indices, about.features.data)], ["column", "value"]
        )
        found["features"] = pa.LargeListArray.from_arrays(pa.array(about.features.indptr.astype(np.int64)), pairs)
    if about.node_labels is not None:
        found["node_label"] = pa.array(about.node_labels)
    return found


def listed(table: NDArray[Any]) -> Any:
    """A row of numbers for each user, as Arrow's lists."""
    import pyarrow as pa

    ends = np.arange(len(table) + 1, dtype=np.int64) * table.shape[1]
    return pa.LargeListArray.from_arrays(pa.array(ends), pa.array(table.ravel()))
