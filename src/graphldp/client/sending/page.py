"""A check of the page that a server offers its members: is it the page of this version?

A page comes from whoever runs the server, and could be another one than ours. So every file of it is fetched as a
browser asks for it, and compared with the installed one, byte for byte; and the headers that it comes with must let a
browser run these bytes and nothing else. It says what this machine was given now: a server can give others something
else, and a browser may have something older.
"""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING, NamedTuple

from graphldp.errors import MissingExtraError, SendError, WireError
from graphldp.wire import address
from graphldp.wire.bundle import (
    BUNDLE_LIST,
    HEADERS,
    PAGE,
    POLICY,
    TYPES,
    bundle_digest,
    installed_bundle,
    read_bundle_list,
)

if TYPE_CHECKING:
    import httpx

_LARGEST = 1 << 22
_TIMEOUT = 30.0
# as a browser asks, so that nobody tells us apart by our name and has another answer for us
_ASKED = {
    "User-Agent": (
        "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36"
    ),
    "Sec-CH-UA": '"Google Chrome";v="141", "Not?A_Brand";v="8", "Chromium";v="141"',
    "Sec-CH-UA-Mobile": "?0",
    "Sec-CH-UA-Platform": '"Linux"',
    "Accept-Language": "en-US,en;q=0.9",
    "Accept-Encoding": "identity",
}
_ASKED_FOR_PAGE = {
    "Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
    "Upgrade-Insecure-Requests": "1",
    "Sec-Fetch-Site": "none",
    "Sec-Fetch-Mode": "navigate",
    "Sec-Fetch-User": "?1",
    "Sec-Fetch-Dest": "document",
}
_ASKED_FOR_FILE = {"Accept": "*/*", "Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "cors"}
# what makes a browser load something else beside a file or after it, or forget the reports that it keeps
_REFUSED = ("Refresh", "Link", "Speculation-Rules", "Service-Worker-Allowed", "Clear-Site-Data", "Content-Encoding")
_REPEATED = ("x-content-type-options", "referrer-policy")  # by a proxy that adds them, too, and browsers do not mind
_SCRIPTS = ("text/javascript", "application/javascript")


class FileCheck(NamedTuple):
    """One file of the page.

    Args:
        file: its path.
        same: whether the server's is ours, and comes with the headers that it must have.
        found: what the server has, in words.
    """

    file: str
    same: bool
    found: str


class PageCheck(NamedTuple):
    """A comparison of a server's page with ours.

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
    try:
        with httpx.Client(timeout=_TIMEOUT, follow_redirects=False, headers=_ASKED) as client:
            theirs = {path: _fetched(client, server, path) for path in sorted(ours)}
    except httpx.TransportError as error:
        raise SendError(f"The server was not reached ({type(error).__name__}).") from None
    checks = [_compared(path, ours[path], theirs[path]) for path in sorted(ours)]
    return PageCheck(bundle_digest(ours[BUNDLE_LIST]), [*checks, *_further(ours, theirs[BUNDLE_LIST])])


def _fetched(client: httpx.Client, server: str, path: str) -> tuple[int, httpx.Headers, bytes]:
    """A file's status, headers and bytes."""
    where, asked = (f"{server}/join", _ASKED_FOR_PAGE) if path == PAGE else (f"{server}/{path}", _ASKED_FOR_FILE)
    with client.stream("GET", where, headers=asked) as answer:
        body = bytearray()
        for part in answer.iter_raw():
            body += part
            if len(body) > _LARGEST:
                raise SendError("The server's answer is larger than any file of a page.")
        return answer.status_code, answer.headers, bytes(body)


def _compared(path: str, ours: bytes, theirs: tuple[int, httpx.Headers, bytes]) -> FileCheck:
    status, headers, body = theirs
    if status != 200:
        return FileCheck(path, False, f"not there: the server answered {status}")
    if body != ours:
        return FileCheck(path, False, f"another: {len(body):,} bytes instead of {len(ours):,}")
    odd = [*_odd(path, headers), *(_odd_for_a_page(headers) if path == PAGE else [])]
    if odd:
        return FileCheck(path, False, f"the same bytes, but not what a browser makes of them: {'; '.join(odd)}")
    return FileCheck(path, True, "the same")


def _odd(path: str, headers: httpx.Headers) -> list[str]:
    """The fault of the headers that a file comes with."""
    wanted = TYPES[PurePath(path).suffix]
    kind, _, parameters = headers.get("content-type", "").lower().partition(";")
    same = kind.strip() == wanted or (wanted in _SCRIPTS and kind.strip() in _SCRIPTS)
    odd = [] if same and parameters.strip() in ("", "charset=utf-8") else [f"Content-Type is not {wanted}"]
    if _said(headers, "x-content-type-options").lower() != "nosniff":
        odd.append("X-Content-Type-Options is not nosniff")
    if not all(value.isascii() for value in headers.values()):
        odd.append("a header has spaces or letters that browsers do not read")
    return odd + [f"{name} must not be there" for name in _REFUSED if name in headers]


def _odd_for_a_page(headers: httpx.Headers) -> list[str]:
    """The fault of the further headers that the page itself comes with."""
    odd = [
        f"{name.title()} is not {value}"
        for name, value in HEADERS.items()
        if name != "content-security-policy" and _said(headers, name) != value
    ]
    if not {"no-store", "no-cache"} & {each.strip() for each in headers.get("cache-control", "").lower().split(",")}:
        odd.append("Cache-Control lets browsers keep an older page")
    policies = headers.get_list("content-security-policy")
    if not policies or not all(map(_is_policy, policies)):
        odd.append("Content-Security-Policy is not the page's")
    return odd


def _said(headers: httpx.Headers, name: str) -> str:
    """A header's value, once where a proxy says it again."""
    value = headers.get(name, "")  # all of that name, with commas between
    found = {each.strip() for each in value.split(",")} if name in _REPEATED else {value}
    return found.pop() if len(found) == 1 else ""


def _is_policy(theirs: str) -> bool:
    """Whether a policy is the page's own; one that is hosted elsewhere names its collector, too."""
    found, ours = _rules(theirs), _rules(POLICY)
    connect = found.get("connect-src", [])
    if len(connect) == 2 and _is_address(connect[1]):
        found["connect-src"] = connect[:1]
    return found == ours


def _is_address(text: str) -> bool:
    try:
        return bool(address(text))
    except WireError:
        return False


def _rules(policy: str) -> dict[str, list[str]]:
    """The rules by name; of two of one name a browser takes the first."""
    words = [rule.split() for rule in policy.split(";")]
    return {each[0].lower(): each[1:] for each in reversed(words) if each}


def _further(ours: dict[str, bytes], their_list: tuple[int, httpx.Headers, bytes]) -> list[FileCheck]:
    """Files that the server's list names and this version does not have."""
    try:
        named = read_bundle_list(their_list[2]) if their_list[0] == 200 else {}
    except WireError:
        named = {}
    return [FileCheck(path, False, "not of this version") for path in sorted(named.keys() - ours.keys())]
