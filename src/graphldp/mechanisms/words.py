"""What all compiled loops draw by: words of a user's stream, numbers between 0 and 1, and geometric skips."""

from __future__ import annotations

from math import log1p
from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic
from numpy.typing import NDArray

from graphldp.mechanisms.streams import MULTIPLIER, ROUNDS, WEYL, Key, Words

M0, M1 = np.uint64(MULTIPLIER[0]), np.uint64(MULTIPLIER[1])
W0, W1 = np.uint64(WEYL[0]), np.uint64(WEYL[1])
_TWELVE, _FRACTION = np.uint64(12), np.uint64(52)  # a double has 52 bits of fraction, below 12 of sign and exponent
_ONE, _WHOLE = np.uint64(0x3FF0000000000000), np.uint64(0x4330000000000000)  # the bits of 1 and of 2^52
_FROM_ROOT = np.uint64(0x3FF0000000000000 - 0x3FE6A09E667F3BCD)  # from √½ to 1
_LOG_2 = 0.6931471805599453
_CLOSE = 1e-10  # far more than the polynomial is off by
_LONGEST = 2.0**31 - 1.0  # ends every row


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
    """As :func:`graphldp.mechanisms.streams.to_uniform`."""
    return (float(word >> np.uint64(12)) + 0.5) * 2.0**-52


@njit(inline="always")
def rate_of(probability: float) -> float:
    """What turns log U into a skip over failures; 0 where nothing is skipped."""
    return 1.0 / log1p(-probability) if 0.0 < probability < 1.0 else 0.0


@njit(nogil=True, cache=True, _nrt=False)
def draw_blocks(key: Key, words: Words, first: int, count: int) -> None:
    """Turn counters into words, four of each block, from block ``first`` on.

    Two blocks are drawn at a time, since a round of one waits for its products as long as a round of the other takes.
    Where ``count`` is odd, one block more is overwritten.
    """
    words = words[4 * first :]
    for pair in range((count + 1) // 2):
        i = 8 * pair
        a0, a1, a2, a3 = words[i], words[i + 1], words[i + 2], words[i + 3]
        b0, b1, b2, b3 = words[i + 4], words[i + 5], words[i + 6], words[i + 7]
        k0, k1 = key[0], key[1]
        for _ in range(ROUNDS):
            a0, a1, a2, a3 = _round(a0, a1, a2, a3, k0, k1)
            b0, b1, b2, b3 = _round(b0, b1, b2, b3, k0, k1)
            k0 += W0
            k1 += W1
        words[i], words[i + 1], words[i + 2], words[i + 3] = a0, a1, a2, a3
        words[i + 4], words[i + 5], words[i + 6], words[i + 7] = b0, b1, b2, b3


@njit(inline="always")
def _series(t: float) -> float:
    """2 (t + t³/3 + t⁵/5 + …) = log((1 + t)/(1 − t)), seven terms."""
    z = t * t
    return 2.0 * t * (1.0 + z * (1 / 3 + z * (1 / 5 + z * (1 / 7 + z * (1 / 9 + z * (1 / 11 + z * (1 / 13)))))))


@njit(inline="always")
def about_rate_of(probability: float) -> float:
    """:func:`rate_of` to twelve digits, as :func:`whole_skips` needs it, without waiting for a logarithm."""
    if 1e-300 < probability < 0.25:
        return -1.0 / _series(probability / (2.0 - probability))
    return rate_of(probability)


@njit(nogil=True, cache=True, error_model="numpy", fastmath={"contract"}, _nrt=False)
def whole_skips(words: Words, rates: NDArray[np.float64], skips: NDArray[np.int32], first: int, count: int) -> None:
    """The whole parts of log U · rate, or −1 where a border between two of them is so near that rounding matters.

    There is no call and no branch in the loop, so several words are taken at a time. With U = 2^k m and √½ ≤ m < √2,

        log U = k log 2 + 2 (t + t³/3 + t⁵/5 + …),   t = (m − 1)/(m + 1),

    and seven terms are off by less than 2e-12 of the sum, as |t| < 0.172.
    """
    words, rates, skips = words[first:], rates[first:], skips[first:]  # so that no index can be below 0
    for i in range(count):
        number = np.uint64(words[i] >> _TWELVE | _ONE).view(np.float64) - (1.0 - 2.0**-53)  # uniform(words[i])
        bits = np.float64(number).view(np.uint64)
        exponent = (bits + _FROM_ROOT) >> _FRACTION
        m = np.uint64(bits - (exponent << _FRACTION) + _ONE).view(np.float64)
        k = np.uint64(exponent | _WHOLE).view(np.float64) - (2.0**52 + 1023.0)
        skip = (k * _LOG_2 + _series((m - 1.0) / (m + 1.0))) * rates[i]
        low = np.floor(min(skip * (1.0 - _CLOSE), _LONGEST))
        high = np.floor(min(skip * (1.0 + _CLOSE), _LONGEST))
        skips[i] = np.int32(low) if low == high else np.int32(-1)
