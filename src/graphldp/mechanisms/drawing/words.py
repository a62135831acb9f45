"""What all compiled loops draw by: words of a user's stream, numbers between 0 and 1, and geometric skips."""

from __future__ import annotations

from math import log1p
from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic
from numpy.typing import NDArray

from graphldp.mechanisms.drawing.lanes import BLOCKS, sixteen_blocks
from graphldp.mechanisms.drawing.streams import MULTIPLIER, ROUNDS, WEYL, Key, Words

M0, M1 = np.uint64(MULTIPLIER[0]), np.uint64(MULTIPLIER[1])
W0, W1 = np.uint64(WEYL[0]), np.uint64(WEYL[1])
_TWELVE, _FRACTION = np.uint64(12), np.uint64(52)  # a double has 52 bits of fraction, below 12 of sign and exponent
_BELOW = np.uint64(2**52 - 1)  # the fraction
_ONE, _WHOLE = np.uint64(0x3FF0000000000000), np.uint64(0x4330000000000000)  # the bits of 1 and of 2^52
_LOG_2 = 0.6931471805599453
_CLOSE = 4e-11  # twice what the polynomial is off by
LONGEST = 2.0**31 - 1.0
"""A skip that ends every row."""
# The polynomials that Chebyshev's points give: log(3/2 + x) for |x| ≤ 1/2 to 2e-11, and −p/log(1 − p) for 0 < p ≤ 1/4
# to 1e-13.
_LOG = (
    0.40546510810549663,
    0.666666666232864,
    -0.2222222211844759,
    0.09876548022345195,
    -0.049382781791844875,
    0.026335928873289793,
    -0.014630360255576264,
    0.008381528132706068,
    -0.004894712229446482,
    0.0027584217275305294,
    -0.0016355419774323012,
    0.0014461127061180387,
    -0.0009097502880757122,
)
_RATE = (
    1.000000000000044,
    -0.5000000000347149,
    -0.08333332881910273,
    -0.04166689355584126,
    -0.02638312671536517,
    -0.018833434970976778,
    -0.013542194385128941,
    -0.015210022723402253,
    0.002437358281973141,
    -0.025968747564381497,
)


@intrinsic
def mulhi(typingctx: Any, a: Any, b: Any) -> Any:
    """The high word of a 64 × 64 bit product, one machine instruction."""

    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        wide = ir.IntType(128)
        product = builder.mul(builder.zext(args[0], wide), builder.zext(args[1], wide))
        return builder.trunc(builder.lshr(product, ir.Constant(wide, 64)), ir.IntType(64))

    return types.uint64(types.uint64, types.uint64), build


@intrinsic
def _wide(typingctx: Any, a: Any, b: Any) -> Any:
    """Both words of a 64 × 64 bit product, the high one first, by one machine instruction."""
    both = types.UniTuple(types.uint64, 2)

    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        wide, word = ir.IntType(128), ir.IntType(64)
        product = builder.mul(builder.zext(args[0], wide), builder.zext(args[1], wide))
        high = builder.trunc(builder.lshr(product, ir.Constant(wide, 64)), word)
        return context.make_tuple(builder, both, (high, builder.trunc(product, word)))

    return both(types.uint64, types.uint64), build


@njit(inline="always")
def _round(
    c0: np.uint64, c1: np.uint64, c2: np.uint64, c3: np.uint64, k0: np.uint64, k1: np.uint64
) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64]:
    """One of Philox's ten rounds."""
    high0, low0 = _wide(M0, c0)
    high1, low1 = _wide(M1, c2)
    return high1 ^ c1 ^ k0, low1, high0 ^ c3 ^ k1, low0


@njit(inline="always")
def block_of(block: int, user: int, graph: int, stream: np.uint64, key: Key, words: Words) -> None:
    """Four words of a user's stream."""
    c0, c1, c2, c3 = np.uint64(block + 1), np.uint64(user), np.uint64(graph), stream
    k0, k1 = key[0], key[1]
    for _ in range(ROUNDS):
        c0, c1, c2, c3 = _round(c0, c1, c2, c3, k0, k1)
        k0 += W0
        k1 += W1
    words[0], words[1], words[2], words[3] = c0, c1, c2, c3


@njit(inline="always")
def uniform(word: np.uint64) -> float:
    """As :func:`graphldp.mechanisms.drawing.streams.to_uniform`."""
    return (float(word >> np.uint64(12)) + 0.5) * 2.0**-52


@njit(inline="always")
def rate_of(probability: float) -> float:
    """What turns log U into a skip over failures; 0 where nothing is skipped."""
    return 1.0 / log1p(-probability) if 0.0 < probability < 1.0 else 0.0


@njit(nogil=True, cache=True, _nrt=False)
def draw_blocks(key: Key, counters: Words, words: Words, first: int, count: int) -> None:
    """Turn counters, their four parts one after the other, into words; up to fifteen blocks more are overwritten."""
    room, low, high = len(counters) // 4, key[0], key[1]
    for block in range(first, first + count, BLOCKS):
        sixteen_blocks(counters, room, block, low, high, words)


@njit(inline="always")
def about_rate_of(probability: float) -> float:
    """:func:`rate_of` to twelve digits, as :func:`whole_skips` needs it, without waiting for a logarithm."""
    if 1e-300 < probability < 0.25:
        p, series = probability, 0.0
        for i in range(len(_RATE) - 1, -1, -1):
            series = series * p + _RATE[i]
        return -series / p
    return rate_of(probability)


@njit(nogil=True, cache=True, error_model="numpy", fastmath={"contract"}, _nrt=False)
def whole_skips(words: Words, rates: NDArray[np.float64], skips: NDArray[np.int32], first: int, count: int) -> None:
    """The whole parts of log U · rate, or −1 where a border between two of them is so near that rounding matters.

    There is no call and no branch in the loop, so several words are taken at a time. With U = 2^k m and 1 ≤ m < 2,
    log U is k log 2 + log m, and a polynomial gives log m.
    """
    words, rates, skips = words[first:], rates[first:], skips[first:]  # so that no index can be below 0
    for i in range(count):
        number = np.uint64(words[i] >> _TWELVE | _ONE).view(np.float64) - (1.0 - 2.0**-53)  # uniform(words[i])
        bits = np.float64(number).view(np.uint64)
        x = np.uint64(bits & _BELOW | _ONE).view(np.float64) - 1.5
        k = np.uint64(bits >> _FRACTION | _WHOLE).view(np.float64) - (2.0**52 + 1023.0)
        x2 = x * x
        x4 = x2 * x2
        low = (_LOG[0] + _LOG[1] * x) + (_LOG[2] + _LOG[3] * x) * x2
        middle = (_LOG[4] + _LOG[5] * x) + (_LOG[6] + _LOG[7] * x) * x2
        high = (_LOG[8] + _LOG[9] * x) + (_LOG[10] + _LOG[11] * x) * x2 + _LOG[12] * x4
        skip = (k * _LOG_2 + (low + (middle + high * x4) * x4)) * rates[i]
        near = max(rates[i] * _CLOSE, -1e300)  # finite where the rate is not
        least, most = np.int32(min(skip + near, LONGEST)), np.int32(min(skip - near, LONGEST))
        skips[i] = least if least == most else np.int32(-1)
