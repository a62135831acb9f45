"""A link as a QR code, to print on paper or to show on a screen."""

from __future__ import annotations

import io

import segno

from graphldp.errors import ParameterError


def svg(link: str, *, sized: bool = True) -> str:
    """A drawing of a link, with the white border that scanners need, on white: it is read in a dark window too.

    Args:
        link: what it stands for.
        sized: whether it has a size of its own. A page that says how large it is takes one without, which scales.
    """
    try:
        code = segno.make_qr(link, error="m")
    except segno.DataOverflowError:
        raise ParameterError("The link is too long for a QR code; give shorter addresses.") from None
    drawn = io.BytesIO()
    code.save(drawn, kind="svg", scale=8 if sized else 1, border=4, light="white", omitsize=not sized)
    return drawn.getvalue().decode()
