"""The first schema: communities, slots, reports, operators and what training leaves behind."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Create every table."""
    moment = sa.DateTime(timezone=True)
    op.create_table(
        "communities",
        sa.Column("key", sa.Integer, primary_key=True),
        sa.Column("id", sa.String(64), nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("n", sa.Integer, nullable=False),
        sa.Column("mechanism", sa.String(32), nullable=False),
        sa.Column("choices", sa.JSON, nullable=False),
        sa.Column("roster", sa.LargeBinary, nullable=False),
        sa.Column("roster_digest", sa.String(64), nullable=False),
        sa.Column("epoch", sa.Integer, nullable=False),
        sa.Column("label", sa.Integer),
        sa.Column("opened_at", moment, nullable=False),
        sa.Column("closed_at", moment),
        sa.UniqueConstraint("id", "epoch"),
    )
    op.create_table(
        "slots",
        sa.Column("community", sa.Integer, sa.ForeignKey("communities.key"), primary_key=True),
        sa.Column("user", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("token_hash", sa.LargeBinary(32), nullable=False),
        sa.Column("invited_at", moment, nullable=False),
    )
    op.create_table(
        "reports",
        sa.Column("community", sa.Integer, sa.ForeignKey("communities.key"), primary_key=True),
        sa.Column("user", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("body", sa.LargeBinary),
        sa.Column("noisy_degree", sa.BigInteger),
        sa.Column("received_on", sa.Date, nullable=False),
        sa.Column("deleted_at", moment),
    )
    op.create_table(
        "operators",
        sa.Column("name", sa.String(64), primary_key=True),
        sa.Column("key_hash", sa.LargeBinary(32), nullable=False, unique=True),
        sa.Column("created_at", moment, nullable=False),
    )
    op.create_table(
        "sessions",
        sa.Column("secret_hash", sa.LargeBinary(32), primary_key=True),
        sa.Column("operator", sa.String(64), sa.ForeignKey("operators.name", ondelete="CASCADE"), nullable=False),
        sa.Column("csrf", sa.String(64), nullable=False),
        sa.Column("expires_at", moment, nullable=False),
    )
    op.create_table(
        "runs",
        sa.Column("key", sa.Integer, primary_key=True),
        sa.Column("finished_at", moment, nullable=False),
        sa.Column("model", sa.Text, nullable=False),
        sa.Column("communities", sa.Integer, nullable=False),
        sa.Column("users", sa.Integer, nullable=False),
        sa.Column("reported", sa.Integer, nullable=False),
        sa.Column("validation", sa.Float),
        sa.Column("settings", sa.JSON, nullable=False),
    )
    op.create_table(
        "predictions",
        sa.Column("community", sa.Integer, sa.ForeignKey("communities.key"), primary_key=True),
        sa.Column("label", sa.Integer, nullable=False),
        sa.Column("confidence", sa.Float, nullable=False),
        sa.Column("reported", sa.Integer, nullable=False),
        sa.Column("model", sa.Text, nullable=False),
        sa.Column("labelled_at", moment, nullable=False),
    )
    op.create_table(
        "flags",
        sa.Column("community", sa.Integer, sa.ForeignKey("communities.key"), primary_key=True),
        sa.Column("user", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("flagged_at", moment, nullable=False),
    )
