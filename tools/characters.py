"""Write the characters that a name may hold, for both languages: ``python -m tools.characters`` on Python 3.11.

It takes what Unicode 14.0 calls printable, and leaves out what shows nothing all the same.
"""

from __future__ import annotations

import textwrap
import unicodedata
from itertools import groupby
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
VERSION = "14.0.0"
# ignored by default (U+034F to U+FFA0, variation selectors), or blank: Braille without dots, a null note, a filler
_BLANK = frozenset((0x34F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x3164, 0xFFA0, 0x2800, 0x1D159, 0x16FE4))
_SELECTORS = (range(0x180B, 0x1810), range(0xFE00, 0xFE10), range(0xE0100, 0xE01F0))
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_WIDTH = 114


def shown(point: int) -> bool:
    """Whether a name may hold a character."""
    return chr(point).isprintable() and point not in _BLANK and not any(point in each for each in _SELECTORS)


def runs() -> str:
    """How many characters follow each other that may not stand in a name, that may, …, to base 36."""
    return " ".join(_base36(len(list(group))) for _, group in groupby(range(0x110000), shown))


def texts() -> dict[Path, str]:
    """The files."""
    lines, about = textwrap.wrap(runs(), _WIDTH - 2), "Written by tools/characters.py."
    told = "What a name may hold, of Unicode 14.0: how many characters in a row may not, may, may not, …, to base 36."
    python = f'"""{told}\n\n{about}\n"""\n\nRUNS = (\n'
    python += "".join(f'    "{line}{" " if line is not lines[-1] else ""}"\n' for line in lines) + ")\n"
    script = f"/** {told} {about} */\nexport const RUNS =\n"
    script += " +\n".join(f'  "{line}{" " if line is not lines[-1] else ""}"' for line in lines) + ";\n"
    return {
        ROOT / "src/graphldp/wire/unicode14.py": python,
        ROOT / "clients/web/src/core/wire/unicode14.ts": script,
    }


def _base36(number: int) -> str:
    head = _base36(number // 36) if number >= 36 else ""
    return head + _DIGITS[number % 36]


if __name__ == "__main__":
    if unicodedata.unidata_version != VERSION:
        raise SystemExit(f"This Python has Unicode {unicodedata.unidata_version}, not {VERSION}.")
    for path, text in texts().items():
        path.write_text(text, encoding="utf-8")
