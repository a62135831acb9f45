"""Reports as one Parquet file: a row for each user, written and read some communities at a time.

A row has ``community`` (its number in the store), ``label`` where it has one, ``user``, whether she has ``reported``,
what she spent (``epsilon1``, ``epsilon2``), ``noisy_degree``, and ``neighbours``; and, where the mechanism has them,
``asked``, ``busy``, ``quiet_friends`` and ``busy_friends``, or ``told``, ``flip``, ``listed`` and what was spent on the
answer (``epsilon3``), or ``group`` and ``friend_counts``. A row group holds whole
communities, so each can be read by itself and is what it is in the whole, to the last bit.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from graphldp.collector.community import Community
from graphldp.collector.storage.copies.export import BATCH, export_in_batches
from graphldp.collector.storage.store import Store
from graphldp.errors import DataError, FormatError, MissingExtraError
from graphldp.files.whole import written_whole
from graphldp.neighbour_lists.attributes import Attributes
from graphldp.neighbour_lists.labels import NO_LABEL
from graphldp.privacy import Budget
from graphldp.reports import HubAnswers, Origin, PairAnswers, Reports

if TYPE_CHECKING:
    from pyarrow import Table

_FACTS = "graphldp"  # the entry of the file's metadata that says how the reports were drawn
_TOLD = ("asked", "busy", "quiet_friends", "busy_friends")
_PAIRS = ("told", "flip", "listed")


def write_parquet(store: Store, communities: Sequence[Community], path: Path, users: int = BATCH) -> int:
    """Write the reports of some communities to a file, which is whole or not there; how many there are."""
    try:
        from pyarrow.parquet import ParquetWriter
    except ModuleNotFoundError:
        raise MissingExtraError("Parquet", "ray") from None
    reported, writer = 0, None
    with written_whole(path) as file:
        for reports in export_in_batches(store, communities, users):
            table = _to_table(reports)
            writer = writer or ParquetWriter(file, table.schema, compression="zstd")
            writer.write_table(table, row_group_size=reports.num_users)
            reported += reports.num_users - (0 if reports.missing is None else int(reports.missing.sum()))
        if writer is not None:
            writer.close()
    return reported


def row_groups(path: Path) -> int:
    """How many row groups a file has."""
    from pyarrow.parquet import ParquetFile

    with ParquetFile(path) as file:
        return file.num_row_groups


def read_row_group(path: Path, group: int) -> Reports:
    """The reports of one row group."""
    from pyarrow import ArrowException
    from pyarrow.parquet import ParquetFile

    try:
        with ParquetFile(path) as file:
            return _to_reports(file.read_row_group(group))
    except (ArrowException, KeyError, RecursionError, TypeError, ValueError) as error:
        why = f" ({error})" if isinstance(error, DataError) else ""
        raise FormatError(f"{path}: no file of collected reports, or damaged{why}.") from None


def _to_table(reports: Reports) -> Table:
    import pyarrow as pa

    graph = reports.graph_of_user
    labels = np.full(len(reports), NO_LABEL) if reports.labels is None else reports.labels
    columns: dict[str, Any] = {
        "community": pa.array(reports.graph_ids[graph]),
        "label": pa.array(labels[graph], mask=labels[graph] == NO_LABEL),
        "user": pa.array(reports.local_users),
        "reported": pa.array(np.ones(reports.num_users, np.bool_) if reports.missing is None else ~reports.missing),
        "epsilon1": pa.array(reports.epsilon1),
        "epsilon2": pa.array(reports.epsilon2),
        "neighbours": _lists(reports.indptr, reports.indices),
    }
    if reports.noisy_degree is not None:
        columns["noisy_degree"] = pa.array(reports.noisy_degree)
    if reports.answers is not None:
        columns |= {name: pa.array(getattr(reports.answers, name)) for name in _TOLD}
    if reports.pair_answers is not None:
        columns |= {name: pa.array(getattr(reports.pair_answers, name)) for name in _PAIRS}
        columns["epsilon3"] = pa.array(np.asarray(reports.budget.answer))
    if reports.friend_counts is not None:
        counts = reports.friend_counts
        columns["group"] = pa.array(reports.groups)
        columns["friend_counts"] = _lists(np.arange(len(counts) + 1) * counts.shape[1], counts.ravel())
    facts = {"origin": reports.origin.to_json(), "noise": reports.noise, "groups": reports.num_groups}
    return pa.table(columns).replace_schema_metadata({_FACTS: json.dumps(facts)})


def _lists(ends: NDArray[np.int64], values: NDArray[Any]) -> Any:
    import pyarrow as pa

    return pa.LargeListArray.from_arrays(pa.array(ends), pa.array(values))


def _to_reports(table: Table) -> Reports:
    facts = json.loads(table.schema.metadata[_FACTS.encode()])
    column = {name: table.column(name).combine_chunks() for name in table.column_names}
    keys, user = (column[name].to_numpy() for name in ("community", "user"))
    first = np.flatnonzero(user == 0)
    graph_ptr = np.append(first, len(user))
    missing = ~column["reported"].to_numpy(zero_copy_only=False)
    labels = column["label"].fill_null(NO_LABEL).to_numpy()[first]
    counts, about = None, None
    if "friend_counts" in column:
        counts = column["friend_counts"].values.to_numpy().reshape(len(user), facts["groups"])
        about = Attributes(groups=column["group"].to_numpy(), num_groups=facts["groups"])
    answers = None
    if "asked" in column:
        answers = HubAnswers(*(column[name].to_numpy(zero_copy_only=False) for name in _TOLD))
    pairs, spent = None, np.zeros(len(user))
    if "listed" in column:
        pairs = PairAnswers(*(column[name].to_numpy(zero_copy_only=False) for name in _PAIRS))
        spent = column["epsilon3"].to_numpy()
    return Reports(
        column["neighbours"].offsets.to_numpy(),
        column["neighbours"].values.to_numpy(),
        graph_ptr,
        labels if (labels != NO_LABEL).any() else None,
        name="collected",
        graph_ids=keys[first],
        budget=Budget(column["epsilon1"].to_numpy(), column["epsilon2"].to_numpy(), answer=spent),
        noisy_degree=column["noisy_degree"].to_numpy() if "noisy_degree" in column else None,
        missing=missing if missing.any() else None,
        answers=answers,
        pair_answers=pairs,
        friend_counts=counts,
        attributes=about,
        origin=Origin.from_json(facts["origin"]),
        noise=facts["noise"],
        collected=True,
    )
