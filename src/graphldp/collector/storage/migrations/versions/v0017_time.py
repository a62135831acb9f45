"""How long reports are kept, until when invitations are good, and what time it is."""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"


def upgrade() -> None:
    """Add them. Communities before promised no end: their reports stay, and so do invitations and models."""
    op.add_column("communities", sa.Column("retention_days", sa.Integer))
    op.add_column("communities", sa.Column("keeps_models", sa.Boolean, nullable=False, server_default=sa.true()))
    op.add_column("slots", sa.Column("expires_at", sa.DateTime(timezone=True)))
    op.add_column("runs", sa.Column("learned_from", sa.JSON))
    op.add_column("runs", sa.Column("withdrawn_at", sa.DateTime(timezone=True)))
    op.create_table(
        "clock",
        sa.Column("key", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("believed", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ahead_seconds", sa.Float, nullable=False),
        sa.Column("swept_on", sa.Date),
    )
