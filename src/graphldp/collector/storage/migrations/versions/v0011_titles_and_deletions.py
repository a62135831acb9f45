"""Titles of communities, and which communities were deleted."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    """Add both; communities before had no other title, and none was deleted."""
    op.add_column("communities", sa.Column("title", sa.Text))
    op.create_table(
        "gone",
        sa.Column("id", sa.String(64), primary_key=True),
        sa.Column("key", sa.Integer, nullable=False),
        sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("erased_at", sa.DateTime(timezone=True)),
    )
