"""A roster: its digest, by which members see that they were shown the same one, and which names it may hold.

Names are judged so that every client takes it or refuses it, and for the same reason.

A name has 1 to 200 characters, counted as Unicode code points, and each of them can be seen: no control, format or
private character, nothing that is blank or ignored when text is shown, and nothing that Unicode 14.0 does not have.
Every Python and browser that runs a client knows that version, and no later one changes how its characters are
normalized or folded: so the rule does not depend on whose machine checks it. A name begins and ends with something else
than a space, has no two spaces in a row, and is in normal form C.

A member picks her friends by what she sees, so no two names of a roster look alike. How names look is a small table
and no more: letters of other alphabets, and marks, that most typefaces draw like Latin ones, and what Unicode itself
calls another form of a letter. Letters that most typefaces draw apart (l and 1, O and 0) stay apart.
"""

from __future__ import annotations

import re
import struct
import unicodedata
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from graphldp.errors import WireError
from graphldp.wire.unicode14 import RUNS

if TYPE_CHECKING:
    from hashlib import _Hash

LONGEST_NAME = 200
_MARK = b"\xff" * 8  # no name is so long
_GROUPS, _DIGITS = 8, 4  # of a digest as people compare it
_LOOKS = str.maketrans(
    "АВЕЅІЈКМНОРСТХаеіјорсухѕԁԛԝһѴѵӀӏԌЗҮԚԜәӘӕӔӡӠԑԐ"  # Cyrillic
    "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧοναικρυωϲϜϹϳͿϺεͻ"  # Greek
    "օսոհզցյՕՍՏԼ"  # Armenian
    "ᎪᏴᏟᎠᎬᏀᎻᎫᏦᏞᎷᏢᏒᏚᎢᏙᎳᏃꮯꮃꮪꮩꮓ"  # Cherokee
    "ꓐꓑꓓꓔꓖꓗꓙꓚꓜꓝꓟꓠꓡꓢꓣꓦꓧꓪꓫꓬꓮꓰꓲꓳꓴ"  # Lisu
    "ⲞⲟⲢⲣⲤⲥⵔⵝ"  # Coptic, Tifinagh
    "へロカニトハエタオー"  # Hiragana, Katakana
    "ɑɡᴄᴏᴠᴡᴢꜱᴑɩǝÐƉ"
    "‐‒–−⁃˗ⲻ’‘ʼ′ʹꞌˈ՚‧⁄∕∶꞉ǃ"
    "\u0305\u0326\u0332",  # lines and a comma at a letter
    "ABESIJKMHOPCTXaeijopcyxsdqwhVvIlG3YQWəƏæÆʒƷɛƐ"
    "ABEZHIKMNOPTYXovaikpuwcFCjJMɛɔ"
    "ounhqgjOUSL"
    "ABCDEGHJKLMPRSTVWZcwsvz"
    "BPDTGKJCZFMNLSRVHWXYAEIOU"
    "OoPpCcOX"
    "ヘ口力二卜八工夕才一"
    "agcovwzsoiəĐĐ"
    "-------''''''''·//::!"
    "\u0304\u0327\u0331",
)
_DOTLESS = str.maketrans("\u0131\u0237", "ij")
_UNDER_MARK = re.compile("[\u0131\u0237](?=[\u0300-\u036f])")  # an i or j has no dot under a mark either
_DOTTED_TWICE = re.compile("([ij][\u0316-\u0333]*)\u0307")  # drawn with one dot
_STRUCK = dict(zip("bdhilotzBDHILOTZ", "ƀđħɨłøŧƶɃĐĦƗŁØŦƵ", strict=True))
_STRIKE = re.compile(f"([{''.join(_STRUCK)}])[\u0335-\u0338]")  # a stroke that is a mark of its own


def plain(name: str) -> str:
    """A name as it is compared: without regard to case, an @ in front, and the ways Unicode has to write one letter."""
    return unicodedata.normalize("NFC", name.strip().removeprefix("@")).casefold()


def look(name: str) -> str:
    """A name by its look: two names with the same one can hardly be told apart."""
    # before letters fall apart, which makes others of some, and after it, where their marks stand apart
    latin = unicodedata.normalize("NFKD", name.translate(_LOOKS)).translate(_LOOKS)
    latin = _STRIKE.sub(lambda each: _STRUCK[each[1]], latin)
    return plain(_DOTTED_TWICE.sub(r"\1", _UNDER_MARK.sub(lambda each: each[0].translate(_DOTLESS), latin)))


def is_shown(text: str) -> bool:
    """Whether every character of a text can be seen, and does nothing else to a screen."""
    if text.isascii():
        return text.isprintable()
    hidden = _hidden()
    return not any(hidden[ord(each)] for each in text)


def check_text(what: str, value: Any, most: int = LONGEST_NAME) -> str:
    """A text that people are shown; what a terminal would obey, or what hides text, is refused.

    Args:
        what: what to call it where something is wrong.
        value: what was given.
        most: how many characters it may have.
    """
    fault = _fault(value, most) if type(value) is str else "is not text"
    if fault:
        raise WireError(f"{what} {fault}.")
    return str(value)


def check_name(value: Any) -> str:
    """The name of a community, a group or a choice."""
    return check_text("A name", value)


def check_names(names: Sequence[str]) -> None:
    """Refuse a roster that holds what is no name, or two names that clients or people could not tell apart.

    Raises:
        WireError: it says where the names are, not what they are.
    """
    seen: dict[str, int] = {}
    for place, name in enumerate(names):
        if fault := _fault(name):
            raise WireError(f"{_DISTINCT}; name {place + 1:,} {fault}.")
        compared = plain(name)
        for seems in (compared,) if name.isascii() else (compared, look(name)):
            first = seen.setdefault(seems, place)
            if first != place:
                why = _SAME if plain(names[first]) == compared else _ALIKE
                raise WireError(f"{_DISTINCT}; names {first + 1:,} and {place + 1:,} {why}.")


_DISTINCT = "A roster must hold distinct, printable names"
_SAME = "are the same to every client: case, an @ in front and how a letter is written do not count"
_ALIKE = "look alike and are spelled with other characters, so members would take one for the other"


def _fault(name: str, most: int = LONGEST_NAME) -> str | None:
    """What is wrong with one name or text."""
    if not 1 <= len(name) <= most:
        return f"does not have 1 to {most} characters"
    if not is_shown(name):
        return "is not printable"
    if unicodedata.category(name.removeprefix("@")[:1] or "@").startswith("M"):
        return "begins with a mark that belongs to a letter before it"
    if name[0] == " " or name[-1] == " " or "  " in name or name.startswith("@ ") or name == "@":
        return "has a space too many, or nothing but an @"
    if not unicodedata.is_normalized("NFC", name):
        return "is not in Unicode's normal form C"
    return None


@cache
def _hidden() -> bytes:
    """A byte for each code point: 1 where it cannot be seen."""
    found, hidden = bytearray(), 1
    for run in RUNS.split():
        found += bytes((hidden,)) * int(run, 36)
        hidden = 1 - hidden
    return bytes(found)


def roster_digest(names: Sequence[str], group_names: Sequence[str] = (), groups: Sequence[int] = ()) -> str:
    """SHA-256 of a roster, in hex: of each name its length as eight bytes, big-endian, then its UTF-8 bytes.

    The lengths keep two rosters apart whose names run together, whatever characters the names hold. In a community with
    groups it goes on: eight bytes of 255, the groups' names in the same way, eight bytes of 255, and the number of each
    user's group as eight bytes.
    """
    total = sha256()
    _add(total, names)
    if group_names:
        total.update(_MARK)
        _add(total, group_names)
        total.update(_MARK + struct.pack(f">{len(groups)}Q", *groups))
    return total.hexdigest()


def _add(total: _Hash, names: Sequence[str]) -> None:
    for name in names:
        data = name.encode()
        total.update(len(data).to_bytes(8, "big") + data)


def spoken(digest: str) -> str:
    """The first 128 bits of a digest in groups, for two members to compare by voice.

    Fewer would not do: whoever makes both rosters looks for two that agree, and finds them after the square root of
    all values.
    """
    return " ".join(digest[start : start + _DIGITS] for start in range(0, _GROUPS * _DIGITS, _DIGITS))
