"""An invitation: where a user may report, and the token that lets her.

For a program it is ``{"server": …, "community": …, "token": …}``, as JSON. For a person it is a link to the page where
she takes part, ``https://SERVER/join#TOKEN/COMMUNITY``. A browser sends nothing of what stands after the ``#``, so no
server and no proxy on the way sees the token. Where somebody else hosts the page, the server's address follows:
``https://PAGE/join#TOKEN/COMMUNITY/https://SERVER``. A community's id ends the short form because it ends in a letter
or a digit: programs that find links in text leave out a hyphen or an underscore at the end, which a token may have.

A server is reached over https only, but for this machine itself.
"""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass, field
from urllib.parse import urlsplit

from graphldp.errors import WireError
from graphldp.wire.community import ID_PATTERN
from graphldp.wire.reading.strict import read_object

BEARER_PATTERN = "^[!-~]{1,200}$"
IN_LINK_PATTERN = "^[A-Za-z0-9._~-]{1,200}$"  # what stands in a link as it is
_PAGE = "/join"
_NO_LINK = "An invitation link is https://SERVER/join#TOKEN/COMMUNITY, whole and unchanged."
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
    def read(text: str) -> Invitation:
        """Read an invitation in either of its forms."""
        text = text.strip()
        return Invitation.from_json(text) if text.startswith("{") else Invitation.from_link(text)

    @staticmethod
    def from_link(link: str) -> Invitation:
        """Read an invitation from its link."""
        head, _, fragment = link.partition("#")
        page, parts = head.removesuffix(_PAGE), fragment.split("/", 2)
        if len(parts) < 2 or page == head or page.endswith("/") or not re.fullmatch(IN_LINK_PATTERN, parts[0]):
            raise WireError(_NO_LINK)
        token, community, *server = parts
        if not re.fullmatch(ID_PATTERN, community):
            raise WireError(_NO_LINK)
        host = address(page)  # checked also where it is not the server: it was shown the token
        return Invitation(address(server[0]) if server else host, community, token)

    def to_link(self, page: str | None = None) -> str:
        """What :meth:`from_link` reads.

        Args:
            page: the address under which somebody else hosts the page; the server's own by default.
        """
        server = address(self.server)
        host = server if page is None else address(page)
        link = f"{host}{_PAGE}#{self.token}/{self.community}" + ("" if host == server else f"/{server}")
        Invitation.from_link(link)  # a token that does not fit into a link
        return link

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
