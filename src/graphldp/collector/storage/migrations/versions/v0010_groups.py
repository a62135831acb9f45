"""Public groups, by which friends are counted."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    """Add what they are called and who is in which; communities before had none."""
    op.add_column("communities", sa.Column("group_names", sa.JSON))
    op.add_column("communities", sa.Column("groups", sa.LargeBinary))
