"""From where on a user looks like a hub: one number, whatever hubs are asked for."""

from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Give the number its name."""
    op.execute("ALTER TABLE communities RENAME COLUMN ask_from TO hub_from")
