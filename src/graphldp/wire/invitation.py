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
from ipaddress import IPv4Address, IPv6Address

from graphldp.errors import WireError
from graphldp.wire.community import ID_PATTERN
from graphldp.wire.strict_json import read_object

BEARER_PATTERN = "^[!-~]{1,200}$"
IN_LINK_PATTERN = "^[A-Za-z0-9._~-]{1,200}$"  # what stands in a link as it is
_PAGE = "/join"
_NO_LINK = "An invitation link is https://SERVER/join#TOKEN/COMMUNITY, whole and unchanged."
_HOST = r"[a-z0-9_-]+(?:\.[a-z0-9_-]+)*\.?"
_PATH = r"(?:/(?!\.{1,2}(?:/|$))[a-z0-9._~-]+)*/*"
_ADDRESS = re.compile(rf"(https?)://(\[[0-9a-f:]+\]|{_HOST})(?::([0-9]{{1,9}}))?({_PATH})", re.IGNORECASE | re.ASCII)
_NUMBER = re.compile("[0-9]+|0x[0-9a-f]*")  # what makes a host an IPv4 address, to browsers
_LOCAL = ("localhost", "127.0.0.1", "[::1]")
_PORTS = {"https": 443, "http": 80}
_LAST_PORT = (1 << 16) - 1
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
    """A collector's address in the one way that it is kept: over https, or on this machine.

    Two ways to write one address give the same text, by which vault and ledger know a server: capitals, the port that
    goes without saying, zeros in front of one, a dot after the host, slashes at the end, and zeros in an IPv6 address
    do not count. What else programs read in several ways (127.1, percent signs, a path with dots) is refused.
    """
    found = _ADDRESS.fullmatch(server)
    if found is None:
        raise WireError(_NO_ADDRESS)
    scheme, host, port, path = found[1].lower(), _host(found[2].lower()), int(found[3] or 0), found[4].rstrip("/")
    if found[3] is not None and not 1 <= port <= _LAST_PORT:
        raise WireError(_NO_ADDRESS)
    if scheme != "https" and host not in _LOCAL:
        raise WireError("The invitation's server must be reached over https.")
    return f"{scheme}://{host}{f':{port}' if port not in (0, _PORTS[scheme]) else ''}{path}"


def _host(host: str) -> str:
    """A host in its one form."""
    host = host.removesuffix(".")
    try:
        if host.startswith("["):
            ip = IPv6Address(host[1:-1])
            if ip.ipv4_mapped is None:
                return f"[{ip.compressed}]"
        elif not _NUMBER.fullmatch(host.rpartition(".")[2]):
            return host
        else:
            return str(IPv4Address(host))
    except ValueError:
        pass
    raise WireError(_NO_ADDRESS)
