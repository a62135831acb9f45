"""Text from elsewhere, made fit to be shown in a terminal, a notebook or a spreadsheet.

A name in a file or an answer of a server may hold escape sequences. A terminal obeys them: they can hide text, change
the title or write to the clipboard. Characters that change the direction of writing can make one name look like
another.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Mapping

_FORMULAS = ("=", "+", "-", "@", "\t", "\r")  # how a cell begins that a spreadsheet computes
_INVISIBLE = re.compile(r"[^ -~]")


def printable(text: object) -> str:
    r"""One line that shows ``text`` and does nothing else: what cannot be seen is spelled out, as in ``\x1b``."""
    return _INVISIBLE.sub(_spelled, str(text))


def _spelled(found: re.Match[str]) -> str:
    character = found[0]
    return character if character.isprintable() else character.encode("unicode_escape").decode("ascii")


def as_text(cell: str) -> str:
    """A cell that is text in every spreadsheet: with an apostrophe before it where it would be computed."""
    return f"'{cell}" if cell.lstrip(" ").startswith(_FORMULAS) else cell


def csv_line(cells: Iterable[object]) -> str:
    """One line of CSV."""
    line = io.StringIO(newline="")
    csv.writer(line).writerow(cells)
    return line.getvalue()


def facts(title: str, found: Mapping[str, object]) -> str:
    """A few facts as a small table, for a notebook; what is None is left out."""
    from html import escape  # every command imports this module, and few write HTML

    left = ' style="text-align:left"'
    rows = "".join(
        f"<tr><th{left}>{escape(name)}</th><td{left}>{escape(_shown(value))}</td></tr>"
        for name, value in found.items()
        if value is not None
    )
    return f"<table><caption>{escape(printable(title))}</caption><tbody>{rows}</tbody></table>"


def _shown(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else printable(value)
