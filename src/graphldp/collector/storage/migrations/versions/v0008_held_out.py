"""What a run's accuracy and a label rest on: communities held out, and users whose reports cannot change it."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Add both; earlier runs and labels do not say."""
    op.add_column("runs", sa.Column("held_out", sa.Integer))
    op.add_column("predictions", sa.Column("certified", sa.Integer))
