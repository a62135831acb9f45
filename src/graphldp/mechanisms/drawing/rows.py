"""UserRows: some users' lists with all that their draws depend on, and nothing of anybody else's.

A mechanism in which every user acts alone needs of a user her list, her number, the size of her graph and the graph's
id. So any part of the users can be drawn apart from the rest, on another thread or another machine, with the same
result.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from graphldp.machines.memory import fresh
from graphldp.machines.threads import Run, even_runs, in_threads
from graphldp.neighbour_lists import NeighbourLists


@dataclass(frozen=True)
class UserRows:
    """The lists of some users: pointers and sorted names, and of each user her number in her graph."""

    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    user: NDArray[np.int64]
    n: NDArray[np.int64]  # users in her graph
    graph: NDArray[np.int64]  # its id
    graph_ptr: NDArray[np.int64] | None = None  # where each graph's users begin, of all users of whole graphs

    @classmethod
    def of(cls, lists: NeighbourLists) -> UserRows:
        """All users of a set of graphs."""
        user, n, graph = fresh(3, lists.num_users, dtype=np.int64)
        ptr, sizes = lists.graph_ptr, lists.sizes

        def fill(run: Run) -> None:
            start, stop = run
            first, last = np.searchsorted(ptr, start, side="right") - 1, np.searchsorted(ptr, stop)
            some, counts = slice(first, last), np.diff(ptr[first : last + 1].clip(start, stop))
            np.subtract(np.arange(start, stop), np.repeat(ptr[some], counts), out=user[start:stop])
            n[start:stop], graph[start:stop] = (np.repeat(each[some], counts) for each in (sizes, lists.graph_ids))

        in_threads(fill, even_runs(lists.num_users))
        return cls(lists.indptr, lists.indices, user, n, graph, ptr)

    def users(self, start: int, stop: int) -> UserRows:
        """Rows start … stop−1 without their lists: all that noise beside the lists depends on."""
        some = slice(start, stop)
        empty = np.broadcast_to(np.int64(0), stop - start + 1)
        return UserRows(empty, self.indices[:0], self.user[some], self.n[some], self.graph[some])

    @property
    def degrees(self) -> NDArray[np.int64]:
        """The length of each user's list."""
        return np.diff(self.indptr)

    def __len__(self) -> int:
        return len(self.user)
