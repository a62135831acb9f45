"""PostgreSQL takes no samples of what people sent, or of secrets.

ANALYZE, which it also runs by itself, copies values of a column into its catalogue, to plan queries by. They stay there
when their row is deleted, and when its table is written anew.
"""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"

COLUMNS = {
    "communities": ("name", "title", "roster", "roster_digest", "question", "question_digest", "groups"),
    "slots": ("token_hash",),
    "reports": ("body", "noisy_degree"),
    "answers": ("body",),
    "operators": ("key_hash",),
    "sessions": ("secret_hash", "csrf"),
    "sign_ins": ("state_hash", "browser_hash", "nonce", "verifier"),
    "sealing_keys": ("id", "public", "private"),
    "flags": ("reason",),
}


def upgrade() -> None:
    """Take no more, and drop those there are: PostgreSQL does so when a column is given a type, be it its own."""
    bind = op.get_bind()
    if bind.dialect.name != "postgresql":
        return
    types = sa.text(
        "SELECT format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = :of ::regclass AND attname = :name"
    )
    for table, columns in COLUMNS.items():
        for column in columns:
            type_ = bind.execute(types, {"of": table, "name": column}).scalar_one()
            op.execute(
                f"ALTER TABLE {table} ALTER COLUMN {column} TYPE {type_}, ALTER COLUMN {column} SET STATISTICS 0"
            )
