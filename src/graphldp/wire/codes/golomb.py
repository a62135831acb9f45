"""Sorted positions as bits: a Rice code of the gaps (Golomb 1966; Rice 1979), in plain Python.

Of m positions below ``size``, gap g is the number of positions skipped since the one before. With the parameter k:

    the k low bits of every gap, then every ⌊g/2ᵏ⌋ in unary (that many zeros, then a one), then zeros to a whole byte

Both halves are laid side by side instead of interleaved, so that each is read as a whole. k = 0 has no low bits, and
its unary half is the bitmap of the positions up to the last one: no list costs more than its bitmap. k is the smallest
that gives the fewest bits, so every set of positions has exactly one code, and a reader refuses any other.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate, chain, compress
from operator import sub

from graphldp.errors import WireError

LONGEST = 1024  # bytes that are looked at as one number; arrays look at more of them faster
_BITS, _DIGITS = bytes.maketrans(b"01", b"\0\1"), bytes.maketrans(b"\0\1", b"01")


def pack(positions: Sequence[int]) -> tuple[int, bytes]:
    """The best k and the bits of sorted, distinct positions."""
    m = len(positions)
    if not m:
        return 0, b""
    gaps = [step - 1 for step in map(sub, positions, chain((-1,), positions))]
    k, high = _best(gaps, positions[-1] + 1 - m)
    ones = [end + place for place, end in enumerate(accumulate(high), m * k)]
    digits = bytearray(b"0") * (-(-(ones[-1] + 1) // 8) * 8)
    for one in ones:
        digits[one] = 49  # "1"
    each = int.from_bytes(b"\1" * m)
    for place in range(0, k, 8):  # numbers of a byte each, whose bits of one place are all taken at once
        bits = min(8, k - place)
        low = int.from_bytes([gap >> k - place - bits & (1 << bits) - 1 for gap in gaps])
        for within in range(bits):
            bit_of_each = (low >> bits - 1 - within & each).to_bytes(m)
            digits[place + within : m * k : k] = bit_of_each.translate(_DIGITS)
    return k, int(digits, 2).to_bytes(len(digits) // 8)


def unpack(data: bytes, k: int, m: int, size: int) -> list[int]:
    """The m positions below ``size`` that ``data`` holds.

    Raises:
        WireError: for anything that :func:`pack` would not have written.
    """
    if m * (k + 1) > 8 * len(data):
        raise WireError("The list is cut short.")
    digits = f"{int.from_bytes(data):0{8 * len(data)}b}" if data else ""
    bits = digits.encode().translate(_BITS)
    ones = list(compress(range(len(bits)), bits[m * k :]))
    if len(ones) != m:
        raise WireError("The list does not hold as many entries as its header says.")
    used = m * k + (ones[-1] + 1 if m else 0)
    if -(-used // 8) != len(data):
        raise WireError("The list is followed by bytes that mean nothing.")
    found = ones
    if k:
        found = [(one - place << k) + place for place, one in enumerate(ones)]
        for place in range(0, k, 8):
            width = min(8, k - place)
            numbers = (int.from_bytes(bits[place + i : m * k : k]) << width - 1 - i for i in range(width))
            low = accumulate(sum(numbers).to_bytes(m))
            found = [one + (more << k - place - width) for one, more in zip(found, low, strict=True)]
    if m and found[-1] >= size:
        raise WireError("The list names users beyond the community's last.")
    unary = digits[m * k : used]  # a low bit more saves a zero of every two, and one that is left over
    if len(unary.replace("00", "0")) > 2 * m or (k and len(unary) + digits[: m * k : k].count("1") <= 2 * m):
        raise WireError("The list is not in its shortest code.")
    return found


def _best(gaps: Sequence[int], total: int) -> tuple[int, list[int]]:
    """The smallest k with the fewest bits, m(k + 1) + Σ⌊g/2ᵏ⌋, and each ⌊g/2ᵏ⌋.

    One more low bit costs m and saves Σ⌊g/2ᵏ⌋ − Σ⌊g/2ᵏ⁺¹⌋, which only shrinks with k: the first that does not pay is
    the best. It pays as long as Σg is above 3m2ᵏ, so the search begins there.
    """
    m, k = len(gaps), 0
    while total > 3 * m << k:
        k += 1
    high = [gap >> k for gap in gaps] if k else list(gaps)
    left = sum(high)
    while True:
        half = [each >> 1 for each in high]
        less = sum(half)
        if left - less <= m:
            return k, high
        k, high, left = k + 1, half, less


def fits(data: bytes, k: int, m: int, size: int) -> bool:
    """Whether ``data`` is the one code of m positions below ``size``, as :func:`unpack` finds out.

    The bits are one number too: what is asked of all gaps at once takes a few operations on it.
    """
    if len(data) > LONGEST:
        from graphldp.wire.codes.long_lists import fits_long  # NumPy, which a client does without

        return fits_long(data, k, m, size)
    bits = int.from_bytes(data)
    width = 8 * len(data) - m * k
    if width < 0:
        return False
    low, high = bits >> width, bits & (1 << width) - 1  # the k low bits of every gap; the rest of it in unary
    padding = (high & -high).bit_length() - 1 if m else width
    unary = width - padding  # m ones, and as many zeros as the gaps' high parts add up to
    if high.bit_count() != m or not 0 <= padding < 8:
        return False
    # the smallest k with the fewest bits, as pack finds it: this one does not pay, the last one did
    if unary > 2 * m and len(f"{high >> padding:0{unary}b}".replace("00", "0")) > 2 * m:
        return False
    each = _repeated_one(m, k)
    if k and unary + (low >> k - 1 & each).bit_count() <= 2 * m:
        return False
    gaps = unary - m << k
    if k and m <= 2 << k:  # every other gap in a place twice as wide: what these add up to is what is left of them
        modulus, others = (1 << 2 * k) - 1, _repeated_one((m + 1) // 2, 2 * k) * ((1 << k) - 1)
        gaps += (low & others) % modulus + (low >> k & others) % modulus
    else:
        for place in range(k):
            gaps += (low >> place & each).bit_count() << place
    return gaps + m <= size


@lru_cache(maxsize=4096)
def _repeated_one(m: int, k: int) -> int:
    """A one in the lowest bit of each of m numbers of k bits."""
    return ((1 << m * k) - 1) // ((1 << k) - 1) if k else 0
