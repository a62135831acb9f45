"""Names of classes, and indexes for the pages that list communities."""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0012"

_LISTED = ["id", "epoch", "name", "title", "n", "label", "closed_at"]


def upgrade() -> None:
    """Add them; the classes before had numbers only."""
    op.create_table(
        "classes",
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.UniqueConstraint("name", name="uq_classes_name"),
    )
    op.create_index("ix_communities_listed", "communities", _LISTED)
    only_deleted = sa.text("deleted_at IS NOT NULL")
    op.create_index(
        "ix_reports_deleted",
        "reports",
        ["community"],
        sqlite_where=only_deleted,
        postgresql_where=only_deleted,
    )
