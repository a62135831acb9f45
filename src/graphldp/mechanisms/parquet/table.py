"""Columns of users as Parquet holds them, their way to arrays and back, and noisy lists as reports."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import compute, types
from pyarrow.parquet import read_table

from graphldp.errors import DataError, FormatError
from graphldp.neighbour_lists.attributes import Attributes
from graphldp.privacy import Budget
from graphldp.reports import NoisyColumns, Origin, Reports

COLUMNS = ("features", "node_label", "group")


@dataclass(frozen=True)
class UserTable:
    """The columns of users in files, and which of them are public: a column is private unless it is said here.

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
        if is_sparse(kind):
            if self.width < 1:
                raise FormatError(f"{path}: with 'column' and 'value', UserTable must say the width of the features.")
            return
        listed = types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind)
        if not listed or not _is_number(kind.value_type):
            raise FormatError(f"{path}: 'features' must be a list of numbers, or of structs of 'column' and 'value'.")


def is_sparse(kind: Any) -> bool:
    """Whether features are lists of column and value."""
    if not (types.is_list(kind) or types.is_large_list(kind)) or not types.is_struct(kind.value_type):
        return False
    parts = {each.name: each.type for each in kind.value_type}
    return parts.keys() == {"column", "value"} and types.is_integer(parts["column"]) and _is_number(parts["value"])


def _is_number(kind: Any) -> bool:
    return bool(types.is_integer(kind) or types.is_floating(kind))


def stored_columns(table: Any, width: int) -> dict[str, Any]:
    """The columns of a table as :meth:`Attributes.restored` takes them."""
    found: dict[str, Any] = {}
    for name, ours in (("node_label", "node_labels"), ("group", "groups")):
        if name in table.column_names:
            found[ours] = table.column(name).to_numpy()
    if "features" not in table.column_names:
        return found
    lists = table.column("features").combine_chunks()
    if not is_sparse(lists.type):
        return found | {"features": _rows(table, "features")}
    lengths, values = full(compute.list_value_length(lists)), lists.flatten()
    pairs = {each.name: full(part) for each, part in zip(values.type, values.flatten(), strict=True)}
    indptr = np.concatenate(([0], np.cumsum(lengths, dtype=np.int64)))
    parts = {
        "data": pairs["value"],
        "indices": pairs["column"],
        "indptr": indptr,
        "shape": np.array([len(lists), width]),
    }
    return found | {f"features_{part}": each for part, each in parts.items()}


def full(values: Any) -> NDArray[Any]:
    """Arrow's numbers as an array, refused where some are absent."""
    if values.null_count:
        raise DataError("Every user must have a value in every column. Some values are missing.")
    return np.asarray(values.to_numpy(zero_copy_only=False))


def to_arrow(about: Attributes) -> dict[str, Any]:
    """Columns as Arrow holds them."""
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
    ends = np.arange(len(table) + 1, dtype=np.int64) * table.shape[1]
    return pa.LargeListArray.from_arrays(pa.array(ends), pa.array(table.ravel()))


def read_reports(folder: Path) -> Reports:
    """The reports that :func:`graphldp.mechanisms.parquet.randomize_parquet` wrote, where they fit into memory.

    Raises:
        FormatError: for a folder that holds something else, or not all parts.
    """
    try:
        table = pa.concat_tables([read_table(path) for path in sorted(Path(folder).glob("part-*.parquet"))])
        return _reports(table)
    except (OSError, pa.ArrowException, KeyError, ValueError) as error:
        why = f" ({error})" if isinstance(error, DataError) else ""
        raise FormatError(f"{folder}: no folder of noisy lists, or damaged{why}.") from None


def _reports(table: Any) -> Reports:
    facts = {name.decode(): value.decode() for name, value in table.schema.metadata.items()}
    n = int(facts["users"])
    if not np.array_equal(table.column("user").to_numpy(), np.arange(n)):
        raise DataError("parts are missing")
    lists, degree = table.column("neighbours").combine_chunks(), table.column("noisy_degree").combine_chunks()
    features = _rows(table, "noisy_features")
    labels = full(table.column("noisy_label").combine_chunks()) if "noisy_label" in table.column_names else None
    said = {"public_features": "features" in table.column_names, "public_labels": "node_label" in table.column_names}
    columns = stored_columns(table, int(facts["width"])) | said | {"num_groups": int(facts["num_groups"])}
    return Reports(
        lists.offsets.to_numpy(),
        lists.values.to_numpy(),
        np.array([0, n]),
        directed=facts["directed"] == "1",
        attributes=Attributes.restored(columns),
        budget=Budget(*(float(facts[name]) for name in ("epsilon1", "epsilon2", "epsilon_features", "epsilon_labels"))),
        noisy_degree=None if degree.null_count else full(degree),
        columns=NoisyColumns(features, labels, int(facts["categories"])),
        friend_counts=_rows(table, "friend_counts"),
        origin=Origin.from_json(facts["origin"]),
        noise=facts["noise"] or None,
    )


def _rows(table: Any, name: str) -> Any:
    """A column of rows of numbers, None where there is none."""
    if name not in table.column_names:
        return None
    lists = table.column(name).combine_chunks()
    lengths = full(compute.list_value_length(lists))
    if len(np.unique(lengths)) > 1:
        raise DataError("Every user must have the same number of features.")
    return full(lists.flatten()).reshape(len(lengths), int(lengths[0]))
