"""Deleted reports say whether their bytes have left the database's files too."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Add the moment; what was deleted before is looked after once more."""
    op.add_column("reports", sa.Column("erased_at", sa.DateTime(timezone=True)))
