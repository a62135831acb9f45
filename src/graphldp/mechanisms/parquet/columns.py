"""The passes over columns of users: dealt out to parts as edges are, then told by their mechanisms.

What is private leaves a part only as its mechanism tells it, and stays in the spill where there is none. Whether groups
tell a private column can be seen only from all users together, so it is looked at in one place, before lists are drawn.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow.parquet import ParquetFile, read_table, write_table
from scipy import sparse

from graphldp.errors import DataError
from graphldp.mechanisms import CategoryRR, FriendCounts, MultiBit
from graphldp.mechanisms.parquet.table import COLUMNS, UserTable, listed, stored_columns, to_arrow
from graphldp.mechanisms.parquet.work import Item, Work
from graphldp.neighbour_lists.attributes import Attributes

GROUPS = "groups.bin"
_NOTHING = Attributes()


def deal_columns(item: Item, work: Work) -> dict[str, int]:
    """One row group's users, to their parts."""
    where = f"{Path(item['file']).name}, row group {item['group']}"
    with ParquetFile(item["file"]) as file:
        wanted = [name for name in ("user", *COLUMNS) if name in file.schema_arrow.names]
        table = file.read_row_group(int(item["group"]), columns=wanted, use_threads=False)
    if any(column.null_count for column in table.columns):
        raise DataError(f"{where}: every user must have a value in every column. Some values are missing.")
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
    write_table(pa.table(told), work.spill / f"told-{part}.parquet")
    return {"width": 0 if about.features is None else about.features.shape[1], "groups": num_groups}


def _about(work: Work, part: int, count: int) -> Attributes:
    """The columns of a part's users, in their order."""
    table = work.users or UserTable(Path())
    dealt = [read_table(path, use_threads=False) for path in sorted(work.spill.glob(f"users-{part}-*.parquet"))]
    user = np.concatenate([np.zeros(0, np.int64), *(each.column("user").to_numpy() for each in dealt)])
    order = np.argsort(user, kind="stable")
    if not np.array_equal(user[order], np.arange(count) + work.bounds(part)[0]):
        raise DataError(f"There must be one row for each user from 0 to {work.n - 1}. Some users have none, or two.")
    said = {"public_features": table.public_features, "public_labels": table.public_labels}
    found = stored_columns(pa.concat_tables(dealt).take(order), table.width) | said | {"num_groups": table.num_groups}
    about = Attributes.restored(found) or _NOTHING
    if table.width and about.features is not None and about.features.shape[1] != table.width:
        raise DataError(f"features must be {table.width} numbers for each user.")
    return about


def _all_users(work: Work, num_groups: int) -> Attributes:
    """The columns of all users beside their groups."""
    parts = [_about(work, part, len(range(*work.bounds(part)))) for part in range(work.num_parts)]
    first, features = parts[0], [each.features for each in parts]
    stacked = None
    if first.features is not None:
        stacked = np.concatenate(features) if isinstance(first.features, np.ndarray) else sparse.vstack(features)
    labels, groups = (
        None if getattr(first, name) is None else np.concatenate([getattr(each, name) for each in parts])
        for name in ("node_labels", "groups")
    )
    return Attributes(stacked, labels, groups, num_groups, first.public_features, first.public_labels)


def join_parts(work: Work, found: list[dict[str, int]]) -> Work:
    """Look at all parts together, and put the groups of all users into one file."""
    if len({each["width"] for each in found}) > 1:
        raise DataError("Every user must have the same number of features.")
    num_groups = max(each["groups"] for each in found)
    first = _about(work, 0, work.bounds(0)[1])
    if first.groups is not None and first.private_columns():
        _all_users(work, num_groups).public()  # refuses groups that were made from a private column
    if num_groups:
        with (work.spill / GROUPS).open("wb") as file:
            for part in range(work.num_parts):
                file.write((work.spill / f"groups-{part}.bin").read_bytes())
    return replace(work, num_groups=num_groups)
