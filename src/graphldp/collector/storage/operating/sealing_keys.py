"""The collector's keys for sealed reports: one is published, older ones open what is still on its way, for a while.

A private key cannot be kept as a hash. It is in the database, which holds all reports anyway, and in no backup: after a
restore into a new database there is a new key, and clients are told to take it.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hpke import AEAD, KDF, KEM, Suite
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from sqlalchemy import ColumnElement, delete, insert, or_, select, update

from graphldp.collector.storage import schema
from graphldp.collector.storage.database import StorePart, transaction
from graphldp.collector.storage.scrubbing import scrub
from graphldp.errors import WireError
from graphldp.wire import Inner, Sealed, key_id, sealing_info

_SUITE = Suite(KEM.P256, KDF.HKDF_SHA256, AEAD.AES_128_GCM)


class UnknownKeyError(Exception):
    """A message is sealed to a key that is not in use here."""


class SealingKey(NamedTuple):
    """A key, without its secret."""

    id: bytes
    public: bytes
    made_at: datetime
    retires_at: datetime | None


class Opener:
    """Opens what is sealed to one of some keys."""

    def __init__(self, keys: dict[bytes, ec.EllipticCurvePrivateKey]) -> None:
        self._keys = keys

    def open(self, community: str, data: bytes) -> Inner:
        """The message that was sealed for a community.

        Raises:
            UnknownKeyError: for another key.
            WireError: for whatever does not open: damaged, sealed for another community, or no report.
        """
        sealed = Sealed.decode(data)
        key = self._keys.get(sealed.key_id)
        if key is None:
            raise UnknownKeyError
        try:
            return Inner.decode(_SUITE.decrypt(sealed.box, key, sealing_info(community)))
        except InvalidTag:
            raise WireError("The message does not open.") from None


class SealingKeys(StorePart):
    """The keys of a collector."""

    def rotate(self, overlap: timedelta) -> SealingKey:
        """Publish a new key. Those before it go on opening for as long as ``overlap``, and are then deleted."""
        key, now, table = ec.generate_private_key(ec.SECP256R1()), datetime.now(UTC), schema.sealing_keys
        public = key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        private = key.private_numbers().private_value.to_bytes(32)
        made = SealingKey(key_id(public), public, now, None)
        with transaction(self.engine, writes=True) as connection:
            connection.execute(update(table).where(table.c.retires_at.is_(None)).values(retires_at=now + overlap))
            connection.execute(insert(table).values(**made._asdict(), private=private))
        if not overlap:
            self.drop_retired(now)
        return made

    def drop_retired(self, now: datetime) -> None:
        """Delete the keys whose time is over, and their bytes from the database's files."""
        table = schema.sealing_keys
        with transaction(self.engine, writes=True) as connection:
            gone = connection.execute(delete(table).where(table.c.retires_at <= now)).rowcount
        if gone:
            scrub(self.engine, table.name)

    def listed(self) -> list[SealingKey]:
        """The keys that open something, the published one first."""
        table = schema.sealing_keys
        query = select(table.c.id, table.c.public, table.c.made_at, table.c.retires_at).where(self._live())
        rows = self.rows(query.order_by(table.c.retires_at.is_not(None), table.c.made_at.desc()))
        return [SealingKey(bytes(row.id), bytes(row.public), row.made_at, row.retires_at) for row in rows]

    def published(self) -> bytes | None:
        """The key that clients seal to, or None where there is none yet."""
        table = schema.sealing_keys
        query = select(table.c.public).where(table.c.retires_at.is_(None)).order_by(table.c.made_at.desc()).limit(1)
        found = self.rows(query)
        return bytes(found[0].public) if found else None

    def opener(self) -> Opener:
        """Opens what is sealed to the keys of this moment."""
        table = schema.sealing_keys
        rows = self.rows(select(table.c.id, table.c.private).where(self._live()))
        secrets = {bytes(row.id): int.from_bytes(bytes(row.private)) for row in rows}
        return Opener({id: ec.derive_private_key(secret, ec.SECP256R1()) for id, secret in secrets.items()})

    def _live(self) -> ColumnElement[bool]:
        retires = schema.sealing_keys.c.retires_at
        return or_(retires.is_(None), retires > datetime.now(UTC))
