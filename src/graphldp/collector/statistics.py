"""The statistics of communities by the reports that the collector holds: ``gl.statistics`` over its database."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING

from graphldp.collector.community import Community, enough
from graphldp.collector.storage.copies.export import export
from graphldp.collector.storage.store import Store
from graphldp.errors import DataError, ParameterError

if TYPE_CHECKING:
    from graphldp.estimates import Statistics

_MOST_USERS, _MOST_GROUPS, _MOST_LISTED = 5_000, 40, 500  # of a community whose page may wait for its statistics
_WAIT_SECONDS = 20.0
_ONE = ThreadPoolExecutor(1)  # each page holds all reports: two at a time would take twice the memory, and as long


def statistics_of(store: Store, communities: Sequence[Community], min_reports: int) -> Statistics:
    """The rows of communities, and of all together.

    Args:
        store: where the reports are.
        communities: whose; all count by the same groups, or none does.
        min_reports: what a community, a group or a bar of the histogram must rest on.

    Raises:
        ParameterError: where nothing can be said, and why.
    """
    from graphldp.estimates import statistics  # SciPy is a sixth of what a collector loads, and few pages need it

    names = {each.group_names for each in communities if not each.dealt}
    if len(names) > 1:
        raise ParameterError("Communities that count by different groups, or not at all: ask for them one at a time.")
    mixed = not any(each.dealt for each in communities)
    groups = next(iter(names)) if names and mixed else ()
    reports = [export(store, [each]) for each in communities]
    try:
        named = [each.id for each in communities]
        return statistics(reports, groups=groups or None, communities=named, least=max(min_reports, 1))
    except DataError as error:
        raise ParameterError(str(error)) from None


@dataclass(frozen=True)
class PageStatistics:
    """Statistics for a community's page.

    Args:
        rows: the rows, None where there are none.
        instead: why, in words.
    """

    rows: Statistics | None
    instead: str = ""


def on_page(store: Store, community: Community, reported: int, min_reports: int) -> PageStatistics:
    """The statistics of a community whose page need not wait for them."""
    if not enough(reported, min_reports):
        return PageStatistics(
            None, f"Fewer than {min_reports} have reported. Numbers of so few would show single users."
        )
    lists = community.mechanism == "rr" or community.answer_until is not None
    later = PageStatistics(None, f"This takes a while: graphldp collect statistics {community.id}")
    if community.n > (_MOST_LISTED if lists else _MOST_USERS) or len(community.group_names) > _MOST_GROUPS:
        return later
    asked = _ONE.submit(statistics_of, store, [community], min_reports)
    try:
        return PageStatistics(asked.result(_WAIT_SECONDS))
    except ParameterError as error:
        return PageStatistics(None, str(error))
    except TimeoutError:  # many look at once
        asked.cancel()
        return later
