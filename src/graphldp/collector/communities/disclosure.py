"""How many reports there must be before anything is shown, learned or taken out.

A mean, a bar or a label of one report is that report. So below ``min_reports`` there is none of them, on no page and in
no command's output, and no bar of a histogram stands for fewer than :data:`LEAST_PER_BAR` users. Such a community is
left out of trainings and exports as well, and its hubs are not asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from graphldp.collector.communities.community import Community
    from graphldp.collector.storage.store import Store

MIN_REPORTS = 25
LEAST_PER_BAR = 3
_ONE_BY_ONE = 1000  # communities that a database is asked for by key; of more, all are counted


def enough(reports: int, min_reports: int) -> bool:
    """Whether so many reports may be shown, learned from or taken out."""
    return reports >= max(min_reports, 1)


def released(store: Store, communities: Sequence[Community], min_reports: int) -> list[Community]:
    """Those of some communities that hold enough reports, in their order. They are counted now."""
    keys = [each.key for each in communities]
    counts = store.tally.of(keys if len(keys) <= _ONE_BY_ONE else None)
    return [each for each in communities if enough(counts.get(each.key, (0, 0, 0))[1], min_reports)]
