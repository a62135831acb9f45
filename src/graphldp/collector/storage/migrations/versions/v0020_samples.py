"""PostgreSQL takes no samples of what people sent, of what was found out about them, or of secrets.

ANALYZE, which it also runs by itself, copies values of a column into its catalogue, to plan queries by. They stay there
when their row is deleted, and when its table is written anew.
"""

import sqlalchemy as sa
from alembic import op

from graphldp.errors import StoreError

revision = "0020"
down_revision = "0019"

COLUMNS = {
    "communities": "name title roster roster_digest question question_digest busy_from groups",
    "slots": "token_hash",
    "reports": "body noisy_degree",
    "answers": "body",
    "predictions": "label confidence reported certified",
    "flags": '"user" reason',
    "operators": "key_hash",
    "sessions": "secret_hash operator csrf",
    "sign_ins": "state_hash browser_hash nonce verifier",
    "sign_in_rules": "value",
    "sealing_keys": "id public private",
}
_SAMPLED = sa.text(
    "SELECT format_type(a.atttypid, a.atttypmod) FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid "
    "JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_stats s "
    "ON (s.schemaname, s.tablename, s.attname) = (n.nspname, c.relname, a.attname) "
    "WHERE a.attrelid = CAST(:of AS regclass) AND a.attname = :name"
)


def upgrade() -> None:
    """Take no more, and drop those there are: PostgreSQL does so when a column is given a type, be it its own."""
    bind = op.get_bind()
    if bind.dialect.name != "postgresql":
        return
    op.execute("SET LOCAL statement_timeout = 0")
    for table, columns in COLUMNS.items():
        for column in columns.split():
            op.execute(f"ALTER TABLE {table} ALTER COLUMN {column} SET STATISTICS 0")
            _drop_samples(bind, table, column)


def _drop_samples(bind: sa.Connection, table: str, column: str) -> None:
    type_ = bind.execute(_SAMPLED, {"of": table, "name": column.strip('"')}).scalar()
    if type_ is None:
        return
    try:
        with bind.begin_nested():
            op.execute(f"ALTER TABLE {table} ALTER COLUMN {column} TYPE {type_}")
    except sa.exc.DBAPIError:
        raise StoreError(
            f"PostgreSQL keeps samples of column {column} of table {table}, and drops them only where nothing is built "
            "on it, such as a view. Drop that, start again, and make it anew."
        ) from None
