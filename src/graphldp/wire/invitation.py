"""An invitation: where a user may report, and the token that lets her.

It is ``{"server": …, "community": …, "token": …}``, as JSON. A server is reached over https only, but for this machine
itself.
"""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass, field
from urllib.parse import urlsplit

from graphldp.errors import WireError
from graphldp.wire.community import ID_PATTERN
from graphldp.wire.strict import read_object

BEARER_PATTERN = "^[!-~]{1,200}$"
_NO_ADDRESS = "The invitation's server is not an address such as https://reports.example.org."


@dataclass(frozen=True)
class Invitation:
    """Where a user may report, and the token that lets her.

    Args:
        server: the collector's address.
        community: the community's id.
        token: the user's secret, for one slot.
    """

    server: str
    community: str
    token: str = field(repr=False)

    @staticmethod
    def from_json(text: str) -> Invitation:
        """Read an invitation."""
        try:
            fields = read_object(text)
        except WireError:
            fields = {}
        if set(fields) != {"server", "community", "token"} or not all(isinstance(v, str) for v in fields.values()):
            raise WireError('An invitation is JSON: {"server": "https://…", "community": "…", "token": "…"}.')
        if not re.fullmatch(ID_PATTERN, fields["community"]) or not re.fullmatch(BEARER_PATTERN, fields["token"]):
            raise WireError("The invitation's community or token is not one.")
        return Invitation(address(fields["server"]), fields["community"], fields["token"])

    def to_json(self) -> str:
        """What :meth:`from_json` reads."""
        return json.dumps(asdict(self))


def address(server: str) -> str:
    """A collector's address in the one way that it is kept: over https, or on this machine."""
    try:
        parts = urlsplit(server)
        usable = re.fullmatch(r"[\x21-\x7e]+", server) is not None and parts.port != 0
    except ValueError:  # brackets that do not close, a port that is none
        raise WireError(_NO_ADDRESS) from None
    local = parts.hostname in ("localhost", "127.0.0.1", "::1")
    if not usable or not parts.hostname or parts.username or parts.query or parts.fragment:
        raise WireError(_NO_ADDRESS)
    if parts.scheme != "https" and not (parts.scheme == "http" and local):
        raise WireError("The invitation's server must be reached over https.")
    return f"{parts.scheme}://{parts.netloc.lower()}{parts.path.rstrip('/')}"
