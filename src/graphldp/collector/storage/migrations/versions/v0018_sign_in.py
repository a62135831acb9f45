"""Sign-in by OpenID Connect: who may, sign-ins under way, and sessions of people who have no key."""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"


def upgrade() -> None:
    """Add them. Sessions end: their table is made anew, since a session need not be a key's any more."""
    moment = sa.DateTime(timezone=True)
    op.drop_table("sessions")
    op.create_table(
        "sessions",
        sa.Column("secret_hash", sa.LargeBinary(32), primary_key=True),
        sa.Column("operator", sa.Text, nullable=False),
        sa.Column("csrf", sa.String(64), nullable=False),
        sa.Column("expires_at", moment, nullable=False),
        sa.Column("person", sa.JSON),
    )
    op.create_table(
        "sign_in_rules",
        sa.Column("kind", sa.String(16), primary_key=True),
        sa.Column("value", sa.String(320), primary_key=True),
        sa.Column("role", sa.String(16), nullable=False),
    )
    op.create_table(
        "sign_ins",
        sa.Column("state_hash", sa.LargeBinary(32), primary_key=True),
        sa.Column("browser_hash", sa.LargeBinary(32), nullable=False),
        sa.Column("nonce", sa.String(64), nullable=False),
        sa.Column("verifier", sa.String(64), nullable=False),
        sa.Column("expires_at", moment, nullable=False),
    )
