"""One graph too large for memory: Parquet edge lists in, Parquet noisy lists out, through Ray Data.

Two passes, both row groups at a time. The first deals the edges out to parts, each part holding the lists of some
consecutive users; the second draws the noisy lists of a part. A user's draw depends on (seed, user) and her list alone,
so the output is the same whatever the parts, the workers and the order of the edges, and the same as in memory.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphldp.archives import grows_too_much
from graphldp.errors import DataError, FormatError, MissingExtraError, bad_parameter
from graphldp.machines.local import PeakMemory
from graphldp.machines.ray import cluster
from graphldp.mechanisms import DrawnLists, RowMechanism
from graphldp.mechanisms.rows import UserRows
from graphldp.mechanisms.streams import key_from
from graphldp.privacy import Budget

_OWNER = "randomize_parquet"
_ENTRIES_AT_ONCE = 1 << 20
Numbers = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class Written:
    """What was done.

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


@dataclass(frozen=True)
class _Work:
    """What every worker needs to know."""

    spill: Path
    out: Path
    mechanism: RowMechanism
    seed: int
    n: int
    directed: bool
    users_per_part: int


def randomize_parquet(
    source: Path,
    out: Path,
    mechanism: RowMechanism,
    seed: int,
    n: int,
    *,
    directed: bool = False,
    users_per_part: int = 1 << 16,
    address: str | None = None,
) -> Written:
    """Draw every user's noisy list of one large graph.

    Args:
        source: a Parquet file, or a folder of them, with whole-number columns ``source`` and ``target``: users 0 to
            n − 1. An undirected edge may stand there once or in both directions, in any order.
        out: a folder for ``part-00000.parquet`` and so on, with columns ``user``, ``neighbours`` and ``noisy_degree``,
            in the order of users.
        mechanism: one in which every user acts alone, with one ε for all that is split in one way.
        seed: the same seed gives the same lists.
        n: how many users there are, a public number.
        directed: an edge stands in its source's list only.
        users_per_part: whose true and noisy lists one worker holds at a time.
        address: of a Ray cluster whose machines share the file system; one of this machine is started otherwise.

    Raises:
        MissingExtraError: where ray or pyarrow are not installed.
        FormatError: for files without the two columns, and an ``out`` that is in use.
        DataError: for edges that leave 0 … n − 1 or join a user to herself.
    """
    must_be = "a mechanism of single rows with one epsilon for all"
    if not isinstance(mechanism, RowMechanism) or np.ndim(mechanism.epsilon):
        raise bad_parameter("mechanism", _OWNER, must_be, mechanism)
    if _draw_nobody(mechanism, n).budget is not None:  # the files say once for all how ε is split
        raise bad_parameter("mechanism", _OWNER, f"{must_be}, and one split of it", mechanism)
    for name, value in (("n", n), ("users_per_part", users_per_part)):
        if value < 1:
            raise bad_parameter(name, _OWNER, "a whole number ≥ 1", value)
    pieces = _row_groups(Path(source))
    out = Path(out)
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise FormatError(f"{out}: must be a new or empty folder.")
    making = out.with_name(f".{out.name}.making")
    work = _Work(making / "spill", making / "done", mechanism, seed, n, directed, users_per_part)
    shutil.rmtree(making, ignore_errors=True)
    try:
        work.spill.mkdir(parents=True)
        work.out.mkdir()
        with cluster(address) as ray:
            dealt = _everywhere(ray, _deal, pieces, work)
            drawn = _everywhere(ray, _draw, [{"part": part} for part in range(-(-n // users_per_part))], work)
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


def _row_groups(source: Path) -> list[dict[str, Any]]:
    try:
        import pyarrow as pa
        from pyarrow import types
        from pyarrow.parquet import ParquetFile
    except ModuleNotFoundError:
        raise MissingExtraError("Parquet", "ray") from None
    files = sorted(source.glob("*.parquet")) if source.is_dir() else [source]
    if not files:
        raise FormatError(f"{source}: holds no .parquet file.")
    pieces: list[dict[str, Any]] = []
    for path in files:
        try:
            with ParquetFile(path) as file:
                schema, count, edges = file.schema_arrow, file.num_row_groups, file.metadata.num_rows
        except FileNotFoundError:
            raise FormatError(f"{path}: there is no such file.") from None
        except (OSError, pa.ArrowInvalid):
            raise FormatError(f"{path}: not a Parquet file, or damaged.") from None
        for name in ("source", "target"):
            if name not in schema.names or not types.is_integer(schema.field(name).type):
                raise FormatError(f"{path}: needs whole-number columns 'source' and 'target'.")
        if grows_too_much(16 * edges, path.stat().st_size):
            raise FormatError(f"{path}: claims {edges:,} edges, more than so small a file can hold of a real graph.")
        pieces += [{"file": str(path), "group": number, "piece": len(pieces) + number} for number in range(count)]
    return pieces


def _everywhere(
    ray: Any, task: Callable[[dict[str, Any], _Work], dict[str, int]], items: list[dict[str, Any]], work: _Work
) -> list[dict[str, int]]:
    """Run a task on every item, through Ray Data, and raise the first error in words of ours."""
    from ray.data import DataContext

    DataContext.get_current().enable_progress_bars = False
    data = ray.data.from_items(items, override_num_blocks=max(len(items), 1))
    done: list[dict[str, int]] = data.map_batches(_one, batch_size=1, fn_args=(task, work)).take_all()
    for each in done:
        if each["error"]:
            raise DataError(str(each["error"]))
    return done


def _one(batch: Numbers, task: Callable[[dict[str, Any], _Work], dict[str, int]], work: _Work) -> dict[str, list[Any]]:
    item = {name: values[0] for name, values in batch.items()}
    _warm_up(work)
    memory = PeakMemory("cpu")
    rest = memory.read()
    try:
        found, error = task(item, work), ""
    except DataError as caught:
        found, error = {"entries_in": 0, "entries_out": 0}, str(caught)
    found["memory"] = memory.read() - rest
    return {name: [value] for name, value in found.items()} | {"error": [error]}


def _warm_up(work: _Work) -> None:
    """Load compiled loops and libraries, so that what is measured is the memory of the data."""
    import pyarrow.parquet  # noqa: F401

    _draw_nobody(work.mechanism, work.n)


def _draw_nobody(mechanism: RowMechanism, n: int) -> DrawnLists:
    """What a mechanism draws for a user without friends."""
    nobody = UserRows(np.array([0, 0]), np.zeros(0, np.int32), *(np.array([each]) for each in (0, 1, 0)))
    return mechanism.draw_rows(nobody, mechanism.budget(n).per_user(1), key_from(0, _OWNER))


def _deal(item: dict[str, Any], work: _Work) -> dict[str, int]:
    """One row group's edges, to the parts of their users."""
    from pyarrow.parquet import ParquetFile

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


def _draw(item: dict[str, Any], work: _Work) -> dict[str, int]:
    """One part's noisy lists, as one file."""
    import pyarrow as pa
    from pyarrow.parquet import ParquetWriter

    part = int(item["part"])
    first, last = part * work.users_per_part, min((part + 1) * work.users_per_part, work.n)
    dealt = [np.load(path) for path in sorted(work.spill.glob(f"{part}-*.npy"))]
    code = np.unique(np.concatenate([np.zeros(0, np.int64), *dealt]))
    del dealt
    indptr = np.searchsorted(code, np.arange(last - first + 1) * work.n)
    indices = (code % work.n).astype(np.int32)
    del code
    fields = [("user", pa.int64()), ("neighbours", pa.large_list(pa.int32())), ("noisy_degree", pa.float64())]
    budget = work.mechanism.budget(work.n)
    facts = {"origin": work.mechanism.origin.to_json(), "epsilon1": str(budget.degree), "epsilon2": str(budget.edges)}
    schema = pa.schema(fields).with_metadata(facts | {"users": str(work.n)})
    written = 0
    with ParquetWriter(work.out / f"part-{part:05}.parquet", schema) as file:
        for start, stop in _runs(np.diff(indptr), work):
            users = np.arange(first + start, first + stop)
            rows = UserRows(
                indptr[start : stop + 1] - indptr[start],
                indices[indptr[start] : indptr[stop]],
                users,
                np.full(len(users), work.n),
                np.zeros(len(users), np.int64),
            )
            drawn = work.mechanism.draw_rows(rows, budget.per_user(len(users)), key_from(work.seed, _OWNER))
            degree = drawn.noisy_degree
            lists = pa.LargeListArray.from_arrays(pa.array(drawn.indptr), pa.array(drawn.indices))
            noisy = pa.nulls(len(users), pa.float64()) if degree is None else pa.array(degree)
            file.write_table(pa.Table.from_arrays([pa.array(users), lists, noisy], schema=schema))
            written += len(drawn.indices)
    return {"entries_in": len(indices), "entries_out": written}


def _runs(degrees: NDArray[np.int64], work: _Work) -> Iterator[tuple[int, int]]:
    """Consecutive users whose noisy lists together have about a million entries."""
    budget: Budget = work.mechanism.budget(work.n)
    odds = np.exp(-float(budget.edges))
    noise = 1.0 / float(budget.degree) if budget.degree else 0.0  # d* may lie this far above d
    n = np.full(len(degrees), work.n)
    keep, fake = work.mechanism.rates(degrees + noise, n, odds / (1 + odds))
    total = np.cumsum(1 + keep * degrees + fake * (work.n - 1 - degrees))
    steps = np.searchsorted(total, np.arange(_ENTRIES_AT_ONCE, total[-1], _ENTRIES_AT_ONCE))
    yield from pairwise(np.unique(np.concatenate(([0], steps, [len(degrees)]))).tolist())
