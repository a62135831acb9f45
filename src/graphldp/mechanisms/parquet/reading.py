"""What the passes wrote, as :class:`graphldp.Reports`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from graphldp.attributes import Attributes
from graphldp.errors import DataError, FormatError, MissingExtraError
from graphldp.mechanisms.parquet.table import full, rectangle, stored_columns
from graphldp.reports import Origin, Reports


def read_reports(folder: Path) -> Reports:
    """The reports that :func:`randomize_parquet` wrote, where they fit into memory.

    Raises:
        MissingExtraError: where pyarrow is not installed.
        FormatError: for a folder that holds something else, or not all parts.
    """
    try:
        import pyarrow as pa
        from pyarrow.parquet import read_table
    except ModuleNotFoundError:
        raise MissingExtraError("Parquet", "ray") from None
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
    spent = {name: np.full(n, float(facts[name])) for name in facts if name.startswith("epsilon")}
    tables = {name: _rows(table, name) for name in ("friend_counts", "noisy_features") if name in table.column_names}
    labels = full(table.column("noisy_label").combine_chunks()) if "noisy_label" in table.column_names else None
    said = {"public_features": "features" in table.column_names, "public_labels": "node_label" in table.column_names}
    columns = stored_columns(table, int(facts["width"])) | said | {"num_groups": int(facts["num_groups"])}
    return Reports(
        lists.offsets.to_numpy(),
        lists.values.to_numpy(),
        np.array([0, n]),
        directed=facts["directed"] == "1",
        attributes=Attributes.restored(columns),
        epsilon1=spent["epsilon1"],
        epsilon2=spent["epsilon2"],
        noisy_degree=None if degree.null_count else full(degree),
        epsilon_features=spent["epsilon_features"] if "noisy_features" in tables else None,
        epsilon_labels=None if labels is None else spent["epsilon_labels"],
        noisy_labels=labels,
        categories=int(facts["categories"]),
        origin=Origin.from_json(facts["origin"]),
        noise=facts["noise"] or None,
        **tables,
    )


def _rows(table: Any, name: str) -> Any:
    from pyarrow import compute

    lists = table.column(name).combine_chunks()
    return rectangle(full(compute.list_value_length(lists)), full(lists.flatten()))
