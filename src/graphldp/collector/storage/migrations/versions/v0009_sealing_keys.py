"""Keys to which clients seal what relays carry."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    """Make their table; there is no key until an operator makes one."""
    op.create_table(
        "sealing_keys",
        sa.Column("id", sa.LargeBinary(8), primary_key=True),
        sa.Column("public", sa.LargeBinary(65), nullable=False),
        sa.Column("private", sa.LargeBinary(32), nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("retires_at", sa.DateTime(timezone=True)),
    )
