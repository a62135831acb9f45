"""Rosters' digests take in the length of each name, so that no two rosters share one."""

import zlib
from hashlib import sha256

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Compute the digests anew from the rosters, which stay what they are."""
    table = sa.table("communities", sa.column("key"), sa.column("roster"), sa.column("roster_digest"))
    connection = op.get_bind()
    for key in connection.execute(sa.select(table.c.key)).scalars().all():
        row = table.c.key == key
        packed = connection.execute(sa.select(table.c.roster).where(row)).scalar_one()
        total = sha256()
        for name in zlib.decompress(packed).split(b"\n"):
            total.update(len(name).to_bytes(8, "big") + name)
        connection.execute(sa.update(table).where(row).values(roster_digest=total.hexdigest()))
