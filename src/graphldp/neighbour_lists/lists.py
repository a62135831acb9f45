"""Neighbour lists of many graphs as one frozen CSR: what raw graphs and noisy reports have in common.

User u's list is ``indices[indptr[u]:indptr[u + 1]]``, sorted, with users numbered from 0 inside their own graph; graph
g's users are ``graph_ptr[g]`` to ``graph_ptr[g + 1]``. One graph's lists therefore never name another graph's users,
and a subset of graphs is a gather. Dense lists may be given as bits (:mod:`graphldp.neighbour_lists.bit_lists`):
``bits`` hands these out as they are, and ``indices`` makes names of them when somebody first asks.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import InitVar, dataclass, field, fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from graphldp.errors import DataError, FormatError, GraphLDPError, bad_parameter
from graphldp.files.archives import read_set, write_set
from graphldp.neighbour_lists.attributes import Attributes
from graphldp.neighbour_lists.bit_lists import BitLists
from graphldp.neighbour_lists.labels import NO_LABEL
from graphldp.neighbour_lists.pointers import check_lists, check_pointers, gather_ranges, local_users, read_only

FORMAT = 3  # of saved files; raised when an older reader would misread a newer file
_WORDS = "words"  # what a file calls lists as bits
NO_NAMES: NDArray[np.int32] = np.zeros(0, np.int32)
NO_NAMES.flags.writeable = False


@dataclass(frozen=True, eq=False, repr=False)
class NeighbourLists:
    """Many graphs' neighbour lists.

    Args:
        indptr: int64, one more than there are users: where each user's list begins.
        indices: int32, the lists, sorted within each user and local to the user's graph.
        graph_ptr: int64, one more than there are graphs: where each graph's users begin.
        labels: int64, one per graph, ``NO_LABEL`` where a graph has none (see :attr:`labelled`); or None.
        directed: False promises that j is in i's raw list exactly when i is in j's.
        name: what the graphs are called, for tables and files.
        graph_ids: int64, one per graph: who a graph is, kept by :meth:`subset`. Noise is drawn by (seed, graph id,
            user), so a graph gets the same noise alone or among others. Defaults to 0, 1, 2, …
        attributes: what is known of users beside their friends, or None; see :attr:`features`, :attr:`node_labels` and
            :attr:`groups`.
        as_bits: the lists as bits, in place of ``indices``, which are empty then; see :attr:`bits`.
        trusted: skip the pass over the lists, for what valid lists were turned into by code that keeps them valid.
    """

    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    graph_ptr: NDArray[np.int64]
    labels: NDArray[np.int64] | None = None
    directed: bool = field(default=False, kw_only=True)
    name: str = field(default="", kw_only=True)
    graph_ids: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64), kw_only=True)
    attributes: Attributes | None = field(default=None, kw_only=True)
    as_bits: InitVar[BitLists | None] = field(default=None, kw_only=True)
    trusted: InitVar[bool] = field(default=False, kw_only=True)

    per_user: ClassVar[tuple[str, ...]] = ("attributes",)
    """Arrays with one entry for each user, and parts made of such: they go where their users go."""
    parts: ClassVar[dict[str, Callable[[dict[str, Any]], Any]]] = {"attributes": Attributes.restored}
    """How each part is made of what a file holds of it."""

    def __post_init__(self, as_bits: BitLists | None, trusted: bool) -> None:
        self._freeze("indptr", np.int64)
        self._freeze("indices", np.int32)
        self._freeze("graph_ptr", np.int64)
        check_pointers(self.graph_ptr, "graph_ptr", len(self.indptr) - 1)
        end = len(self.indices)
        if as_bits is not None:
            same = isinstance(as_bits, BitLists) and np.array_equal(as_bits.graph_ptr, self.graph_ptr)
            if end or not same:
                raise DataError("Lists as bits must be of the same graphs, and without names beside them.")
            object.__delattr__(self, "indices")  # until somebody asks for names
            end = int(self.indptr[-1])  # checked below
        object.__setattr__(self, "_bits", as_bits)
        check_pointers(self.indptr, "indptr", end)
        if not len(self.graph_ids):
            object.__setattr__(self, "graph_ids", np.arange(self.num_graphs))
        self._freeze("graph_ids", np.int64, self.num_graphs)
        if self.labels is not None:
            self._freeze("labels", np.int64, self.num_graphs)
        if not isinstance(self.directed, bool) or not isinstance(self.name, str):
            raise DataError("directed must be True or False, and name a text.")
        self._check_part("attributes", Attributes)
        if not trusted and as_bits is not None:
            as_bits.check(self.indptr)
        elif not trusted:
            check_lists(self.indptr, self.indices, self.graph_ptr)

    def __getstate__(self) -> dict[str, Any]:
        """The state that is pickled: not the names that bits stand for, which are made again."""
        return {name: value for name, value in vars(self).items() if name != "indices" or self.bits is None}

    if not TYPE_CHECKING:  # else every name would be one that there is

        def __getattr__(self, name: str) -> Any:
            """Names of lists that were given as bits, made when somebody first asks."""
            if name != "indices" or (bits := self.__dict__.get("_bits")) is None:
                raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
            names = bits.names(self.indptr)
            names.flags.writeable = False
            object.__setattr__(self, name, names)
            return names

    def __repr__(self) -> str:  # counts only: a log must not hold anybody's edges
        counts = f"{self.num_graphs} graphs, {self.num_users} users, {self.num_entries} entries"
        return f"<{type(self).__name__} {self.name or 'unnamed'}: {counts}>"

    def _freeze(self, name: str, dtype: Any, length: int | None = None) -> None:
        """Store the field as a read-only, contiguous view of the right type."""
        given = np.asarray(getattr(self, name))
        whole = given.dtype.kind in "iuf" or not given.size
        with np.errstate(invalid="ignore"):
            array = given.astype(dtype, casting="unsafe", copy=False) if whole else given
        if not (whole and (array is given or np.array_equal(array, given))):
            raise DataError(f"{name} must hold whole numbers that fit {np.dtype(dtype).name}.")
        if array.ndim != 1 or (length is not None and len(array) != length):
            expected = "flat" if length is None else f"flat with {length} entries"
            raise DataError(f"{name} must be {expected}. Got shape {array.shape} instead.")
        object.__setattr__(self, name, read_only(array))

    def _check_part(self, name: str, kind: type) -> None:
        """Refuse a part of another kind, and one of other users."""
        part = getattr(self, name)
        if part is None:
            return
        if not isinstance(part, kind):
            raise DataError(f"{name} must be {kind.__name__}.")
        told: int = getattr(part, "num_users")  # noqa: B009
        if part and told != self.num_users:
            raise DataError(f"Columns must have one entry for each of {self.num_users} users. Got {told} instead.")

    @property
    def bits(self) -> BitLists | None:
        """The lists as bits, where they were given so."""
        found: BitLists | None = self.__dict__["_bits"]
        return found

    def changed(self, **fields: Any) -> Self:
        """A copy with other values of some fields, but the same lists: those that are bits stay bits."""
        lists: dict[str, Any] = {} if self.bits is None else {"indices": NO_NAMES, "as_bits": self.bits}
        return replace(self, **(lists | fields))

    @property
    def num_graphs(self) -> int:
        """The number of graphs."""
        return len(self.graph_ptr) - 1

    @property
    def num_users(self) -> int:
        """The number of users in all graphs together."""
        return len(self.indptr) - 1

    @property
    def num_entries(self) -> int:
        """The number of entries of all lists together: twice the edges of an undirected graph."""
        return int(self.indptr[-1])

    @property
    def sizes(self) -> NDArray[np.int64]:
        """The number of users of each graph."""
        return np.diff(self.graph_ptr)

    @property
    def n_max(self) -> int:
        """The number of users of the largest graph, which is public."""
        return int(self.sizes.max(initial=0))

    @property
    def degrees(self) -> NDArray[np.int64]:
        """The length of each user's list."""
        return np.diff(self.indptr)

    @property
    def graph_of_user(self) -> NDArray[np.int64]:
        """The position of each user's graph."""
        return np.repeat(np.arange(self.num_graphs), self.sizes)

    @property
    def local_users(self) -> NDArray[np.int64]:
        """Each user's number inside her own graph."""
        return local_users(self.graph_ptr)

    @property
    def labelled(self) -> NDArray[np.bool_]:
        """Which graphs have a label: ``graphs[graphs.labelled]`` can be learned from."""
        return np.zeros(self.num_graphs, np.bool_) if self.labels is None else self.labels != NO_LABEL

    @property
    def features(self) -> Any:
        """Numbers that describe each user, [users, columns], dense or sparse; None where there are none."""
        return None if self.attributes is None else self.attributes.features

    @property
    def node_labels(self) -> NDArray[np.int64] | None:
        """Each user's label, ``NO_LABEL`` where hers is not known; None where nobody has one."""
        return None if self.attributes is None else self.attributes.node_labels

    @property
    def groups(self) -> NDArray[np.int64] | None:
        """The number of each user's public group; None where there are no groups."""
        return None if self.attributes is None else self.attributes.groups

    @property
    def num_groups(self) -> int:
        """How many public groups there are, also where some of them are empty."""
        return 0 if self.attributes is None else self.attributes.num_groups

    @property
    def shape(self) -> tuple[int]:
        """(number of graphs,), by which scikit-learn knows that a set can be indexed with an array."""
        return (self.num_graphs,)

    def __len__(self) -> int:
        return self.num_graphs

    def __iter__(self) -> Iterator[Self]:
        """Each graph in its turn, as a set of one."""
        return (self[graph] for graph in range(self.num_graphs))

    def __getitem__(self, ids: Any) -> Self:
        """``graphs[3]``, ``graphs[2:5]``, ``graphs[mask]``, ``graphs[[4, 1]]``: always a set."""
        if isinstance(ids, tuple) and len(ids) == 2 and ids[1] is Ellipsis:  # scikit-learn's way to take rows
            ids = ids[0]
        if isinstance(ids, slice):
            return self.subset(np.arange(self.num_graphs)[ids])
        array = np.asarray(ids)
        if array.dtype == bool:
            if array.shape != self.shape:
                raise bad_parameter("ids", type(self).__name__, f"a mask of length {self.num_graphs}", array.shape)
            return self.subset(np.flatnonzero(array))
        return self.subset(np.atleast_1d(array))

    def subset(self, ids: ArrayLike) -> Self:
        """The graphs at these positions, in this order; negative positions count from the end."""
        picked = np.asarray(ids)
        if picked.ndim != 1 or (picked.size and picked.dtype.kind not in "iu"):
            raise bad_parameter("ids", f"{type(self).__name__}.subset", "a flat list of positions", picked.dtype)
        picked = picked.astype(np.int64)
        if ((picked < -self.num_graphs) | (picked >= self.num_graphs)).any():
            raise IndexError(f"A graph's position must lie within the {self.num_graphs} graphs of the set.")
        picked = np.where(picked < 0, picked + self.num_graphs, picked)
        users, graph_ptr = gather_ranges(self.graph_ptr, picked)
        return replace(
            self,
            indptr=np.concatenate(([0], np.cumsum(self.degrees[users]))),
            **self._lists_of(picked, graph_ptr),
            graph_ptr=graph_ptr,
            labels=None if self.labels is None else self.labels[picked],
            graph_ids=self.graph_ids[picked],
            trusted=True,
            **self._of_users(users),
        )

    def _of_users(self, users: NDArray[np.int64]) -> dict[str, Any]:
        """The attributes of some users."""
        given = {name: getattr(self, name) for name in self.per_user}
        return {
            name: each if each is None else each[users] if isinstance(each, np.ndarray) else each.taken(users)
            for name, each in given.items()
        }

    def _lists_of(self, picked: NDArray[np.int64], graph_ptr: NDArray[np.int64]) -> dict[str, Any]:
        """The lists of some graphs: each graph's are one slice, so no entry needs a position."""
        if self.bits is not None:
            return {"indices": NO_NAMES, "as_bits": self.bits.subset(picked, graph_ptr)}
        ends = self.indptr[self.graph_ptr]
        slices = [self.indices[a:b] for a, b in zip(ends[picked], ends[picked + 1], strict=True)]
        return {"indices": np.concatenate([NO_NAMES, *slices])}

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the set to one ``.npz`` file; the old file stays until the new one is whole."""
        write_set(path, type(self).__name__, FORMAT, self._stored())

    def _stored(self) -> dict[str, Any]:
        """The content of a file: every field, as an array, number or text; ``part.field`` for those of its parts."""
        found: dict[str, Any] = {} if self.bits is None else {_WORDS: self.bits.words}
        for each in fields(self):
            if each.name != "indices" or self.bits is None:
                value = getattr(self, each.name)
                held = value.stored() if hasattr(value, "stored") else vars(value) if is_dataclass(value) else None
                found |= {each.name: value} if held is None else {f"{each.name}.{k}": v for k, v in held.items()}
        return {name: value[0] if _is_one(value) else value for name, value in found.items()}

    @classmethod
    def _restored(cls, values: dict[str, Any]) -> Self:
        """From what :meth:`_stored` gave."""
        parts: dict[str, dict[str, Any]] = {name: {} for name in cls.parts}
        given = {name: value for name, value in values.items() if "." not in name}
        for name in values.keys() - given.keys():
            part, _, field_of_part = name.partition(".")
            parts[part][field_of_part] = values[name]
        if _WORDS in given:
            words = BitLists(given.pop(_WORDS), given.get("graph_ptr", NO_NAMES))
            given = {"indices": NO_NAMES} | given | {"as_bits": words}
        made = {name: cls.parts[name](part) for name, part in parts.items() if part}
        return cls(**given, **made)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a set that :meth:`save` wrote. Runs no code from the file.

        Raises:
            FormatError: for a file that is not such a set, is damaged, or was written by another version.
        """
        values = read_set(path, cls.__name__, FORMAT)
        try:
            return cls._restored(values)
        except (TypeError, KeyError, GraphLDPError) as error:
            raise FormatError(f"{path}: damaged ({error})") from None


def _is_one(value: Any) -> bool:
    """Whether an array is one number for all users."""
    return isinstance(value, np.ndarray) and value.strides == (0,) and len(value) > 0
