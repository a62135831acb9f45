"""Pages of communities: searched, sorted and cut by the database, which reads its index and not the rosters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, exists, false, func, or_, select

from graphldp.collector.communities.community import Community
from graphldp.collector.storage import schema
from graphldp.collector.storage.collecting.communities import to_community, without_rosters
from graphldp.collector.storage.collecting.tally import Counts
from graphldp.collector.storage.database import transaction
from graphldp.collector.storage.operating.results import Prediction
from graphldp.collector.storage.store import Store
from graphldp.errors import bad_parameter

PER_PAGE = 50
_MANY = 1000
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
class Wanted:
    """Which communities to list.

    Args:
        search: a part of the name or the id; all by default.
        state: one of :data:`STATES`.
        sort: one of :data:`SORTS`.
        page: counted from 1.
    """

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
class Line:
    """A community in a list, with how far it is."""

    community: Community
    invited: int
    reported: int
    deleted: int
    flagged: int
    prediction: Prediction | None


@dataclass(frozen=True)
class Listing:
    """A page of communities.

    Args:
        lines: of this page.
        found: how many there are on all pages.
        users: how many users these have.
    """

    lines: Sequence[Line]
    found: int
    users: int

    @property
    def pages(self) -> int:
        """How many pages there are; one at least."""
        return max(1, -(-self.found // PER_PAGE))


def list_communities(store: Store, wanted: Wanted, per_page: int | None = PER_PAGE) -> Listing:
    """A page of the communities, in their latest epochs.

    Args:
        store: where they are.
        wanted: which ones.
        per_page: how many; None for all of them on one page.
    """
    chosen, first = _chosen(wanted), (wanted.page - 1) * (per_page or 0)
    counts = {} if SORTS[wanted.sort] else store.tally.all() or {}
    totals = select(func.count(), func.coalesce(func.sum(_TABLE.c.n), 0)).where(*chosen)
    with transaction(store.engine, snapshot=True) as connection:
        found, users = connection.execute(totals).one()
        if SORTS[wanted.sort]:
            page = select(_TABLE.c.key).where(*chosen).order_by(*SORTS[wanted.sort]).limit(per_page).offset(first)
            whole = without_rosters().where(_TABLE.c.key.in_(page)).order_by(*SORTS[wanted.sort])
            communities = [to_community(row) for row in connection.execute(whole)]
        else:
            keys = _by_share(connection, chosen, counts, most_first=wanted.sort == "most-reported")
            keys = keys[first : None if per_page is None else first + per_page]
            communities = _in_order(connection, keys)
    return Listing(_lines(store, communities), int(found), int(users))


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
    for start in range(0, len(keys), _MANY):
        some = without_rosters().where(_TABLE.c.key.in_(keys[start : start + _MANY]))
        found |= {row.key: to_community(row) for row in connection.execute(some)}
    return [found[key] for key in keys]


def line_of(store: Store, id: str) -> Line:
    """One community as in a list."""
    return _lines(store, [store.community(id)])[0]


def _chosen(wanted: Wanted) -> list[ColumnElement[bool]]:
    """What is true of the communities that are wanted."""
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


def _lines(store: Store, communities: Sequence[Community]) -> list[Line]:
    keys = [each.key for each in communities] if len(communities) <= PER_PAGE else None
    progress, predictions = store.tally.of(keys), store.results.predictions(keys)
    flags = store.results.flag_counts(keys)
    return [
        Line(each, *progress.get(each.key, (0, 0, 0)), flags.get(each.key, 0), predictions.get(each.key))
        for each in communities
    ]


def class_sizes(store: Store) -> dict[int, int]:
    """How many communities have each label, in their latest epochs."""
    labelled = select(_TABLE.c.label, func.count()).where(*_chosen(Wanted(state="labelled"))).group_by(_TABLE.c.label)
    with transaction(store.engine) as connection:
        return {row[0]: row[1] for row in connection.execute(labelled)}
