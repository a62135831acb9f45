"""Text from elsewhere, made fit to be shown.

A name in a file or an answer of a server may hold escape sequences. A terminal obeys them: they can hide text, change
the title or write to the clipboard. Characters that change the direction of writing can make one name look like
another.
"""

from __future__ import annotations

import re

_INVISIBLE = re.compile(r"[^ -~]")


def printable(text: object) -> str:
    r"""One line that shows ``text`` and does nothing else: what cannot be seen is spelled out, as in ``\x1b``."""
    return _INVISIBLE.sub(_spelled, str(text))


def _spelled(found: re.Match[str]) -> str:
    character = found[0]
    return character if character.isprintable() else character.encode("unicode_escape").decode("ascii")
