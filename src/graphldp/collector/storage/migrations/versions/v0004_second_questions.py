"""Communities by hub-counts: from where on users are asked again, the frozen question, and the answers."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Add them; no community has any so far."""
    op.add_column("communities", sa.Column("ask_from", sa.Integer))
    op.add_column("communities", sa.Column("question", sa.LargeBinary))
    op.add_column("communities", sa.Column("question_digest", sa.String(64)))
    op.add_column("communities", sa.Column("asked_at", sa.DateTime(timezone=True)))
    op.create_table(
        "answers",
        sa.Column("community", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("user", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("body", sa.LargeBinary, nullable=False),
        sa.Column("received_on", sa.Date, nullable=False),
    )
