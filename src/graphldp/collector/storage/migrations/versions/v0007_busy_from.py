"""From which noisy degree on users were frozen as busy: kept with the question that was asked by it."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Add it; every question so far was asked by 6."""
    op.add_column("communities", sa.Column("busy_from", sa.Integer))
    op.execute("UPDATE communities SET busy_from = 6 WHERE asked_at IS NOT NULL")
