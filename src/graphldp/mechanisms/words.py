"""What all compiled loops draw by: words of a user's stream, numbers between 0 and 1, and geometric skips."""

from __future__ import annotations

from math import log, log1p
from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic
from numpy.typing import NDArray

from graphldp.mechanisms.streams import MULTIPLIER, ROUNDS, WEYL, Key, Words

M0, M1 = np.uint64(MULTIPLIER[0]), np.uint64(MULTIPLIER[1])
W0, W1 = np.uint64(WEYL[0]), np.uint64(WEYL[1])


@intrinsic
def mulhi(typingctx: Any, a: Any, b: Any) -> Any:
    """The high word of a 64 × 64 bit product, one machine instruction."""

    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        wide = ir.IntType(128)
        product = builder.mul(builder.zext(args[0], wide), builder.zext(args[1], wide))
        return builder.trunc(builder.lshr(product, ir.Constant(wide, 64)), ir.IntType(64))

    return types.uint64(types.uint64, types.uint64), build


@njit(inline="always")
def block_of(block: int, user: int, graph: int, stream: np.uint64, key: Key, words: Words) -> None:
    """Four words of a user's stream."""
    c0, c1, c2, c3 = np.uint64(block + 1), np.uint64(user), np.uint64(graph), stream
    k0, k1 = key[0], key[1]
    for _ in range(ROUNDS):
        high0, low0, high1, low1 = mulhi(M0, c0), M0 * c0, mulhi(M1, c2), M1 * c2
        c0, c1, c2, c3 = high1 ^ c1 ^ k0, low1, high0 ^ c3 ^ k1, low0
        k0 += W0
        k1 += W1
    words[0], words[1], words[2], words[3] = c0, c1, c2, c3


@njit(inline="always")
def uniform(word: np.uint64) -> float:
    """As :func:`graphldp.mechanisms.streams.to_uniform`."""
    return (float(word >> np.uint64(12)) + 0.5) * 2.0**-52


@njit(inline="always")
def skips(
    number: int, user: int, graph: int, stream: np.uint64, rate: float, key: Key, words: Words, out: NDArray[np.float64]
) -> None:
    """Four geometric skips at once: their logarithms do not wait for each other."""
    block_of(number >> 2, user, graph, stream, key, words)
    for i in range(4):
        out[i] = log(uniform(words[i])) * rate


@njit(inline="always")
def rate_of(probability: float) -> float:
    """What turns log U into a skip over failures; 0 where nothing is skipped."""
    return 1.0 / log1p(-probability) if 0.0 < probability < 1.0 else 0.0
