"""Memory for a number of each user, or for all names: large arrays that are written once.

The system hands out memory when it is first touched, in pages. 2 MB take 0.1 ms as one page, and 0.9 ms as pages of
4 KB. NumPy asks for large pages, but where an array begins or ends in the middle of one, that part is small pages: two
thousand of them at the ends of four arrays of 7 MB.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

_PAGE = 2**21


def fresh(*shape: int, dtype: Any = np.float64) -> NDArray[Any]:
    """As ``np.empty``, but from the beginning of a large page on where an array has some."""
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    if size < 2 * _PAGE:
        return np.empty(shape, dtype)
    room = np.empty(size + 2 * _PAGE, np.uint8)  # so that the last page is a large one too
    start = -room.ctypes.data % _PAGE
    return np.ndarray(shape, dtype, buffer=room.data, offset=start)
