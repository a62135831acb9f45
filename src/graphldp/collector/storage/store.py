"""What the collector keeps: communities, who is invited, and what was reported. SQLite or PostgreSQL, one contract.

::

    store = Store.open("sqlite:///collector.db")
    store.open_community("cats", ["ann", "bob"], mechanism="dprr", choices=[Choice("standard", 0.1, 0.9)])
    tokens = store.invite("cats")
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from sqlalchemy import Engine, case, func, select, text, update

from graphldp.collector import tokens
from graphldp.collector.communities.community import Community, check_called, check_label
from graphldp.collector.intake import RacedError, Ruling, Submission, accept
from graphldp.collector.operators import Operators
from graphldp.collector.storage import schema
from graphldp.collector.storage.clock import Clock
from graphldp.collector.storage.collecting.classes import Classes
from graphldp.collector.storage.collecting.communities import FIND, LATEST, lock, to_community
from graphldp.collector.storage.collecting.holdings import Holdings
from graphldp.collector.storage.collecting.invitations import Invitations
from graphldp.collector.storage.collecting.openings import add_community, add_epoch, first_epoch
from graphldp.collector.storage.collecting.removals import Removals
from graphldp.collector.storage.collecting.retention import Retention
from graphldp.collector.storage.collecting.second_round import SecondRound
from graphldp.collector.storage.collecting.tally import Tally
from graphldp.collector.storage.database import migrate, open_engine, transaction
from graphldp.collector.storage.operating.audit_log import AuditLog
from graphldp.collector.storage.operating.jobs import Jobs
from graphldp.collector.storage.operating.results import Results
from graphldp.collector.storage.operating.sign_ins import SignIns
from graphldp.collector.storage.sealing_keys import SealingKeys
from graphldp.errors import bad_parameter
from graphldp.wire import Choice

_MANY = 1000  # communities in one query


class Stored(NamedTuple):
    """One report as it was accepted."""

    community: int
    user: int
    body: bytes


class Store:
    """A database of reports.

    Args:
        engine: a migrated database.
    """

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.clock = Clock(engine)
        self.operators = Operators(engine, self.clock)
        self.sign_ins = SignIns(engine, self.clock)
        self.audit_log = AuditLog(engine)
        self.classes = Classes(engine)
        self.holdings = Holdings(engine)
        self.invitations = Invitations(engine)
        self.jobs = Jobs(engine)
        self.removals = Removals(engine)
        self.retention = Retention(engine, self.clock)
        self.results = Results(engine)
        self.sealing_keys = SealingKeys(engine)
        self.second_round = SecondRound(engine)
        self.tally = Tally(engine)

    @classmethod
    def open(cls, database: str) -> Store:
        """Open a database by URL, and bring its schema up to date."""
        engine = open_engine(database)
        migrate(engine)
        return cls(engine)

    @property
    def transactions(self) -> int:
        """How many writing transactions are worth having at a time: SQLite takes one, PostgreSQL decides between two.

        While one waits for the disk, the other one is decided on.
        """
        return 2 if self.engine.dialect.name == "postgresql" else 1

    def close(self) -> None:
        """Let go of all connections."""
        self.engine.dispose()

    def ping(self) -> None:
        """Write to the disk what is there already; raise StoreError where the database cannot."""
        with transaction(self.engine, writes=True) as connection:
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
    ) -> Community:
        """Open a community; its roster, mechanism and choices never change again.

        Args:
            id: what stands in its address.
            roster: the users' names.
            mechanism: by which they report.
            choices: the offers of ε.
            name: what people call it; its id by default.
            label: its class, where it is known.
            groups: for friend-counts, what each user's public group is called; they never change again either.
            retention_days: after how many days a report is deleted, as members are promised; None for no end.
            keeps_models: whether models that learned from the reports may be used after that.
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
        )
        with transaction(self.engine, writes=True) as connection:
            add_community(connection, row)
        return self.community(id)

    def open_epoch(self, id: str, seen: str | None = None) -> Community:
        """Close a community and open it anew: the same people, tokens and choices, one report each once more.

        Args:
            id: the community.
            seen: its version when the operator looked at it, here and below; see :func:`.communities.lock`.
        """
        before = self.community(id)
        with transaction(self.engine, writes=True) as connection:
            add_epoch(connection, id, before.epoch, seen)
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
        with transaction(self.engine) as connection:
            return [to_community(row) for row in connection.execute(LATEST)]

    def roster(self, community: Community) -> list[str]:
        """The names of a community's users, in the order of their numbers."""
        query = select(schema.communities.c.roster).where(schema.communities.c.key == community.key)
        with transaction(self.engine) as connection:
            return zlib.decompress(connection.execute(query).scalar_one()).decode().split("\n")

    def groups(self, community: Community) -> list[int] | None:
        """The number of each user's group, or None where a community has no groups."""
        query = select(schema.communities.c.groups).where(schema.communities.c.key == community.key)
        with transaction(self.engine) as connection:
            found = connection.execute(query).scalar_one()
        return None if found is None else list(zlib.decompress(found))

    def set_label(self, id: str, label: int | None, seen: str | None = None) -> None:
        """Set or remove the class of a community."""
        check_label(label)
        self._change(id, seen, label=label)

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
        """New tokens for slots, by slot; the ones they had are void from then on. Only their hashes are kept.

        Args:
            id: the community.
            users: slots, by default all that have no token yet.
        """
        drawn = self.invitations.draw(id, users)
        self.invitations.keep(id, drawn, replace=users is not None)
        return drawn

    def holder(self, community: Community | None, token: str) -> int | None:
        """The slot that a token opens, or None, as for no community at all.

        What is looked up and compared is the same in all these cases, so that their times tell nothing. An invitation
        that expired before its slot was taken opens nothing; a user who has reported can always come back and withdraw.
        """
        user = tokens.slot_of(token)
        table, key = schema.slots, 0 if community is None else community.key
        reports = schema.reports
        slot = (table.c.community == key, table.c.user == (user or 0))
        held = select(reports.c.user).where(reports.c.community == key, reports.c.user == (user or 0))
        query = select(table.c.token_hash, table.c.expires_at, held.scalar_subquery().label("taken")).where(*slot)
        with transaction(self.engine) as connection:
            row = connection.execute(query).one_or_none()
        right = tokens.matches(tokens.hashed(token), None if row is None else row.token_hash)
        if row is None or not right:
            return None
        over = row.expires_at is not None and row.taken is None and row.expires_at <= self.clock.now()
        return None if over else user

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
            for first in range(0, len(keys), _MANY):
                these = query.where(table.c.community.in_(keys[first : first + _MANY]))
                found += map(Stored._make, connection.execute(these.order_by(table.c.community, table.c.user)).all())
        return found

    def noisy_degrees(self, community: Community) -> list[int]:
        """The noisy degrees that were reported, where the mechanism has them."""
        table = schema.reports
        query = select(table.c.noisy_degree).where(
            table.c.community == community.key, table.c.noisy_degree.is_not(None)
        )
        with transaction(self.engine) as connection:
            return list(connection.execute(query).scalars())
