"""The work of a run: what every worker needs to know, and how a task is run on every row group or part."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow.parquet import ParquetFile

from graphldp.errors import DataError, FormatError, ParameterError
from graphldp.files.archives import grows_too_much
from graphldp.machines.local import PeakMemory
from graphldp.mechanisms import DrawnLists, Joint, Mechanism, RowMechanism
from graphldp.mechanisms.drawing.backend import compile_loops
from graphldp.mechanisms.drawing.rows import UserRows
from graphldp.mechanisms.drawing.streams import Key, key_from
from graphldp.mechanisms.parquet.table import UserTable

OWNER = "randomize_parquet"
_NOTHING = {"entries_in": 0, "entries_out": 0, "width": 0, "groups": 0}
Numbers = dict[str, NDArray[Any]]
Item = dict[str, Any]


@dataclass(frozen=True)
class Work:
    """The work: what every worker needs to know."""

    spill: Path  # where the passes leave files for each other
    out: Path
    mechanism: Mechanism
    seed: int
    n: int
    directed: bool
    users_per_part: int  # consecutive users who are drawn together
    users: UserTable | None
    num_groups: int = 0  # of those that were found, 0 before

    @property
    def parts(self) -> tuple[Mechanism, ...]:
        """The mechanisms that draw lists and columns."""
        return self.mechanism.parts if isinstance(self.mechanism, Joint) else (self.mechanism,)

    @property
    def key(self) -> Key:
        """Two words of the seed."""
        return key_from(self.seed, OWNER)

    @property
    def num_parts(self) -> int:
        """How many parts there are."""
        return -(-self.n // self.users_per_part)

    def bounds(self, part: int) -> tuple[int, int]:
        """The first user of a part, and the first of the next."""
        return part * self.users_per_part, min((part + 1) * self.users_per_part, self.n)

    def rows(self, users: NDArray[np.int64], indptr: Any = None, indices: Any = None) -> UserRows:
        """Some users' rows; without lists unless given."""
        indptr = np.zeros(len(users) + 1, np.int64) if indptr is None else indptr
        indices = np.zeros(0, np.int32) if indices is None else indices
        return UserRows(indptr, indices, users, np.full(len(users), self.n), np.zeros(len(users), np.int64))


def draw_nobody(mechanism: RowMechanism, n: int) -> DrawnLists:
    """The lists that a mechanism draws for a user without friends."""
    nobody = UserRows(np.array([0, 0]), np.zeros(0, np.int32), *(np.array([each]) for each in (0, 1, 0)))
    return mechanism.draw_rows(nobody, mechanism.budget(n).per_user(1), key_from(0, OWNER))


def row_groups(source: Path, claimed: Callable[[Any, Path], tuple[int, str]]) -> list[Item]:
    """The row groups of a Parquet file or of a folder of them.

    ``claimed`` refuses a file that lacks columns, and says how many bytes it claims to hold, and of what.
    """
    files = sorted(source.glob("*.parquet")) if source.is_dir() else [source]
    if not files:
        raise FormatError(f"{source}: holds no .parquet file.")
    pieces: list[Item] = []
    for path in files:
        try:
            with ParquetFile(path) as file:
                count, (size, what) = file.num_row_groups, claimed(file, path)
        except FileNotFoundError:
            raise FormatError(f"{path}: there is no such file.") from None
        except (OSError, pa.ArrowInvalid):
            raise FormatError(f"{path}: not a Parquet file, or damaged.") from None
        if grows_too_much(size, path.stat().st_size):
            raise FormatError(f"{path}: claims to hold {what}, more of a real graph than a file of its size can hold.")
        pieces += [{"file": str(path), "group": number, "piece": len(pieces) + number} for number in range(count)]
    return pieces


def everywhere(
    ray: Any, task: Callable[[Item, Work], dict[str, int]], items: list[Item], work: Work
) -> list[dict[str, int]]:
    """Run a task on every item, through Ray Data, and raise the first error in words of ours."""
    from ray.data import DataContext

    DataContext.get_current().enable_progress_bars = False
    data = ray.data.from_items(items, override_num_blocks=max(len(items), 1))
    done: list[dict[str, int]] = data.map_batches(_one, batch_size=1, fn_args=(task, work)).take_all()
    for each in done:
        if each["error"]:
            raise (ParameterError if each["parameter"] else DataError)(str(each["error"]))
    return done


def _one(batch: Numbers, task: Callable[[Item, Work], dict[str, int]], work: Work) -> dict[str, list[Any]]:
    item = {name: values[0] for name, values in batch.items()}
    _warm_up(work)
    memory = PeakMemory("cpu")
    rest = memory.read()
    found, error, parameter = _NOTHING, "", False
    try:
        found = _NOTHING | task(item, work)
    except (DataError, ParameterError) as caught:
        error, parameter = str(caught), isinstance(caught, ParameterError)
    told = found | {"memory": memory.read() - rest, "error": error, "parameter": parameter}
    return {name: [value] for name, value in told.items()}


def _warm_up(work: Work) -> None:
    """Load compiled loops, so that what is measured is the memory of the data."""
    compile_loops()
    if isinstance(work.parts[0], RowMechanism):
        draw_nobody(work.parts[0], work.n)
