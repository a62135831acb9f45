"""Two kernels that say what a chip gives: one reads what lies in the cache over and over, one does nothing."""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def read(x: tl.tensor, out: tl.tensor, blocks: tl.tensor, TIMES: tl.constexpr, BLOCK: tl.constexpr) -> None:
    """One program: the sum over some blocks, far from each other, of a tensor that all programs read."""
    place = tl.arange(0, BLOCK)
    total = tl.zeros([BLOCK], tl.float32)
    for step in range(TIMES):
        block = (tl.program_id(0) * 17 + step * 31) % blocks
        total += tl.load(x + block * BLOCK + place)
    tl.store(out + tl.program_id(0), tl.sum(total, 0))


@triton.jit
def nothing(out: tl.tensor) -> None:
    """One program writes one number."""
    tl.store(out, 0.0)
