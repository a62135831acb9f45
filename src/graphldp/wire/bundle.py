"""The page that members open: of which files it consists, so that anybody can tell whether it is the one we built.

The page and its files are built from ``clients/web`` and come with the package. ``join/bundle.json`` lists them::

    {"files": {"join.html": "5a53…", "join/join-mwoBzq2c.js": "f2cb…"}}

with the SHA-256 of each. The SHA-256 of this list is the bundle's digest: the page shows it, and
``graphldp client verify-web`` compares a server's files with those of the installed version, and with what headers it
sends them.
"""

from __future__ import annotations

import re
from hashlib import sha256
from pathlib import Path

from graphldp.errors import WireError
from graphldp.wire.strict_json import read_object

PAGE = "join.html"
BUNDLE_LIST = "join/bundle.json"
TYPES = {
    ".html": "text/html",
    ".js": "text/javascript",
    ".css": "text/css",
    ".json": "application/json",
    ".svg": "image/svg+xml",
}
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; worker-src blob:; "
    "form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "referrer-policy": "no-referrer",
    "origin-agent-cluster": "?1",  # no page of a neighbouring name can become one origin with it (document.domain)
}
"""What every file of a page is sent with."""
_FOLDER = Path(__file__).parents[1] / "collector" / "web"
_PATH = re.compile(r"join\.html|join/[A-Za-z0-9_-]+\.[a-z]+")
_DIGEST = re.compile("[0-9a-f]{64}")


def installed_bundle() -> dict[str, bytes]:
    """The files of the installed version, its list included, by their paths."""
    listed = read_bundle_list((_FOLDER / BUNDLE_LIST).read_bytes())
    return {path: (_FOLDER / path).read_bytes() for path in (*listed, BUNDLE_LIST)}


def bundle_digest(bundle_list: bytes) -> str:
    """A bundle's digest, in hex."""
    return sha256(bundle_list).hexdigest()


def read_bundle_list(data: bytes) -> dict[str, str]:
    """The SHA-256 of each file of a bundle.

    Raises:
        WireError: where the bytes are no such list.
    """
    files = read_object(data).get("files")
    if not isinstance(files, dict) or not all(
        _PATH.fullmatch(path) and isinstance(digest, str) and _DIGEST.fullmatch(digest)
        for path, digest in files.items()
    ):
        raise WireError("These bytes are no list of a bundle's files.")
    return files
