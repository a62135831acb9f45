"""The passes over columns of users: dealt out to parts as edges are, then told by their mechanisms.

What is private leaves a part only as its mechanism tells it, and stays in the spill where there is none. Whether groups
tell a private column can be seen only from all users together, so each part hands on a few rows that show it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphldp.attributes import Attributes
from graphldp.errors import DataError
from graphldp.mechanisms import CategoryRR, FriendCounts, MultiBit
from graphldp.mechanisms.parquet.table import COLUMNS, UserTable, listed, stored_columns, to_arrow
from graphldp.mechanisms.parquet.work import Item, Work

GROUPS = "groups.bin"
_NOTHING = Attributes()


def deal_columns(item: Item, work: Work) -> dict[str, int]:
    """One row group's users, to their parts."""
    from pyarrow.parquet import ParquetFile, write_table

    where = f"{Path(item['file']).name}, row group {item['group']}"
    with ParquetFile(item["file"]) as file:
        wanted = [name for name in ("user", *COLUMNS) if name in file.schema_arrow.names]
        table = file.read_row_group(int(item["group"]), columns=wanted, use_threads=False)
    if any(column.null_count for column in table.columns):
        raise DataError(f"{where}: everybody must have all columns, and somebody lacks one.")
    user = table.column("user").to_numpy().astype(np.int64)
    if ((user < 0) | (user >= work.n)).any():
        raise DataError(f"{where}: users must be numbered from 0 to {work.n - 1}.")
    part = user // work.users_per_part
    for number in np.unique(part).tolist():
        mine = table.take(np.flatnonzero(part == number))
        write_table(mine, work.spill / f"users-{number}-{item['piece']}.parquet")
    return {}


def tell_columns(item: Item, work: Work) -> dict[str, int]:
    """One part's columns: the public ones as they are, the private ones as their mechanisms tell them."""
    import pyarrow as pa
    from pyarrow.parquet import write_table

    part = int(item["part"])
    users = np.arange(*work.bounds(part))
    about = _about(work, part, len(users))
    told = {"user": pa.array(users)} | to_arrow(replace(about, groups=None, num_groups=0).public() or _NOTHING)
    budget = work.mechanism.budget(work.n).per_user(len(users))
    groups, num_groups = about.groups, about.num_groups
    for each in work.parts:
        if isinstance(each, MultiBit):
            noisy = each.tell(about, work.rows(users), np.asarray(budget.features), work.key)
            told["noisy_features"] = listed(noisy)
        elif isinstance(each, CategoryRR):
            label = each.tell(about, work.rows(users), np.asarray(budget.labels), work.key)
            told["noisy_label"] = pa.array(label)
            if isinstance(work.parts[0], FriendCounts) and about.groups is None:
                groups, num_groups = label, each.categories
    if groups is not None:
        told["group"] = pa.array(groups)
        groups.tofile(work.spill / f"groups-{part}.bin")
    np.savez(work.spill / f"showing-{part}.npz", allow_pickle=False, **dict(_showing(about)))
    write_table(pa.table(told), work.spill / f"told-{part}.parquet")
    return {"width": 0 if about.features is None else about.features.shape[1], "groups": num_groups}


def _about(work: Work, part: int, count: int) -> Attributes:
    """The columns of a part's users, in their order."""
    import pyarrow as pa
    from pyarrow.parquet import read_table

    table = work.users or UserTable(Path())
    dealt = [read_table(path, use_threads=False) for path in sorted(work.spill.glob(f"users-{part}-*.parquet"))]
    user = np.concatenate([np.zeros(0, np.int64), *(each.column("user").to_numpy() for each in dealt)])
    order = np.argsort(user, kind="stable")
    if not np.array_equal(user[order], np.arange(count) + work.bounds(part)[0]):
        raise DataError(f"Each user from 0 to {work.n - 1} must have one row of columns, and somebody has none or two.")
    said = {"public_features": table.public_features, "public_labels": table.public_labels}
    found = stored_columns(pa.concat_tables(dealt).take(order), table.width) | said | {"num_groups": table.num_groups}
    about = Attributes.restored(found) or _NOTHING
    if table.width and about.features is not None and about.features.shape[1] != table.width:
        raise DataError(f"features must be {table.width} numbers for each user.")
    return about


def _showing(about: Attributes) -> Iterator[tuple[str, NDArray[Any]]]:
    """Rows that show whether groups tell a private column: of each, one more than there are groups is enough.

    Where a column goes beside groups one to one, there are as many different pairs as groups. One pair more shows that
    it does not, here and so among all users.
    """
    if about.groups is None:
        return
    private: dict[str, NDArray[Any]] = {}
    if about.node_labels is not None and not about.public_labels:
        private["node_labels"] = about.node_labels
    if isinstance(about.features, np.ndarray):
        private |= {str(place): about.features[:, place] for place in np.flatnonzero(~about.public_features)}
    most = len(np.unique(about.groups)) + 1
    for name, values in private.items():
        codes = np.unique(values, return_inverse=True)[1]
        rows = np.unique(about.groups * (int(codes.max()) + 1) + codes, return_index=True)[1][:most]
        yield f"{name} of", about.groups[rows]
        yield f"{name} is", values[rows]


def join_parts(work: Work, found: list[dict[str, int]]) -> Work:
    """Look at all parts together, and put the groups of all users into one file."""
    if len({each["width"] for each in found}) > 1:
        raise DataError("features must be as many numbers for each user.")
    num_groups = max(each["groups"] for each in found)
    shown = [dict(np.load(work.spill / f"showing-{part}.npz")) for part in range(work.num_parts)]
    for name in {name.removesuffix(" of") for each in shown for name in each if name.endswith(" of")}:
        of, values = (np.concatenate([each[f"{name} {what}"] for each in shown]) for what in ("of", "is"))
        features, labels = (None, values) if name == "node_labels" else (values[:, None], None)
        Attributes(features, labels, of, num_groups).public()  # refuses what groups tell
    if num_groups:
        with (work.spill / GROUPS).open("wb") as file:
            for part in range(work.num_parts):
                file.write((work.spill / f"groups-{part}.bin").read_bytes())
    return replace(work, num_groups=num_groups)
