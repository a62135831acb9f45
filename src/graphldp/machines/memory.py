"""Memory for a number of each user, or for all names: large arrays that are written once.

The system hands out memory when it is first touched, in pages. 2 MB take 0.1 ms as one page, and 0.9 ms as pages of
4 KB. NumPy asks for large pages, but where an array begins or ends in the middle of one, that part is small pages: two
thousand of them at the ends of four arrays of 7 MB.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphldp.errors import ParameterError

_PAGE = 2**21
_LITTLE = 10**9  # bytes, which are not worth asking the system for


def fresh(*shape: int, dtype: Any = np.float64) -> NDArray[Any]:
    """An empty array, as by ``np.empty``, but from the beginning of a large page on where an array has some."""
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    if size < 2 * _PAGE:
        return np.empty(shape, dtype)
    room = np.empty(size + 2 * _PAGE, np.uint8)  # so that the last page is a large one too
    start = -room.ctypes.data % _PAGE
    return np.ndarray(shape, dtype, buffer=room.data, offset=start)


def available() -> int | None:
    """Bytes that are left on this machine, and in its container where that has a limit; None where nobody says."""
    free = told("/proc/meminfo", "MemAvailable")
    left = [] if free is None else [1024 * int(free.split()[0])]
    with suppress(OSError, ValueError):  # no control groups, or "max": no limit
        most, now = (int(Path(f"/sys/fs/cgroup/memory.{name}").read_text()) for name in ("max", "current"))
        left.append(max(most - now, 0))
    return min(left, default=None)


def told(path: str, name: str) -> str | None:
    """The bytes that a file of the system gives a name; None where there is no such file or line."""
    with suppress(OSError):
        for line in Path(path).read_text().splitlines():
            if line.startswith(name):
                return line.partition(":")[2].strip()
    return None


def check_room(size: float, what: str) -> None:
    """Refuse to make what takes more bytes than are left."""
    left = available() if size > _LITTLE else None
    if left is not None and size > left:
        raise ParameterError(
            f"{what} would take {size / 1e9:,.0f} GB of memory, and {left / 1e9:,.0f} GB are left. Take a mechanism "
            "that sends fewer names, such as NoisyDegrees or HubLists, a larger ε or fewer users, or draw from files "
            "by graphldp.mechanisms.parquet.randomize_parquet."
        )
