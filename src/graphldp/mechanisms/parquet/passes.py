"""One graph too large for memory: Parquet edge lists in, Parquet noisy lists out, through Ray Data.

Two passes, both row groups at a time. The first deals the edges out to parts, each part holding the lists of some
consecutive users; the second draws the noisy lists of a part. Columns of users, where there are some, go the same way
before (see :mod:`graphldp.mechanisms.parquet.columns`). A user's draw depends on (seed, user) and her list alone,
so the output is the same whatever the parts, the workers and the order of the edges, and the same as in memory.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import types
from pyarrow.parquet import ParquetFile, ParquetWriter, read_table

from graphldp.errors import DataError, FormatError, bad_parameter
from graphldp.machines.ray import cluster
from graphldp.mechanisms import CategoryRR, DrawnLists, FriendCounts, Mechanism, MultiBit, RowMechanism
from graphldp.mechanisms.drawing.rows import UserRows
from graphldp.mechanisms.parquet.columns import GROUPS, deal_columns, join_parts, tell_columns
from graphldp.mechanisms.parquet.table import COLUMNS, UserTable, listed
from graphldp.mechanisms.parquet.work import OWNER, Item, Work, draw_nobody, everywhere, row_groups
from graphldp.privacy import Budget, check_epsilon

_ENTRIES_AT_ONCE = 1 << 20
_COLUMNS = (MultiBit, CategoryRR)


@dataclass(frozen=True)
class Written:
    """The result of a run: what was written.

    Args:
        users: how many lists were written.
        entries_in: entries of the true lists.
        entries_out: entries of the noisy lists.
        parts: how many files.
        working_memory: the most that any worker took above what it held at rest, in bytes.
    """

    users: int
    entries_in: int
    entries_out: int
    parts: int
    working_memory: int


def randomize_parquet(
    source: Path,
    out: Path,
    mechanism: Mechanism,
    seed: int,
    n: int,
    *,
    users: UserTable | None = None,
    directed: bool = False,
    users_per_part: int = 1 << 16,
    address: str | None = None,
) -> Written:
    """Draw every user's report of one large graph.

    Args:
        source: a Parquet file, or a folder of them, with whole-number columns ``source`` and ``target``: users 0 to
            n − 1. An undirected edge may stand there once or in both directions, in any order.
        out: a folder for ``part-00000.parquet`` and so on, with columns ``user``, ``neighbours`` and ``noisy_degree``,
            in the order of users; beside them what is public or told of columns: ``features``, ``node_label``,
            ``group``, ``friend_counts``, ``noisy_features``, ``noisy_label``.
        mechanism: one in which every user acts alone, with one ε for all that is split in one way; one for columns; or
            a :class:`graphldp.Joint` of these.
        seed: the same seed gives the same reports.
        n: how many users there are, a public number.
        users: where columns of users stand, and which of them are public.
        directed: an edge stands in its source's list only.
        users_per_part: whose true and noisy lists and columns one worker holds at a time.
        address: of a Ray cluster whose machines share the file system; one of this machine is started otherwise.

    Raises:
        MissingExtraError: where ray is not installed.
        FormatError: for files without the columns, and an ``out`` that is in use.
        DataError: for edges that leave 0 … n − 1 or join a user to herself, and for columns that :class:`Attributes
            <graphldp.neighbour_lists.attributes.Attributes>` or their mechanism refuse.
    """
    out = Path(out)
    making = out.with_name(f".{out.name}.making")
    work = Work(making / "spill", making / "done", mechanism, seed, n, directed, users_per_part, users)
    _check(work)
    pieces, rows = row_groups(Path(source), _claimed), [] if users is None else _rows_of_users(users)
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise FormatError(f"{out}: must be a new or empty folder.")
    shutil.rmtree(making, ignore_errors=True)
    parts: list[Item] = [{"part": part} for part in range(work.num_parts)]
    try:
        work.spill.mkdir(parents=True)
        work.out.mkdir()
        with cluster(address) as ray:
            dealt = everywhere(ray, _deal, pieces, work)
            if users is not None:
                dealt += everywhere(ray, deal_columns, rows, work)
                told = everywhere(ray, tell_columns, parts, work)
                dealt, work = dealt + told, join_parts(work, told)
            drawn = everywhere(ray, _draw, parts, work)
        work.out.replace(out)
    finally:
        shutil.rmtree(making, ignore_errors=True)
    return Written(
        n,
        sum(each["entries_in"] for each in drawn),
        sum(each["entries_out"] for each in drawn),
        len(drawn),
        max(each["memory"] for each in (*dealt, *drawn)),
    )


def _check(work: Work) -> None:
    """Refuse what cannot be drawn in parts."""
    must_be = "a mechanism of single rows with one epsilon for all"
    mechanism, lists = work.mechanism, work.parts[0] if isinstance(work.mechanism, Mechanism) else None
    if not isinstance(lists, (RowMechanism, FriendCounts, *_COLUMNS)) or np.ndim(mechanism.epsilon):
        raise bad_parameter("mechanism", OWNER, must_be, mechanism)
    if isinstance(lists, FriendCounts) and lists.dealt is not None:
        raise bad_parameter("dealt", OWNER, "None: the groups here are a column of users", lists.dealt)
    for name in ("n", "users_per_part"):
        if getattr(work, name) < 1:
            raise bad_parameter(name, OWNER, "a whole number ≥ 1", getattr(work, name))
    mechanism.check_spent(mechanism.budget(work.n), check_epsilon(mechanism.epsilon, OWNER))
    if isinstance(lists, RowMechanism) and draw_nobody(lists, work.n).budget is not None:
        # the files say once for all how ε is split
        raise bad_parameter("mechanism", OWNER, f"{must_be}, and one split of it", mechanism)
    if work.users is None and not isinstance(mechanism, RowMechanism):
        raise bad_parameter("users", OWNER, f"a UserTable: {type(mechanism).__name__} is about columns of users", None)


def _claimed(file: Any, path: Path) -> tuple[int, str]:
    """Refuse a file without edges; how many bytes it claims to hold, and of what."""
    for name in ("source", "target"):
        if name not in file.schema_arrow.names or not types.is_integer(file.schema_arrow.field(name).type):
            raise FormatError(f"{path}: needs whole-number columns 'source' and 'target'.")
    edges = file.metadata.num_rows
    return 16 * edges, f"{edges:,} edges"


def _rows_of_users(users: UserTable) -> list[Item]:
    """The row groups of all files of users, which must be alike."""
    kinds: set[str] = set()

    def claimed(file: Any, path: Path) -> tuple[int, str]:
        fields = (each for each in file.schema_arrow if each.name in ("user", *COLUMNS))
        kinds.add(str(sorted((each.name, str(each.type)) for each in fields)))
        if len(kinds) > 1:
            raise FormatError(f"{path}: all files of users must have the same columns, of the same types.")
        return users.claimed(file, path)

    return row_groups(Path(users.path), claimed)


def _deal(item: Item, work: Work) -> dict[str, int]:
    """One row group's edges, to the parts of their users."""
    with ParquetFile(item["file"]) as file:
        table = file.read_row_group(int(item["group"]), columns=["source", "target"], use_threads=False)
    one, two = (table.column(name).to_numpy().astype(np.int64) for name in ("source", "target"))
    where = f"{Path(item['file']).name}, row group {item['group']}"
    if len(one) and (min(one.min(), two.min()) < 0 or max(one.max(), two.max()) >= work.n):
        raise DataError(f"{where}: an edge must join users 0 to {work.n - 1}.")
    if (one == two).any():
        raise DataError(f"{where}: an edge must join two different users.")
    if not work.directed:
        one, two = np.concatenate((one, two)), np.concatenate((two, one))
    part = one // work.users_per_part
    order = np.argsort(part, kind="stable")
    code = ((one % work.users_per_part) * work.n + two)[order]
    cuts = np.flatnonzero(np.diff(part[order])) + 1
    for mine, number in zip(np.split(code, cuts), part[order][np.concatenate(([0], cuts))], strict=True):
        if len(mine):
            np.save(work.spill / f"{number}-{item['piece']}.npy", mine)
    return {"entries_in": len(code), "entries_out": 0}


def _draw(item: Item, work: Work) -> dict[str, int]:
    """One part's noisy lists, as one file."""
    part = int(item["part"])
    first, _ = work.bounds(part)
    indptr, indices = _lists(work, part)
    told = None if work.users is None else read_table(work.spill / f"told-{part}.parquet", use_threads=False)
    budget, written = work.mechanism.budget(work.n), 0
    groups = np.memmap(work.spill / GROUPS, np.int64, "r") if work.num_groups else np.zeros(0, np.int64)
    schema = _schema(work, budget, told)
    with ParquetWriter(work.out / f"part-{part:05}.parquet", schema) as file:
        for start, stop in _runs(np.diff(indptr), work):
            rows = work.rows(
                np.arange(first + start, first + stop),
                indptr[start : stop + 1] - indptr[start],
                indices[indptr[start] : indptr[stop]],
            )
            drawn = _drawn(work, rows, budget.per_user(len(rows)), groups)
            beside = None if told is None else told.slice(start, stop - start)
            file.write_table(_table(rows, drawn, beside, schema))
            written += int(drawn.indptr[-1])
    return {"entries_in": len(indices), "entries_out": written}


def _lists(work: Work, part: int) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """The true lists of a part's users."""
    first, last = work.bounds(part)
    dealt = [np.load(path) for path in sorted(work.spill.glob(f"{part}-*.npy"))]
    code = np.unique(np.concatenate([np.zeros(0, np.int64), *dealt]))
    del dealt
    indptr = np.searchsorted(code, np.arange(last - first + 1) * work.n)
    return indptr, (code % work.n).astype(np.int32)


def _drawn(work: Work, rows: UserRows, budget: Budget, groups: NDArray[np.int64]) -> DrawnLists:
    """The lists that the mechanism for lists draws; none where there is no such."""
    lists = work.parts[0]
    if isinstance(lists, RowMechanism):
        return lists.draw_rows(rows, budget, work.key)
    if isinstance(lists, FriendCounts):
        if not work.num_groups:
            raise DataError("FriendCounts needs public groups: a column 'group'.")
        return lists.draw_counts(rows, groups[rows.indices], work.num_groups, budget, work.key)
    return DrawnLists(np.zeros(len(rows) + 1, np.int64), rows.indices[:0])


def _schema(work: Work, budget: Budget, told: Any) -> Any:
    """The columns of the result, and what is said once for all."""
    fields = [("user", pa.int64()), ("neighbours", pa.large_list(pa.int32())), ("noisy_degree", pa.float64())]
    if isinstance(work.parts[0], FriendCounts):
        fields.append(("friend_counts", pa.large_list(pa.float64())))
    if told is not None:
        fields += [(each.name, each.type) for each in told.schema if each.name != "user"]
    categories = next((each.categories for each in work.parts if isinstance(each, CategoryRR)), 0)
    public = np.broadcast_to(work.users.public_features, work.users.width) if work.users and work.users.width else ()
    facts = {
        "origin": work.mechanism.origin.to_json(),
        "epsilon1": str(budget.degree),
        "epsilon2": str(budget.edges),
        "epsilon_features": str(budget.features),
        "epsilon_labels": str(budget.labels),
        "users": str(work.n),
        "directed": str(int(work.directed)),
        "noise": work.mechanism.degree_noise or "",
        "categories": str(categories),
        "num_groups": str(work.num_groups),
        "width": str(np.count_nonzero(public)),
    }
    return pa.schema(fields).with_metadata(facts)


def _table(rows: UserRows, drawn: DrawnLists, beside: Any, schema: Any) -> Any:
    degree = drawn.noisy_degree
    found: dict[str, Any] = {} if beside is None else {name: beside.column(name) for name in beside.column_names}
    found |= {
        "user": pa.array(rows.user),
        "neighbours": pa.LargeListArray.from_arrays(pa.array(drawn.indptr), pa.array(drawn.indices)),
        "noisy_degree": pa.nulls(len(rows), pa.float64()) if degree is None else pa.array(degree),
    }
    if drawn.friend_counts is not None:
        found["friend_counts"] = listed(drawn.friend_counts)
    return pa.Table.from_arrays([found[name] for name in schema.names], schema=schema)


def _runs(degrees: NDArray[np.int64], work: Work) -> Iterator[tuple[int, int]]:
    """Consecutive users whose noisy lists together have about a million entries."""
    lists = work.parts[0]
    if isinstance(lists, RowMechanism):
        budget: Budget = lists.budget(work.n)
        odds = np.exp(-float(budget.edges))
        noise = 1.0 / float(budget.degree) if budget.degree else 0.0  # d* may lie this far above d
        n = np.full(len(degrees), work.n)
        keep, fake = lists.rates(degrees + noise, n, odds / (1 + odds))
        total = np.cumsum(1 + keep * degrees + fake * (work.n - 1 - degrees))
    else:
        total = np.cumsum(1.0 + degrees + work.num_groups)
    steps = np.searchsorted(total, np.arange(_ENTRIES_AT_ONCE, total[-1], _ENTRIES_AT_ONCE))
    yield from pairwise(np.unique(np.concatenate(([0], steps, [len(degrees)]))).tolist())
