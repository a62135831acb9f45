"""A file's text, for what reads names from it."""

from __future__ import annotations

from pathlib import Path

from graphldp.errors import FormatError


def read_text(path: Path) -> str:
    """A file's text.

    Raises:
        FormatError: for one that is not in UTF-8.
    """
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise FormatError(f"{path}: not text in UTF-8.") from None
