"""The store: communities, who is invited, and what was reported. SQLite or PostgreSQL, one contract.

::

    store = Store.open("sqlite:///collector.db")
    store.open_community("cats", ["ann", "bob"], mechanism="dprr", choices=[Choice("standard", 0.1, 0.9)])
    tokens = store.invite("cats")
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from sqlalchemy import Engine, case, func, select, text, update

from graphldp.collector.community import Community, check_called, check_label
from graphldp.collector.storage import schema
from graphldp.collector.storage.clock import Clock
from graphldp.collector.storage.collecting.accepting import RacedError, Ruling, Submission, accept
from graphldp.collector.storage.collecting.classes import Classes
from graphldp.collector.storage.collecting.communities import (
    FIND,
    LATEST,
    add_community,
    add_epoch,
    first_epoch,
    lock,
    to_community,
)
from graphldp.collector.storage.collecting.holdings import Holdings
from graphldp.collector.storage.collecting.invitations import Invitations
from graphldp.collector.storage.collecting.removals import Removals
from graphldp.collector.storage.collecting.retention import Retention
from graphldp.collector.storage.collecting.second_round import SecondRound
from graphldp.collector.storage.collecting.tally import Tally
from graphldp.collector.storage.database import StorePart, migrate, open_engine, portions, transaction
from graphldp.collector.storage.operating.audit_log import AuditLog
from graphldp.collector.storage.operating.jobs import Jobs
from graphldp.collector.storage.operating.operators import Operators
from graphldp.collector.storage.operating.results import Results
from graphldp.collector.storage.operating.sealing_keys import SealingKeys
from graphldp.collector.storage.operating.sign_ins import SignIns
from graphldp.collector.storage.postgresql import hurry
from graphldp.collector.storage.usage_lock import enter
from graphldp.errors import bad_parameter
from graphldp.wire import Choice, Inquiry


class Stored(NamedTuple):
    """One report as it was accepted."""

    community: int
    user: int
    body: bytes


class Store(StorePart):
    """A database of reports, which is migrated already."""

    def __init__(self, engine: Engine) -> None:
        super().__init__(engine)
        self._leave: Callable[[], None] | None = None
        self.clock = Clock(engine)
        self.operators = Operators(engine, self.clock)
        self.sign_ins = SignIns(engine, self.clock)
        self.audit_log = AuditLog(engine)
        self.classes = Classes(engine)
        self.holdings = Holdings(engine)
        self.invitations = Invitations(engine, self.clock)
        self.jobs = Jobs(engine)
        self.removals = Removals(engine)
        self.retention = Retention(engine, self.clock)
        self.results = Results(engine)
        self.sealing_keys = SealingKeys(engine)
        self.second_round = SecondRound(engine)
        self.tally = Tally(engine)

    @classmethod
    def open(cls, database: str, *, stays: bool = False) -> Store:
        """Open a database by URL, and bring its schema up to date. A file of SQLite is made, for its owner alone.

        No restore takes place while a store is open that ``stays``, such as a server's or a job's.
        """
        engine = open_engine(database)
        if engine.dialect.name == "sqlite":
            file = Path(str(engine.url.database))
            file.parent.mkdir(parents=True, exist_ok=True)
            file.touch(mode=0o600, exist_ok=True)
        leave = enter(engine) if stays else None
        migrate(engine)
        store = cls(engine)
        store._leave = leave
        return store

    @property
    def transactions(self) -> int:
        """The number of writing transactions worth having at a time: SQLite takes one, PostgreSQL two."""
        return 2 if self.engine.dialect.name == "postgresql" else 1

    def close(self) -> None:
        """Let go of all connections."""
        self.engine.dispose()
        if self._leave is not None:
            self._leave()
            self._leave = None

    def hurry(self) -> None:
        """Give up soon what the database does not answer: the process is to end."""
        hurry(self.engine)

    def ping(self) -> None:
        """Write to the disk what is there already; raise StoreError where the database cannot, or takes no reports."""
        with transaction(self.engine, writes=True) as connection:
            if connection.dialect.name == "postgresql":  # as one report does; SQLite has one lock for all
                connection.execute(text("LOCK TABLE communities, slots IN ROW SHARE MODE"))
                connection.execute(text("LOCK TABLE reports IN ROW EXCLUSIVE MODE"))
            connection.execute(text("UPDATE alembic_version SET version_num = version_num"))

    def open_community(
        self,
        id: str,
        roster: Sequence[str],
        *,
        mechanism: str,
        choices: Sequence[Choice],
        name: str | None = None,
        label: int | None = None,
        groups: Sequence[str] | None = None,
        retention_days: int | None = None,
        keeps_models: bool = True,
        dealt: bool = False,
        inquiry: Inquiry | None = None,
    ) -> Community:
        """Open a community; its roster, mechanism, choices and groups never change again.

        By friend-counts, ``groups`` are what each user's public group is called, or users are ``dealt`` into groups,
        anew in each epoch. Members are promised that a report is deleted after ``retention_days``, if at all, and
        whether models that learned from it are used after that. The ``inquiry`` tells them who asks and what for.
        """
        row = first_epoch(
            *(id, roster),
            mechanism=mechanism,
            choices=choices,
            name=name,
            label=label,
            groups=groups,
            retention_days=retention_days,
            keeps_models=keeps_models,
            dealt=dealt,
            inquiry=inquiry,
        )
        with transaction(self.engine, writes=True) as connection:
            add_community(connection, row)
        return self.community(id)

    def open_epoch(self, id: str, seen: str | None = None, inquiry: Inquiry | None = None) -> Community:
        """Close a community and open it anew: the same people, tokens and choices, one report each once more.

        Here and below, ``seen`` is its version when the operator looked at it; see :func:`.communities.lock`. Who asks
        stays, unless there is an ``inquiry``.
        """
        before = self.community(id)
        with transaction(self.engine, writes=True) as connection:
            add_epoch(connection, id, before.epoch, seen, inquiry)
        return self.community(id)

    def community(self, id: str) -> Community:
        """A community by its id."""
        found = self.find(id)
        if not found:
            raise bad_parameter("community", "the collector", "the id of a community", id)
        return found[0]

    def find(self, *ids: str) -> list[Community]:
        """Communities by their ids, in their latest epochs; those that there are."""
        with transaction(self.engine) as connection:
            return [to_community(row) for row in connection.execute(FIND, {"ids": ids})]

    def communities(self) -> list[Community]:
        """All communities in their latest epochs, in the order in which these opened."""
        return [to_community(row) for row in self.rows(LATEST)]

    def roster(self, community: Community) -> list[str]:
        """The names of a community's users, in the order of their numbers."""
        query = select(schema.communities.c.roster).where(schema.communities.c.key == community.key)
        return zlib.decompress(self.rows(query)[0].roster).decode().split("\n")

    def groups(self, community: Community) -> list[int] | None:
        """The number of each user's group, or None where a community has no groups."""
        query = select(schema.communities.c.groups).where(schema.communities.c.key == community.key)
        found = self.rows(query)[0].groups
        return None if found is None else list(zlib.decompress(found))

    def set_label(self, id: str, label: int | None, seen: str | None = None) -> None:
        """Set or remove the class of a community."""
        check_label(label)
        self._change(id, seen, label=label)

    def set_trusted(self, id: str, trusted: bool, seen: str | None = None) -> None:
        """Say whether a community is known to be honest."""
        self._change(id, seen, trusted=trusted)

    def rename(self, id: str, name: str, seen: str | None = None) -> Community:
        """Rename a community, from its next epoch on. Its id stays.

        Members pinned the name with all else that they agreed to. So it changes where their clients show every change
        and ask: in a new epoch.
        """
        check_called(name)
        self._change(id, seen, title=case((schema.communities.c.name == name, None), else_=name))
        return self.community(id)

    def close_community(self, id: str, seen: str | None = None) -> None:
        """Close a community for good: it takes no more reports."""
        self._change(id, seen, closed_at=func.coalesce(schema.communities.c.closed_at, datetime.now(UTC)))

    def _change(self, id: str, seen: str | None, **values: Any) -> None:
        table = schema.communities
        with transaction(self.engine, writes=True) as connection:
            connection.execute(update(table).where(table.c.key == lock(connection, id, seen).key).values(**values))

    def invite(self, id: str, users: Sequence[int] | None = None) -> dict[int, str]:
        """New tokens for some slots, or for all that have none; the ones they had are void from then on."""
        drawn = self.invitations.draw(id, users)
        self.invitations.keep(id, drawn, replace=users is not None)
        return drawn

    def holder(self, community: Community | None, token: str) -> int | None:
        """The slot that a token opens, or None, as for no community at all."""
        return self.invitations.holders([(community, token)])[0]

    def accept(self, submissions: Sequence[Submission]) -> list[Ruling]:
        """Take many reports in one transaction: what this returns is on disk."""
        while True:
            try:
                with transaction(self.engine, writes=True) as connection:
                    rulings = accept(connection, submissions, self.clock.now())
            except RacedError:
                continue
            return rulings

    def stored(self, *communities: Community) -> list[Stored]:
        """The reports of some communities, by community and slot."""
        table, keys = schema.reports, sorted(community.key for community in communities)
        query = select(table.c.community, table.c.user, table.c.body).where(table.c.body.is_not(None))
        found: list[Stored] = []
        with transaction(self.engine) as connection:
            for some in portions(keys):
                these = query.where(table.c.community.in_(some))
                found += map(Stored._make, connection.execute(these.order_by(table.c.community, table.c.user)).all())
        return found
