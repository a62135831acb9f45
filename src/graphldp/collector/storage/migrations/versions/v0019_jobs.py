"""Trainings and labellings that operators start."""

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"


def upgrade() -> None:
    """Make their table."""
    op.create_table(
        "jobs",
        sa.Column("key", sa.Integer, primary_key=True),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("settings", sa.JSON, nullable=False),
        sa.Column("asked_by", sa.Text, nullable=False),
        sa.Column("asked_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("active", sa.Integer, unique=True),
        sa.Column("doing", sa.Text, nullable=False),
        sa.Column("share", sa.Float, nullable=False),
        sa.Column("heard_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ended_at", sa.DateTime(timezone=True)),
        sa.Column("result", sa.JSON),
        sa.Column("note", sa.Text, nullable=False),
    )
