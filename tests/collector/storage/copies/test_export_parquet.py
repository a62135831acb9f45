"""Reports as Parquet: what is read back is what the export holds."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from pathlib import Path

import numpy as np
import pytest
from tests.collector.counted import fill
from tests.collector.people import open_bees, open_cats, public_report, report, submission
from tests.experiments.filled_store import no_room_beyond

from graphldp.collector.storage.copies.export import export_in_batches
from graphldp.collector.storage.copies.export_parquet import read_row_group, row_groups, write_parquet
from graphldp.collector.storage.store import Store
from graphldp.errors import FormatError
from graphldp.reports import Reports

pytest.importorskip("pyarrow", reason="needs the extra [ray]")


@pytest.fixture
def cats(store: Store) -> Store:
    """Lists and a public user; some communities without a label, and one without a report."""
    for id, label in (("cats", 1), ("dogs", None), ("owls", 0)):
        made, tokens = open_cats(store, id, label=label)
        if id != "owls":
            sent = [submission(made, user, tokens[user], report(user, degree=user)) for user in range(3, 9)]
            store.accept([*sent, submission(made, 1, tokens[1], public_report(1))])
    return store


def differences(one: Reports, two: Reports) -> list[str]:
    """The fields that are not the same in both."""
    compared = [each.name for each in fields(Reports) if each.init and each.name != "trusted"]
    return [name for name in compared if not _same(getattr(one, name), getattr(two, name))]


def _same(one: object, two: object) -> bool:
    if isinstance(one, np.ndarray) and isinstance(two, np.ndarray):
        return np.array_equal(one, two, equal_nan=one.dtype.kind == "f")
    if is_dataclass(one) and is_dataclass(two):
        return all(_same(getattr(one, each.name), getattr(two, each.name)) for each in fields(one))
    return type(one) is type(two) and one == two


@pytest.mark.parametrize("users", [1, 120])
def test_lists_come_back(cats: Store, tmp_path: Path, users: int) -> None:
    file, found = tmp_path / "reports.parquet", cats.communities()
    assert write_parquet(cats, found, file, users) == 14
    read = [read_row_group(file, group) for group in range(row_groups(file))]
    for one, two in zip(read, export_in_batches(cats, found, users), strict=True):
        assert not differences(one, two)


def test_answers_come_back(store: Store, tmp_path: Path) -> None:
    open_bees(store)
    file, found = tmp_path / "reports.parquet", store.communities()
    write_parquet(store, found, file)
    assert not differences(read_row_group(file, 0), next(export_in_batches(store, found)))


def test_counts_come_back(tmp_path: Path) -> None:
    url, file = f"sqlite:///{tmp_path / 'collector.db'}", tmp_path / "reports.parquet"
    fill(url)
    store = Store.open(url)
    write_parquet(store, store.communities(), file)
    assert not differences(read_row_group(file, 0), next(export_in_batches(store, store.communities())))
    store.close()


def test_a_full_disk_leaves_no_file(cats: Store, tmp_path: Path) -> None:
    file = tmp_path / "reports.parquet"
    with no_room_beyond(1000), pytest.raises(OSError, match="File too large"):
        write_parquet(cats, cats.communities(), file)
    assert not list(tmp_path.glob("*reports*"))
    assert not list(tmp_path.glob(".*part"))


def test_another_file_is_refused(tmp_path: Path) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    (tmp_path / "no.parquet").write_bytes(b"nothing of the kind")
    deep = pa.table({"user": [0]}).replace_schema_metadata({"graphldp": "[" * 100_000})
    parquet.write_table(deep, tmp_path / "deep.parquet")
    for name in ("no.parquet", "deep.parquet"):
        with pytest.raises(FormatError, match="no file of collected reports"):
            read_row_group(tmp_path / name, 0)
