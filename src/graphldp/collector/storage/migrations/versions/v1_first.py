"""The first schema, as the tables say. It is amended until the first release; databases made before that are refused.

ANALYZE, which PostgreSQL also runs by itself, copies values of columns into its catalogue, to plan queries by. They
stay there when their row is deleted, and when its table is written anew: so it takes none of a secret.
"""

from alembic import op

from graphldp.collector.storage.schema import SECRET, metadata

revision = "1_1bb8888c"  # it ends with a digest of the schema: a test says which
down_revision = None

_REFUSES = (
    "CREATE FUNCTION audit_log_stays() RETURNS trigger LANGUAGE plpgsql AS "
    "$$ BEGIN RAISE EXCEPTION 'the audit log is append-only'; END $$"
)


def upgrade() -> None:
    """Create every table; what is in the log stays as it is."""
    bind = op.get_bind()
    metadata.create_all(bind, checkfirst=False)
    if bind.dialect.name != "postgresql":
        for what in ("UPDATE", "DELETE"):
            op.execute(
                f"CREATE TRIGGER audit_log_no_{what.lower()} BEFORE {what} ON audit_log "
                "BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END"
            )
        return
    op.execute(_REFUSES)
    for what, unit in (("UPDATE", "ROW"), ("DELETE", "ROW"), ("TRUNCATE", "STATEMENT")):
        op.execute(
            f"CREATE TRIGGER audit_log_no_{what.lower()} BEFORE {what} ON audit_log "
            f"FOR EACH {unit} EXECUTE FUNCTION audit_log_stays()"
        )
    quoted = bind.dialect.identifier_preparer.quote
    for table in metadata.sorted_tables:
        for column in table.columns:
            if column.info == SECRET:
                op.execute(f"ALTER TABLE {table.name} ALTER COLUMN {quoted(column.name)} SET STATISTICS 0")
