"""The tables. Until the first release they are the first migration; after it, a change is a new file beside that."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    false,
    true,
)

from graphldp.collector.storage.columns import Day, Fields, Moment

SECRET = {"sampled": False}  # what must be able to leave: PostgreSQL keeps samples of other columns, to plan by


metadata = MetaData(
    naming_convention={
        "ix": "ix_%(column_0_label)s",
        "uq": "uq_%(table_name)s_%(column_0_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)

communities = Table(
    "communities",
    metadata,
    Column("key", Integer, primary_key=True),  # the graph id in exported reports
    Column("id", String(64), nullable=False),
    Column("name", Text, nullable=False, info=SECRET),
    Column("n", Integer, nullable=False),
    Column("mechanism", String(32), nullable=False),
    Column("choices", Fields, nullable=False),
    Column("roster", LargeBinary, nullable=False, info=SECRET),  # frozen at birth: compressed, one name per line
    Column("roster_digest", String(64), nullable=False, info=SECRET),
    Column("epoch", Integer, nullable=False),
    Column("label", Integer),
    Column("opened_at", Moment(), nullable=False),
    Column("closed_at", Moment()),
    Column("hub_from", Integer),  # of hub-counts and hub-lists; the next three of hub-counts and closed-pairs
    Column("question", LargeBinary, info=SECRET),  # who is busy, or all noisy lists: frozen when it was asked
    Column("question_digest", String(64), info=SECRET),
    Column("asked_at", Moment()),
    Column("busy_from", Integer, info=SECRET),  # of hub-counts: the noisy degree by which the question was frozen
    Column("listed", LargeBinary, info=SECRET),  # of closed-pairs: whose own lists are in the question, a bit for each
    Column("answer_until", Day),  # of closed-pairs: the last day on which devices keep lists for it; frozen at birth
    Column("group_names", Fields),  # of friend-counts, as is the next; frozen at birth like the roster
    Column("groups", LargeBinary, info=SECRET),  # compressed, one byte per user: the number of her group
    Column("title", Text, info=SECRET),  # its name from the next epoch on; members pinned the one of this epoch
    Column("retention_days", Integer),  # how long a report is kept, as members were promised; empty for no end
    Column("keeps_models", Boolean, nullable=False, server_default=true()),  # whether models outlive the reports
    Column("inquiry", Fields),  # who asks, what for, whom to write to; frozen at birth
    Column("trusted", Boolean, nullable=False, server_default=false()),  # whether operators know it to be honest
    Column("dealt", Boolean, nullable=False, server_default=false()),  # whether its groups are those of a deal
    UniqueConstraint("id", "epoch"),  # a new epoch is a new row: the last one's reports stay what they were
)

# a page of the list reads this alone: a row of the table has its whole roster in it
Index(
    "ix_communities_listed",
    *(communities.c[name] for name in ("id", "epoch", "name", "title", "n", "label", "closed_at")),
)

counters = Table(
    "counters",  # see storage/counters.py
    metadata,
    Column("name", String(16), primary_key=True),
    Column("last", Integer, nullable=False),
)

classes = Table(
    "classes",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=False),  # what communities have as their label
    Column("name", Text, nullable=False, unique=True),
)

gone = Table(
    "gone",
    metadata,
    Column("id", String(64), primary_key=True),  # of a community that was deleted: never given to another
    Column("deleted_at", Moment(), nullable=False),
    Column("erased_at", Moment()),  # when its bytes had left the database's files too
)

slots = Table(
    "slots",
    metadata,
    Column("community", ForeignKey("communities.key"), primary_key=True),
    Column("user", Integer, primary_key=True, autoincrement=False),
    Column("token_hash", LargeBinary(32), nullable=False, info=SECRET),
    Column("invited_at", Moment(), nullable=False),
    Column("expires_at", Moment()),  # until when the slot can be taken; one that has reported keeps its token
)

reports = Table(
    "reports",
    metadata,
    # no foreign key: who writes here holds the community's row, and PostgreSQL would look it up again for every report
    Column("community", Integer, primary_key=True, autoincrement=False),
    Column("user", Integer, primary_key=True, autoincrement=False),
    Column("body", LargeBinary, info=SECRET),  # empty once deleted: the row stays, so the slot stays taken
    Column("noisy_degree", BigInteger, info=SECRET),
    Column("received_on", Day, nullable=False),  # days only: the hour could tell who is who
    Column("deleted_on", Day),
    Column("erased_on", Day),  # when its bytes had left the database's files too
    sqlite_with_rowid=False,  # SQLite numbers rows as they come, which would tell who came after whom
)

_DELETED = reports.c.deleted_on.is_not(None)
Index("ix_reports_deleted", reports.c.community, sqlite_where=_DELETED, postgresql_where=_DELETED)
# to count in: PostgreSQL's primary key is apart from the rows, SQLite's has whole reports in it
Index("ix_reports_counted", reports.c.community).ddl_if(dialect="sqlite")

tombstones = Table(
    "tombstones",  # deleted reports of epochs that a restore took away: the epoch may be opened again
    metadata,
    Column("id", String(64), primary_key=True),
    Column("epoch", Integer, primary_key=True, autoincrement=False),
    Column("user", Integer, primary_key=True, autoincrement=False),
    Column("roster_digest", String(64), primary_key=True, info=SECRET),  # by another roster the slot is another user's
    Column("deleted_on", Day, nullable=False),
    sqlite_with_rowid=False,
)

answers = Table(
    "answers",
    metadata,
    Column("community", Integer, primary_key=True, autoincrement=False),
    Column("user", Integer, primary_key=True, autoincrement=False),
    Column("body", LargeBinary, nullable=False, info=SECRET),  # goes with the report when that is deleted
    Column("received_on", Day, nullable=False),
    sqlite_with_rowid=False,
)

operators = Table(
    "operators",
    metadata,
    Column("name", String(64), primary_key=True),
    Column("key_hash", LargeBinary(32), nullable=False, unique=True, info=SECRET),
    Column("created_at", Moment(), nullable=False),
    Column("role", String(16), nullable=False),
    Column("expires_at", Moment()),  # when her key stops working
)

audit_log = Table(
    "audit_log",  # what is in it stays as it is: the database refuses to change or delete a row
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=False),  # from 1 on, without a gap
    Column("at", Moment(), nullable=False),
    Column("actor", Text, nullable=False),
    Column("role", String(16), nullable=False),
    Column("way", String(16), nullable=False),
    Column("action", String(64), nullable=False),
    Column("about", Text),  # the id of a community or the name of an operator; never a member
    Column("outcome", String(16), nullable=False),
    Column("digest", String(64), nullable=False),  # of this entry and of the digest before it
)

sessions = Table(
    "sessions",
    metadata,
    Column("secret_hash", LargeBinary(32), primary_key=True, info=SECRET),
    Column("operator", Text, nullable=False, info=SECRET),
    Column("csrf", String(64), nullable=False, info=SECRET),
    Column("expires_at", Moment(), nullable=False),
    Column("person", Fields),  # who signed in without a key, as the provider said
)

sign_in_rules = Table(
    "sign_in_rules",
    metadata,
    Column("kind", String(16), primary_key=True),  # subject, email or group
    Column("value", String(320), primary_key=True, info=SECRET),
    Column("role", String(16), nullable=False),
)

sign_ins = Table(
    "sign_ins",  # under way, for minutes
    metadata,
    Column("state_hash", LargeBinary(32), primary_key=True, info=SECRET),
    Column("browser_hash", LargeBinary(32), nullable=False, info=SECRET),
    Column("nonce", String(64), nullable=False, info=SECRET),
    Column("verifier", String(64), nullable=False, info=SECRET),
    Column("expires_at", Moment(), nullable=False),
)

sealing_keys = Table(
    "sealing_keys",
    metadata,
    Column("id", LargeBinary(8), primary_key=True, info=SECRET),
    Column("public", LargeBinary(65), nullable=False, info=SECRET),
    Column("private", LargeBinary(32), nullable=False, info=SECRET),  # in no backup: it opens what relays kept
    Column("made_at", Moment(), nullable=False),
    Column("retires_at", Moment()),  # when it stops working; empty for the one that is published
)

runs = Table(
    "runs",
    metadata,
    Column("key", Integer, primary_key=True),
    Column("finished_at", Moment(), nullable=False),
    Column("model", Text, nullable=False),
    Column("communities", Integer, nullable=False),
    Column("users", Integer, nullable=False),
    Column("reported", Integer, nullable=False),
    Column("validation", Float),
    Column("settings", Fields, nullable=False),
    Column("held_out", Integer),  # communities that the accuracy is counted on
    Column("learned_from", Fields),  # the keys of the communities
    Column("withdrawn_at", Moment()),  # when it was withdrawn, as members were promised
)

clock = Table(
    "clock",  # one row: see storage/clock.py
    metadata,
    Column("key", Integer, primary_key=True, autoincrement=False),
    Column("believed", Moment(), nullable=False),
    Column("ahead_seconds", Float, nullable=False),  # how long servers have run while the clock was ahead of that
    Column("swept_on", Day),  # the day on which what was due was deleted last
)

predictions = Table(
    "predictions",
    metadata,
    Column("community", ForeignKey("communities.key"), primary_key=True),
    Column("label", Integer, nullable=False, info=SECRET),
    Column("confidence", Float, nullable=False, info=SECRET),
    Column("reported", Integer, nullable=False, info=SECRET),  # of the n users, when the label was given
    Column("model", Text, nullable=False),
    Column("labelled_at", Moment(), nullable=False),
    Column("certified", Integer, info=SECRET),  # users who cannot change the label, whatever they send
)

flags = Table(
    "flags",
    metadata,
    Column("community", ForeignKey("communities.key"), primary_key=True),
    Column("user", Integer, primary_key=True, autoincrement=False, info=SECRET),
    Column("reason", Text, nullable=False, info=SECRET),
    Column("flagged_at", Moment(), nullable=False),
)

jobs = Table(
    "jobs",
    metadata,
    Column("key", Integer, primary_key=True),
    Column("kind", String(16), nullable=False),
    Column("settings", Fields, nullable=False),
    Column("asked_by", Text, nullable=False),
    Column("asked_at", Moment(), nullable=False),
    Column("state", String(16), nullable=False),
    Column("active", Integer, unique=True),  # 1 while it is under way, else empty: the database allows one at a time
    Column("doing", Text, nullable=False),
    Column("share", Float, nullable=False),
    Column("alive_at", Moment(), nullable=False),  # when its process last said that it is alive
    Column("ended_at", Moment()),
    Column("result", Fields),
    Column("note", Text, nullable=False),
)
