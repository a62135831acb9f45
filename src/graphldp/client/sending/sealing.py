"""Sealing a report or an answer to the collector's key, so that a relay sees neither it nor the token.

The key is the one that the community published when the user joined: to fetch it before each report would tell the
collector when the report is about to come, which is what a relay is for. All that is sealed in a community has the same
length.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphldp.client.keeping.membership import Membership
from graphldp.client.sending.sender import Sender
from graphldp.errors import ClientError, extra_named
from graphldp.wire import Inner, Sealed, address, key_id, sealing_info

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePublicKey


def check_relay(member: Membership, relay: str | None) -> None:
    """Refuse a relay that cannot be used, before anything is drawn."""
    if relay is not None:
        address(relay)
        if member.sealing_key is None:
            raise ClientError(
                "The collector had no key to seal to when you joined. Take the invitation again "
                "('graphldp client join') or send without a relay. Nothing was drawn or sent."
            )
        _loaded(member.sealing_key)


def deliver(member: Membership, sender: Sender, kind: str, body: bytes, relay: str | None) -> None:
    """Send a report or an answer until it is acknowledged: to the collector, or sealed by way of a relay."""
    published = member.published
    if relay is None:
        put = sender.put if kind == "report" else sender.put_answer
        put(published.user, published.epoch, body)
        return
    check_relay(member, relay)
    inner = Inner(kind, published.epoch, published.user, member.invitation.token, body)
    public = member.sealing_key or b""
    sealed = seal(inner, community=published.id, n=published.n, groups=len(published.group_names), public=public)
    sender.carry(address(relay), sealed)


def seal(inner: Inner, *, community: str, n: int, public: bytes, groups: int = 0) -> bytes:
    """Seal to a collector's public key.

    Args:
        inner: a report or an answer, with its token.
        community: the community that it is for, and no other.
        n: the community's size.
        public: the key, as the community publishes it.
        groups: how many the community has.
    """
    key = _loaded(public)
    from cryptography.hazmat.primitives.hpke import AEAD, KDF, KEM, Suite

    suite = Suite(KEM.P256, KDF.HKDF_SHA256, AEAD.AES_128_GCM)
    box = suite.encrypt(inner.encode(n, groups), key, sealing_info(community))
    return Sealed(key_id(public), box).encode()


def _loaded(public: bytes) -> EllipticCurvePublicKey:
    with extra_named("Sealing reports"):
        from cryptography.hazmat.primitives.asymmetric import ec
    try:
        return ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), public)
    except ValueError:
        raise ClientError("What the community publishes as its key is no key: nothing can be sealed to it.") from None
