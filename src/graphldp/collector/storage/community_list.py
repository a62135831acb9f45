"""Pages of communities: searched, sorted and cut by the database, which reads its index and not the rosters."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, exists, false, func, or_, select

from graphldp.collector.community import Community, enough
from graphldp.collector.storage import schema
from graphldp.collector.storage.collecting.communities import to_community, without_rosters
from graphldp.collector.storage.collecting.second_round import shown_progress
from graphldp.collector.storage.collecting.tally import Counts
from graphldp.collector.storage.database import portions, transaction
from graphldp.collector.storage.operating.results import Prediction
from graphldp.collector.storage.store import Store
from graphldp.errors import bad_parameter
from graphldp.wire import WITH_SECOND

PER_PAGE = 50
_TABLE = schema.communities
_CALLED = func.coalesce(_TABLE.c.title, _TABLE.c.name)
SORTS: dict[str, tuple[ColumnElement[Any], ...]] = {
    "newest": (_TABLE.c.key.desc(),),
    "oldest": (_TABLE.c.key,),
    "name": (func.lower(_CALLED), _TABLE.c.key),
    "largest": (_TABLE.c.n.desc(), _TABLE.c.key),
    "smallest": (_TABLE.c.n, _TABLE.c.key),
    "most-reported": (),  # by what was counted last, which no column holds
    "least-reported": (),
}
STATES: dict[str, tuple[ColumnElement[bool], ...]] = {
    "all": (),
    "open": (_TABLE.c.closed_at.is_(None),),
    "closed": (_TABLE.c.closed_at.is_not(None),),
    "labelled": (_TABLE.c.label.is_not(None),),
    "unlabelled": (_TABLE.c.label.is_(None),),
}


@dataclass(frozen=True)
class CommunitySearch:
    """A search for communities: which to list, in which order."""

    search: str = ""
    state: str = "all"
    sort: str = "newest"
    page: int = 1

    def __post_init__(self) -> None:
        for name, given, known in (("state", self.state, STATES), ("sort", self.sort, SORTS)):
            if given not in known:
                raise bad_parameter(name, "a list of communities", f"one of {', '.join(known)}", given)
        if not 1 <= self.page < 1 << 31:
            raise bad_parameter("page", "a list of communities", "a whole number ≥ 1", self.page)


@dataclass(frozen=True)
class ListedCommunity:
    """A community in a list, with how far it is."""

    community: Community
    invited: int
    reported: int
    deleted: int
    flagged: int
    prediction: Prediction | None


@dataclass(frozen=True)
class Listing:
    """A page of communities."""

    communities: Sequence[ListedCommunity]
    found: int
    users: int

    @property
    def pages(self) -> int:
        """How many pages there are; one at least."""
        return max(1, -(-self.found // PER_PAGE))


def list_communities(store: Store, wanted: CommunitySearch, per_page: int | None = PER_PAGE) -> Listing:
    """A page of the communities, in their latest epochs."""
    chosen, first = _chosen(wanted), (wanted.page - 1) * (per_page or 0)
    counts = {} if SORTS[wanted.sort] else store.tally.all() or {}
    totals = select(func.count(), func.coalesce(func.sum(_TABLE.c.n), 0)).where(*chosen)
    with transaction(store.engine, snapshot=True) as connection:
        found, users = connection.execute(totals).one()
        if SORTS[wanted.sort]:
            page = select(_TABLE.c.key).where(*chosen).order_by(*SORTS[wanted.sort]).limit(per_page).offset(first)
            keys = list(connection.execute(page).scalars())
        else:
            keys = _by_share(connection, chosen, counts, most_first=wanted.sort == "most-reported")
            keys = keys[first : None if per_page is None else first + per_page]
        communities = _in_order(connection, keys)
    return Listing(_listed(store, communities), int(found), int(users))


def _by_share(
    connection: Connection, chosen: Sequence[ColumnElement[bool]], counts: Counts, *, most_first: bool
) -> list[int]:
    """The keys of communities by the share of users who have reported; of equal ones the newest comes first."""
    sizes = connection.execute(select(_TABLE.c.key, _TABLE.c.n).where(*chosen)).all()
    share = {key: counts.get(key, (0, 0, 0))[1] / n for key, n in sizes}
    return sorted(share, key=lambda key: (-share[key] if most_first else share[key], -key))


def _in_order(connection: Connection, keys: Sequence[int]) -> list[Community]:
    """Communities in the order of their keys, a few at a time: a statement takes only so many."""
    found: dict[int, Community] = {}
    for some in portions(keys):
        these = without_rosters().where(_TABLE.c.key.in_(some))
        found |= {row.key: to_community(row) for row in connection.execute(these)}
    return [found[key] for key in keys]


def listed(store: Store, id: str) -> ListedCommunity:
    """One community as in a list."""
    return _listed(store, [store.community(id)])[0]


def _chosen(wanted: CommunitySearch) -> list[ColumnElement[bool]]:
    """The condition of the communities that are wanted."""
    newer = schema.communities.alias()
    later = exists().where(newer.c.id == _TABLE.c.id, newer.c.epoch > _TABLE.c.epoch)
    found: list[ColumnElement[bool]] = [~later, *STATES[wanted.state]]
    if wanted.search.strip():
        text = wanted.search.strip()
        if not text.isprintable():  # no name has such characters, and PostgreSQL takes no NUL
            return [false()]
        # SQLite lowers ASCII alone: what is typed as it is written is found too
        places = ((func.lower(_CALLED), text.lower()), (_CALLED, text), (_TABLE.c.id, text.lower()))
        found.append(or_(*(place.contains(part, autoescape=True) for place, part in places)))
    return found


def _listed(store: Store, communities: Sequence[Community]) -> list[ListedCommunity]:
    keys = [each.key for each in communities] if len(communities) <= PER_PAGE else None
    progress, predictions = store.tally.of(keys), store.results.predictions(keys)
    flags = store.results.flag_counts(keys)
    return [
        ListedCommunity(each, *progress.get(each.key, (0, 0, 0)), flags.get(each.key, 0), predictions.get(each.key))
        for each in communities
    ]


def class_sizes(store: Store) -> dict[int, int]:
    """How many communities have each label, in their latest epochs."""
    labelled = (
        select(_TABLE.c.label, func.count()).where(*_chosen(CommunitySearch(state="labelled"))).group_by(_TABLE.c.label)
    )
    return {row[0]: row[1] for row in store.rows(labelled)}


@dataclass(frozen=True)
class EpochCounts:
    """Counts of one epoch."""

    epoch: int
    invited: int
    reported: int
    deleted: int


@dataclass(frozen=True)
class Overview:
    """A community at a glance."""

    community: Community
    epochs: tuple[EpochCounts, ...]
    prediction: Prediction | None
    flagged: int
    second: tuple[int, int] | None


def overview(store: Store, id: str, min_reports: int) -> Overview:
    """The overview of a community, without looking at any report."""
    found = store.community(id)
    epochs = _epochs(store, id)
    label = store.results.predictions([found.key]).get(found.key)
    asks = found.mechanism in WITH_SECOND
    return Overview(
        found,
        epochs,
        label if label is not None and enough(label.reported, min_reports) else None,
        len(store.results.flags(found.key)),
        shown_progress(store.second_round.progress(found), epochs[-1].reported, min_reports) if asks else None,
    )


def at_most(prior: float, epsilon: float) -> float:
    """The largest probability of one friendship for somebody who sees a report drawn with ε."""
    factor = math.exp(epsilon)
    return prior * factor / (prior * factor + 1 - prior)


def _epochs(store: Store, id: str) -> tuple[EpochCounts, ...]:
    table, slots, reports = schema.communities, schema.slots, schema.reports
    query = select(
        table.c.epoch,
        select(func.count()).where(slots.c.community == table.c.key).scalar_subquery(),
        select(func.count(reports.c.body)).where(reports.c.community == table.c.key).scalar_subquery(),
        select(func.count(reports.c.deleted_on)).where(reports.c.community == table.c.key).scalar_subquery(),
    )
    rows = store.rows(query.where(table.c.id == id).order_by(table.c.epoch))
    return tuple(EpochCounts(*row) for row in rows)
