"""Names that look alike: of another alphabet, or of another form of the same letters.

A member picks her friends by what she sees. Where two names of one roster look the same, she counts the wrong one.
Clients compare names by :func:`graphldp.wire.plain`, which keeps such names apart, so a roster must not hold both.
"""

from __future__ import annotations

import unicodedata

from graphldp.wire import plain

# letters that most typefaces draw like the Latin one below; within one alphabet (l and 1, O and 0) names stay apart
_LOOKS = str.maketrans(
    "АВЕЅІЈКМНОРСТХаеіјорсухѕԁԛԝһ" + "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧονϲ" + "օսոՕ",
    "ABESIJKMHOPCTXaeijopcyxsdqwh" + "ABEZHIKMNOPTYXovc" + "oun" + "O",
)


def look(name: str) -> str:
    """A name by its look: two names with the same one can hardly be told apart."""
    return plain(unicodedata.normalize("NFKC", name).translate(_LOOKS))
