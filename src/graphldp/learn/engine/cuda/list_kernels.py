"""Kernels in Triton that sum over lists and graphs: what one program computes. ``lists.py`` starts them."""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def aggregate(
    x: tl.tensor, out: tl.tensor, start: tl.tensor, length: tl.tensor, shift: tl.tensor, col: tl.tensor,
    val: tl.tensor, block: tl.tensor, sums: tl.tensor, counts: tl.tensor, PLUS: tl.constexpr, CHANNELS: tl.constexpr,
    WIDTH: tl.constexpr, ROWS: tl.constexpr, ENTRIES: tl.constexpr,
) -> None:  # fmt: skip
    """Some rows: the weighted sum over the entries of each, plus what its graph hands back, for each of its users."""
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    own, entries, away = tl.load(start + row), tl.load(length + row), tl.load(shift + row)
    c = tl.arange(0, WIDTH)
    inside = (c < CHANNELS)[None, :]
    if PLUS:
        of = tl.load(block + row).to(tl.int64)
        total = tl.load(sums + of[:, None] * CHANNELS + c[None, :], mask=inside, other=0.0)
        total = total * tl.load(counts + row)[:, None]
    else:
        total = tl.zeros([ROWS, WIDTH], tl.float32)
    for begin in range(0, tl.max(entries, 0), ENTRIES):
        entry = begin + tl.arange(0, ENTRIES)[None, :]
        live = entry < entries[:, None]
        column = tl.load(col + own[:, None] + entry, mask=live, other=0) + away[:, None]
        weight = tl.load(val + own[:, None] + entry, mask=live, other=0.0)
        where = x + column.to(tl.int64)[:, :, None] * CHANNELS + c[None, None, :]
        mask = live[:, :, None]
        if CHANNELS < WIDTH:  # a mask that is known to hold costs time
            mask = mask & (c < CHANNELS)[None, None, :]
        each = tl.load(where, mask=mask, other=0.0).to(tl.float32)
        total += tl.sum(each * weight[:, :, None], 1)
    tl.store(out + row.to(tl.int64)[:, None] * CHANNELS + c[None, :], total, mask=inside)


@triton.jit
def aggregate_narrow(
    x: tl.tensor, out: tl.tensor, start: tl.tensor, length: tl.tensor, shift: tl.tensor, col: tl.tensor,
    val: tl.tensor, channels: tl.tensor, BLOCK: tl.constexpr,
) -> None:  # fmt: skip
    """A block of rows of one channel: few channels would leave a program of some rows idle."""
    row = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    own, entries, away = tl.load(start + row), tl.load(length + row), tl.load(shift + row)
    total = tl.zeros([BLOCK], tl.float32)
    for entry in range(0, tl.max(entries, 0)):
        live = entry < entries
        column = (tl.load(col + own + entry, mask=live, other=0) + away).to(tl.int64)
        each = tl.load(x + column * channels + tl.program_id(1), mask=live, other=0.0)
        total += each * tl.load(val + own + entry, mask=live, other=0.0)
    tl.store(out + row.to(tl.int64) * channels + tl.program_id(1), total)


@triton.jit
def locate(
    source: tl.tensor, block: tl.tensor, crow: tl.tensor, last: tl.tensor, first: tl.tensor, start: tl.tensor,
    length: tl.tensor, shift: tl.tensor, STEP: tl.constexpr,
) -> None:  # fmt: skip
    """Some rows: where their entries begin, how many they are, and where the columns of their graph begin."""
    row = tl.program_id(0) * STEP + tl.arange(0, STEP)
    here = tl.load(source + row)
    begin = tl.load(crow + here)
    tl.store(start + row, begin)
    tl.store(length + row, tl.load(crow + tl.minimum(here + 1, last)) - begin)
    tl.store(shift + row, tl.load(first + tl.load(block + row)))


@triton.jit
def split(
    x: tl.tensor, parts: tl.tensor, count: tl.tensor, BLOCK: tl.constexpr,
) -> None:  # fmt: skip
    """Some numbers: each as the sum of three of 8 binary digits, which 0 and 1 multiply exactly."""
    place = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    each = tl.load(x + place, mask=place < count, other=0.0).to(tl.float32)
    for part in tl.static_range(3):
        short = each.to(tl.bfloat16)
        tl.store(parts + part * count + place, short, mask=place < count)
        each -= short.to(tl.float32)


@triton.jit
def aggregate_dense(
    parts: tl.tensor, out: tl.tensor, graph: tl.tensor, part: tl.tensor, first: tl.tensor, begin: tl.tensor,
    size: tl.tensor, words: tl.tensor, channels: tl.tensor, count: tl.tensor, TRANSPOSED: tl.constexpr,
    WIDTH: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr,
) -> None:  # fmt: skip
    """A part of one graph's rows: its bits times the graph's rows, by tensor cores; a word holds 64 columns."""
    tl.static_assert(ROWS == 128 and COLUMNS == 64)
    program = tl.program_id(0)
    here, piece = tl.load(graph + program), tl.load(part + program)
    n = tl.where(piece < 0, 0, tl.load(size + here))  # a program that is not needed
    stride = (n + 63) // 64
    base, shift = tl.load(begin + here), tl.load(first + program)
    place = tl.arange(0, ROWS)
    row = tl.maximum(piece, 0) * ROWS + place
    c = tl.arange(0, WIDTH)
    total = tl.zeros([ROWS, WIDTH], tl.float32)
    for start in range(0, n, COLUMNS):
        column = start + tl.arange(0, COLUMNS)
        if TRANSPOSED:
            word = words + base + column * stride
            low = tl.load(word + piece * 2, mask=column < n, other=0)
            high = tl.load(word + tl.minimum(piece * 2 + 1, stride - 1), mask=column < n, other=0)  # past n, not stored
            both = tl.where((place < 64)[None, :], low[:, None], high[:, None])
            ones = tl.trans(((both >> (place % 64)[None, :].to(tl.int64)) & 1).to(tl.bfloat16))
        else:
            word = tl.load(words + base + row * stride + start // 64, mask=row < n, other=0)
            ones = ((word[:, None] >> tl.arange(0, COLUMNS)[None, :].to(tl.int64)) & 1).to(tl.bfloat16)
        there = parts + (shift + column)[:, None] * channels + c[None, :]
        live = (column < n)[:, None] & (c < channels)[None, :]
        total = tl.dot(ones, tl.load(there + 2 * count, mask=live, other=0.0), total)
        total = tl.dot(ones, tl.load(there + count, mask=live, other=0.0), total)
        total = tl.dot(ones, tl.load(there, mask=live, other=0.0), total)
    mask = (row < n)[:, None] & (c < channels)[None, :]
    tl.store(out + (shift + row)[:, None] * channels + c[None, :], total, mask=mask)


@triton.jit
def spread(
    grad: tl.tensor, out: tl.tensor, block: tl.tensor, counts: tl.tensor, rows: tl.tensor, channels: tl.tensor,
    ROWS: tl.constexpr, WIDTH: tl.constexpr,
) -> None:  # fmt: skip
    """Some rows: what their graph hands back, for each of their users."""
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    c = tl.arange(0, WIDTH)
    live = (row < rows)[:, None] & (c < channels)[None, :]
    of = tl.load(block + row, mask=row < rows, other=0).to(tl.int64)
    each = tl.load(grad + of[:, None] * channels + c[None, :], mask=live, other=0.0)
    count = tl.load(counts + row, mask=row < rows, other=0.0)
    tl.store(out + row[:, None] * channels + c[None, :], each * count[:, None], mask=live)


@triton.jit
def readout(
    x: tl.tensor, out: tl.tensor, counts: tl.tensor, target: tl.tensor, blocks: tl.tensor, channels: tl.tensor,
    WIDTH: tl.constexpr, ENTRIES: tl.constexpr,
) -> None:  # fmt: skip
    """One graph: the weighted sum over its rows; a model's last block is filling, which nobody reads."""
    block = tl.program_id(0)
    start = tl.load(target + block)
    end = tl.where(block % blocks == blocks - 1, start, tl.load(target + block + 1))
    c = tl.arange(0, WIDTH)
    total = tl.zeros([WIDTH], tl.float32)
    for begin in range(start, end, ENTRIES):
        row = begin + tl.arange(0, ENTRIES)
        live = row < end
        weight = tl.load(counts + row, mask=live, other=0.0)
        where = x + row[:, None].to(tl.int64) * channels + c
        each = tl.load(where, mask=live[:, None] & (c < channels), other=0.0).to(tl.float32)
        total += tl.sum(each * weight[:, None], 0)
    tl.store(out + block.to(tl.int64) * channels + c, total, mask=c < channels)


@triton.jit
def lay_out(
    shift: tl.tensor, target: tl.tensor, counts: tl.tensor, last: tl.tensor, block: tl.tensor, source: tl.tensor,
    own: tl.tensor, STEP: tl.constexpr,
) -> None:  # fmt: skip
    """One block: where its rows come from; a filling row comes from past the end and stands for nobody."""
    number = tl.program_id(0)
    end, away = tl.load(target + number + 1), tl.load(shift + number)
    for start in range(tl.load(target + number), end, STEP):
        row = start + tl.arange(0, STEP)
        here = tl.minimum(row + away, last)
        tl.store(block + row, number, mask=row < end)
        tl.store(source + row, here, mask=row < end)
        tl.store(own + row, tl.load(counts + here, mask=row < end, other=0.0), mask=row < end)
