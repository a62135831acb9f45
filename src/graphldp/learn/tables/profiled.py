"""Graphs as the recipe reads them: a few hundred numbers each, made of some reports at a time.

Ten million reports do not fit into memory, and need not: the classifiers of :mod:`graphldp.learn.tables` see tables
with one row for each graph. Whoever holds reports in batches makes :class:`Profiled` of each (see
:func:`graphldp.learn.tables.profiling.profiled`), forgets the reports, and joins the rows. A classifier that is fitted
to them is the same to the last bit as one that saw all reports at once, since no number of a graph depends on another
graph.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from graphldp import __version__
from graphldp.learn.tables.levels import Floats, Levelled
from graphldp.neighbour_lists.labels import NO_LABEL
from graphldp.privacy.guarantee import in_words
from graphldp.reports import Origin


@dataclass(frozen=True, eq=False)
class Profiled:
    """Rows of graphs.

    Args:
        tables: what each kind of classifier reads, by its ``table``; [graphs, columns].
        levelled: how many users claim what.
        promised: what was promised to their users, as :meth:`graphldp.privacy.Guarantee.by_graph` has it.
        classes: their labels; :data:`graphldp.neighbour_lists.labels.NO_LABEL` where there is none.
        graph_ids: which graphs they are.
        origin: how their reports were drawn.
        noise: the law of the noise of degrees.
    """

    tables: Mapping[str, Floats]
    levelled: Levelled
    promised: Floats
    classes: NDArray[np.int64]
    graph_ids: NDArray[np.int64]
    origin: Origin
    noise: str | None

    def __len__(self) -> int:
        return len(self.classes)

    @property
    def shape(self) -> tuple[int]:
        """(number of graphs,), as arrays have it."""
        return (len(self),)

    @property
    def labels(self) -> NDArray[np.int64] | None:
        """The labels, or None where no graph has one."""
        return self.classes if (self.classes != NO_LABEL).any() else None

    @property
    def sizes(self) -> NDArray[np.int64]:
        """The number of users of each graph, whether they have reported or not."""
        return self.levelled.n.astype(np.int64)

    @property
    def reported(self) -> NDArray[np.int64]:
        """The number of users of each graph who have reported."""
        return np.asarray(self.levelled.present.sum(axis=1), np.int64)

    @property
    def digest(self) -> str:
        """Twelve hexadecimal digits that stand for these numbers."""
        found = hashlib.sha256()
        for each in (*self.tables.values(), self.levelled.n, self.levelled.present, self.classes):
            found.update(np.ascontiguousarray(each).tobytes())
        return found.hexdigest()[:12]

    def subset(self, graphs: NDArray[np.int64]) -> Self:
        """Some of the graphs."""
        return replace(
            self,
            tables={name: table[graphs] for name, table in self.tables.items()},
            levelled=self.levelled.subset(graphs),
            promised=self.promised[graphs],
            classes=self.classes[graphs],
            graph_ids=self.graph_ids[graphs],
        )

    def provenance(self, seed: int) -> dict[str, Any]:
        """Where a model that learned from them comes from, as :func:`graphldp.learn.inputs.provenance_of` says."""
        private, _, high, public, _ = self.promised.T
        return {
            "dataset": "collected",
            "graphs": len(self),
            "mechanism": str(self.origin),
            "epsilon": round(float(high.max(initial=0.0)), 12) if private.any() else None,
            "public_users": int(public.sum()),
            "guarantee": in_words(self.promised, self.noise, collected=True),
            "seed": int(seed),
            "graphldp": __version__,
        }


def joined(parts: Sequence[Profiled]) -> Profiled:
    """The graphs of some parts, in their order. The parts are drawn alike."""
    first, levels = parts[0], max(part.levelled.present.shape[1] for part in parts)
    return replace(
        first,
        tables={name: np.concatenate([part.tables[name] for part in parts]) for name in first.tables},
        levelled=Levelled(
            np.concatenate([part.levelled.n for part in parts]),
            *(_padded([getattr(part.levelled, name) for part in parts], levels) for name in ("present", "private")),
        ),
        promised=np.concatenate([part.promised for part in parts]),
        classes=np.concatenate([part.classes for part in parts]),
        graph_ids=np.concatenate([part.graph_ids for part in parts]),
    )


def _padded(tables: Sequence[Floats], width: int) -> Floats:
    """One below the other; nobody is at a level that only larger graphs have."""
    return np.concatenate([np.pad(table, ((0, 0), (0, width - table.shape[1]))) for table in tables])
