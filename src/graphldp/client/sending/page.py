"""Is the page that a server offers its members the page of this version?

A page comes from whoever runs the server, and could be another one than ours. So every file of it is fetched and
compared with the installed one, byte for byte. It says what this machine was given now: a server can give others
something else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from graphldp.errors import MissingExtraError, SendError, WireError
from graphldp.wire import address
from graphldp.wire.bundle import BUNDLE_LIST, PAGE, bundle_digest, installed_bundle, read_bundle_list

if TYPE_CHECKING:
    import httpx

_LARGEST = 1 << 22
_TIMEOUT = 30.0


class FileCheck(NamedTuple):
    """One file of the page.

    Args:
        file: its path.
        same: whether the server's is ours.
        found: what the server has, in words.
    """

    file: str
    same: bool
    found: str


class PageCheck(NamedTuple):
    """What a server's page is beside ours.

    Args:
        digest: the digest of this version's bundle.
        files: what each file is.
    """

    digest: str
    files: list[FileCheck]

    @property
    def same(self) -> bool:
        """Whether all of it is ours."""
        return all(each.same for each in self.files)


def verify_page(url: str) -> PageCheck:
    """Compare a server's page with this version's, file by file.

    Args:
        url: the server's address, or that of its page. What stands after a ``#`` is nobody's business here.
    """
    try:
        import httpx
    except ModuleNotFoundError:
        raise MissingExtraError("Comparing a page", "client") from None
    server = address(url.partition("#")[0].rstrip("/").removesuffix("/join"))
    ours = installed_bundle()
    headers = {"Accept-Encoding": "identity", "User-Agent": "graphldp"}
    try:
        with httpx.Client(timeout=_TIMEOUT, follow_redirects=False, headers=headers) as client:
            theirs = {path: _fetched(client, server, path) for path in sorted(ours)}
    except httpx.TransportError as error:
        raise SendError(f"The server was not reached ({type(error).__name__}).") from None
    checks = [_compared(path, ours[path], theirs[path]) for path in sorted(ours)]
    return PageCheck(bundle_digest(ours[BUNDLE_LIST]), [*checks, *_further(ours, theirs[BUNDLE_LIST])])


def _fetched(client: httpx.Client, server: str, path: str) -> bytes | int:
    """A file's bytes, or the status that came instead of them."""
    where = f"{server}/join" if path == PAGE else f"{server}/{path}"
    with client.stream("GET", where) as answer:
        body = bytearray()
        for part in answer.iter_raw():
            body += part
            if len(body) > _LARGEST:
                raise SendError("The server's answer is larger than any file of a page.")
        return bytes(body) if answer.status_code == 200 else answer.status_code


def _compared(path: str, ours: bytes, theirs: bytes | int) -> FileCheck:
    if isinstance(theirs, int):
        return FileCheck(path, False, f"not there: the server answered {theirs}")
    if theirs != ours:
        return FileCheck(path, False, f"another: {len(theirs):,} bytes instead of {len(ours):,}")
    return FileCheck(path, True, "the same")


def _further(ours: dict[str, bytes], their_list: bytes | int) -> list[FileCheck]:
    """Files that the server's list names and this version does not have."""
    try:
        named = read_bundle_list(their_list) if isinstance(their_list, bytes) else {}
    except WireError:
        named = {}
    return [FileCheck(path, False, "not of this version") for path in sorted(named.keys() - ours.keys())]
