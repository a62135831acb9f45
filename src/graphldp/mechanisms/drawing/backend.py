"""What draws: plain NumPy while a process draws little, compiled loops once that pays for compiling them.

Both give the same bits (:mod:`graphldp.mechanisms.drawing.reference`, :mod:`graphldp.mechanisms.drawing.kernels`).
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

import numpy as np
from numpy.typing import NDArray

from graphldp.mechanisms.drawing.rows import UserRows
from graphldp.mechanisms.drawing.streams import Key, Stream, Words
from graphldp.neighbour_lists.bit_lists import BitLists

WORTH = 1e7
"""Users and entries that plain NumPy draws in a process, in some four seconds; compiling the loops takes eight."""
LARGE = 4e6
"""Users and entries of one draw for which plain NumPy would take much memory."""
_CALL = 1e3  # users that take as long as a call does
_drawn = 0.0


def compile_loops() -> None:
    """Draw by compiled loops from now on: what measures them begins with this."""
    global _drawn
    _drawn = float("inf")


def loops(work: float) -> ModuleType:
    """The loops for some more users and entries to draw."""
    global _drawn
    _drawn += work + _CALL
    compiled = (work > LARGE or _drawn > WORTH) and find_spec("numba") is not None
    return import_module(f"graphldp.mechanisms.drawing.{'kernels' if compiled else 'reference'}")


def first_words(rows: UserRows, stream: Stream, key: Key) -> Words:
    """The first two words of each user's stream, shape (users, 2)."""
    words: Words = loops(len(rows)).first_words(rows, stream, key)
    return words


def sample_lists(
    rows: UserRows, keep: NDArray[np.float64], fake: NDArray[np.float64], key: Key
) -> tuple[NDArray[np.int64], NDArray[np.int32], BitLists | None]:
    """Noisy lists: each true neighbour of u stays with ``keep[u]``, each stranger is added with ``fake[u]``.

    Returns:
        ``indptr`` and ``indices`` of the noisy lists; compiled loops give dense lists of whole graphs as bits instead,
        and without names.
    """
    expected = float(len(rows) + rows.indptr[-1] - rows.indptr[0] + fake @ rows.n)  # users, neighbours, strangers
    lists: tuple[NDArray[np.int64], NDArray[np.int32], BitLists | None]
    lists = loops(expected).sample_lists(rows, keep, fake, key)
    return lists
