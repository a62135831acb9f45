"""Roles of operators, keys that expire, and the log of what operators do."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    """Add them. Whoever was an operator stays one: she could look, ask and close, and that is what the role may do."""
    with op.batch_alter_table("operators") as table:
        table.add_column(sa.Column("role", sa.String(16), nullable=False, server_default="operator"))
        table.add_column(sa.Column("expires_at", sa.DateTime(timezone=True)))
    op.create_table(
        "audit_log",
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("actor", sa.Text, nullable=False),
        sa.Column("role", sa.String(16), nullable=False),
        sa.Column("way", sa.String(16), nullable=False),
        sa.Column("action", sa.String(64), nullable=False),
        sa.Column("about", sa.Text),
        sa.Column("outcome", sa.String(16), nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
    )
    if op.get_bind().dialect.name == "postgresql":
        op.execute(
            "CREATE FUNCTION audit_log_stays() RETURNS trigger LANGUAGE plpgsql AS "
            "$$ BEGIN RAISE EXCEPTION 'the audit log is append-only'; END $$"
        )
        for what, each in (("UPDATE", "ROW"), ("DELETE", "ROW"), ("TRUNCATE", "STATEMENT")):
            op.execute(
                f"CREATE TRIGGER audit_log_no_{what.lower()} BEFORE {what} ON audit_log "
                f"FOR EACH {each} EXECUTE FUNCTION audit_log_stays()"
            )
    else:
        for what in ("UPDATE", "DELETE"):
            op.execute(
                f"CREATE TRIGGER audit_log_no_{what.lower()} BEFORE {what} ON audit_log "
                "BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END"
            )
