"""The reading of a collector's store for learning: rows of graphs, in a stream, or reports, held whole."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from graphldp.collector.community import Community
from graphldp.collector.storage.copies.export import BATCH, export, export_in_batches
from graphldp.collector.storage.store import Store
from graphldp.errors import ParameterError
from graphldp.learn.tables.profiled import Profiled, joined
from graphldp.learn.tables.profiling import profiled
from graphldp.reports import Reports
from graphldp.threats.named import make_defense

Watch = Callable[[str, float], None]
"""Called with what is being done, and with the share that is done."""


RowReader = Callable[[Store, Sequence[Community], Watch], Profiled]
"""How the reports of some communities become rows, in their order."""


def unwatched(_doing: str, _share: float) -> None:
    """A :data:`Watch` that tells nobody."""


def with_reports(store: Store, communities: Sequence[Community], kind: str, least: int = 1) -> list[Community]:
    """Those communities that have enough reports.

    Args:
        store: the collector's.
        communities: among which to look.
        kind: what they are called where there is none.
        least: how many reports are enough.
    """
    found = store.tally.released(communities, least)
    if not found:
        many = "a report" if least <= 1 else f"{least} reports"
        raise ParameterError(f"There is no {kind} community with {many} among them.")
    return found


def read_profiles(store: Store, communities: Sequence[Community], watch: Watch, users: int = BATCH) -> Profiled:
    """The rows of some communities. No more reports are in memory than those of so many users, or of one community.

    Args:
        store: the collector's.
        communities: at least one.
        watch: called after each batch.
        users: of one batch.
    """
    parts, done = [], 0
    total = sum(community.n for community in communities)
    for reports in export_in_batches(store, communities, users):
        parts.append(profiled(reports))
        done += reports.num_users
        watch("reading reports", done / total)
        del reports  # before the next ones are read
    return joined(parts)


def gather(
    store: Store, communities: Sequence[Community], defense: str | None, seed: int = 0
) -> tuple[Reports, Reports]:
    """All reports of some communities, and those without the users whom the defense flags, whom it keeps in the store.

    They are held whole: a network and a test that flags users look at lists, and at all graphs together.
    """
    reports = export(store, communities)
    if defense is None:
        return reports, reports
    kept, verdict = make_defense(defense).apply(reports, rng=seed)
    owner, local = reports.graph_of_user, reports.local_users
    for place, community in enumerate(communities):
        users = local[verdict.flagged & (owner == place)]
        store.results.set_flags(community.key, {int(user): defense for user in users})
    return reports, kept


@dataclass(frozen=True)
class Course:
    """The course of a training or a labelling; nothing here changes what it finds.

    Args:
        watch: called with what is being done, and with the share that is done.
        read: how reports become rows.
        device: of a network.
    """

    watch: Watch = unwatched
    read: RowReader = read_profiles
    device: str = "auto"

    def part(self, first: float, last: float) -> Watch:
        """A watch for a step that takes up this part of the whole."""
        return lambda doing, share: self.watch(doing, first + (last - first) * share)


def present(reports: Reports) -> NDArray[np.bool_]:
    """The users who have reported, as flags."""
    return np.ones(reports.num_users, np.bool_) if reports.missing is None else ~reports.missing
