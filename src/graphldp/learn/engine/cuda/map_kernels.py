"""Kernels in Triton of linear maps and batch norms: what one program computes. ``maps.py`` starts them.

What is kept of rows may have half the bytes (bfloat16). Then products are of such numbers too; all sums are single.
A map behind a batch norm normalises its input as it reads it, so that is never written down.
"""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def linear(
    x: tl.tensor, weight: tl.tensor, stride: tl.tensor, model: tl.tensor, counts: tl.tensor, x_means: tl.tensor,
    x_scales: tl.tensor, x_betas: tl.tensor, x_stride: tl.tensor, y: tl.tensor, weights: tl.tensor, means: tl.tensor,
    spreads: tl.tensor, inputs: tl.tensor, outputs: tl.tensor, NORM: tl.constexpr,
    STEP: tl.constexpr, SIZE: tl.constexpr, IN: tl.constexpr, OUT: tl.constexpr,
) -> None:  # fmt: skip
    """One tile: y = W x, and the weight, mean and sum of squares of y over its users; x may yet be normalised."""
    tile = tl.program_id(0)
    c, k = tl.arange(0, OUT), tl.arange(0, IN)
    number = tl.load(model + tile)
    inside = (c < outputs)[None, :] & (k < inputs)[:, None]
    matrix = tl.load(weight + number.to(tl.int64) * stride + c[None, :] * inputs + k[:, None], mask=inside, other=0.0)
    kind = x.dtype.element_ty
    matrix = matrix.to(kind)
    if NORM:
        x_mean, x_scale, x_beta = (
            tl.load(x_means + number * inputs + k, mask=k < inputs, other=0.0),
            tl.load(x_scales + number * inputs + k, mask=k < inputs, other=0.0),
            tl.load(x_betas + number * x_stride + k, mask=k < inputs, other=0.0),
        )
    users = tl.full([], 0.0, tl.float32)
    mean, spread = tl.zeros([OUT], tl.float32), tl.zeros([OUT], tl.float32)
    for start in range(0, SIZE, STEP):
        row = tile.to(tl.int64) * SIZE + start + tl.arange(0, STEP)
        each = tl.load(x + row[:, None] * inputs + k[None, :], mask=(k < inputs)[None, :], other=0.0)
        if NORM:
            each = tl.maximum((each.to(tl.float32) - x_mean) * x_scale + x_beta, 0.0)
        made = tl.dot(each.to(kind), matrix, input_precision="tf32x3")  # three passes, if not in half the bytes
        tl.store(y + row[:, None] * outputs + c[None, :], made, mask=(c < outputs)[None, :])
        count = tl.load(counts + row)
        more = tl.sum(count, 0)
        centre = tl.sum(made * count[:, None], 0) / tl.maximum(more, 1.0)
        apart = made - centre[None, :]
        step = centre - mean
        both = tl.maximum(users + more, 1.0)
        spread += tl.sum(apart * apart * count[:, None], 0) + step * step * (users * more / both)
        mean += step * (more / both)
        users += more
    tl.store(weights + tile, users)
    tl.store(means + tile * outputs + c, mean, mask=c < outputs)
    tl.store(spreads + tile * outputs + c, spread, mask=c < outputs)


@triton.jit
def normalise(
    y: tl.tensor, out: tl.tensor, model: tl.tensor, means: tl.tensor, scales: tl.tensor, betas: tl.tensor,
    stride: tl.tensor, channels: tl.tensor, STEP: tl.constexpr, SIZE: tl.constexpr, WIDTH: tl.constexpr,
) -> None:  # fmt: skip
    """One tile: relu((y - mean) scale + beta)."""
    tile = tl.program_id(0)
    c = tl.arange(0, WIDTH)
    number = tl.load(model + tile)
    own = number * channels + c
    mean, scale, beta = (
        tl.load(means + own, mask=c < channels, other=0.0),
        tl.load(scales + own, mask=c < channels, other=0.0),
        tl.load(betas + number * stride + c, mask=c < channels, other=0.0),
    )
    for start in range(0, SIZE, STEP):
        row = tile.to(tl.int64) * SIZE + start + tl.arange(0, STEP)
        place = row[:, None] * channels + c[None, :]
        each = tl.load(y + place, mask=(c < channels)[None, :], other=0.0).to(tl.float32)
        tl.store(out + place, tl.maximum((each - mean) * scale + beta, 0.0), mask=(c < channels)[None, :])


@triton.jit
def gradient_sums(
    grad: tl.tensor, y: tl.tensor, model: tl.tensor, means: tl.tensor, scales: tl.tensor, betas: tl.tensor,
    stride: tl.tensor, shifts: tl.tensor, slopes: tl.tensor, channels: tl.tensor, STEP: tl.constexpr,
    SIZE: tl.constexpr, WIDTH: tl.constexpr,
) -> None:  # fmt: skip
    """One tile: the sums over its rows of the gradient behind relu, and of that times (y - mean)."""
    tile = tl.program_id(0)
    c = tl.arange(0, WIDTH)
    number = tl.load(model + tile)
    own = number * channels + c
    mean, scale, beta = (
        tl.load(means + own, mask=c < channels, other=0.0),
        tl.load(scales + own, mask=c < channels, other=0.0),
        tl.load(betas + number * stride + c, mask=c < channels, other=0.0),
    )
    shift, slope = tl.zeros([WIDTH], tl.float32), tl.zeros([WIDTH], tl.float32)
    for start in range(0, SIZE, STEP):
        row = tile.to(tl.int64) * SIZE + start + tl.arange(0, STEP)
        place = row[:, None] * channels + c[None, :]
        apart = tl.load(y + place, mask=(c < channels)[None, :], other=0.0).to(tl.float32) - mean
        coming = tl.load(grad + place, mask=(c < channels)[None, :], other=0.0).to(tl.float32)
        coming = tl.where(apart * scale + beta > 0, coming, 0.0)
        shift += tl.sum(coming, 0)
        slope += tl.sum(coming * apart, 0)
    tl.store(shifts + tile * channels + c, shift, mask=c < channels)
    tl.store(slopes + tile * channels + c, slope, mask=c < channels)


@triton.jit
def gradients(
    grad: tl.tensor, x: tl.tensor, y: tl.tensor, weight: tl.tensor, weight_stride: tl.tensor, model: tl.tensor,
    counts: tl.tensor, means: tl.tensor, scales: tl.tensor, betas: tl.tensor, stride: tl.tensor, shifts: tl.tensor,
    slopes: tl.tensor, x_means: tl.tensor, x_scales: tl.tensor, x_betas: tl.tensor, x_stride: tl.tensor,
    d_x: tl.tensor, d_weight: tl.tensor, inputs: tl.tensor, outputs: tl.tensor, TO_X: tl.constexpr,
    NORM: tl.constexpr, STEP: tl.constexpr, SIZE: tl.constexpr, IN: tl.constexpr, OUT: tl.constexpr,
) -> None:  # fmt: skip
    """One tile: the gradient of x, and the tile's part of the weights' gradient; x may yet be normalised."""
    tile = tl.program_id(0)
    number = tl.load(model + tile)
    c, k = tl.arange(0, OUT), tl.arange(0, IN)
    both = (c < outputs)[:, None] & (k < inputs)[None, :]
    inside = c[:, None] * inputs + k[None, :]
    matrix = tl.load(weight + number.to(tl.int64) * weight_stride + inside, mask=both, other=0.0)
    kind = x.dtype.element_ty
    matrix = matrix.to(kind)
    own = number * outputs + c
    mean, scale, beta = (
        tl.load(means + own, mask=c < outputs, other=0.0),
        tl.load(scales + own, mask=c < outputs, other=0.0),
        tl.load(betas + number * stride + c, mask=c < outputs, other=0.0),
    )
    shift, slope = (
        tl.load(shifts + own, mask=c < outputs, other=0.0),
        tl.load(slopes + own, mask=c < outputs, other=0.0),
    )
    if NORM:
        x_mean, x_scale, x_beta = (
            tl.load(x_means + number * inputs + k, mask=k < inputs, other=0.0),
            tl.load(x_scales + number * inputs + k, mask=k < inputs, other=0.0),
            tl.load(x_betas + number * x_stride + k, mask=k < inputs, other=0.0),
        )
    total = tl.zeros([OUT, IN], tl.float32)
    for start in range(0, SIZE, STEP):
        row = tile.to(tl.int64) * SIZE + start + tl.arange(0, STEP)
        place = row[:, None] * outputs + c[None, :]
        apart = tl.load(y + place, mask=(c < outputs)[None, :], other=0.0).to(tl.float32) - mean
        coming = tl.load(grad + place, mask=(c < outputs)[None, :], other=0.0).to(tl.float32)
        coming = tl.where(apart * scale + beta > 0, coming, 0.0)
        count = tl.load(counts + row)
        coming = (coming - count[:, None] * (shift + apart * slope)) * scale
        there = row[:, None] * inputs + k[None, :]
        each = tl.load(x + there, mask=(k < inputs)[None, :], other=0.0).to(tl.float32)
        if NORM:
            each = tl.maximum((each - x_mean) * x_scale + x_beta, 0.0)
        coming = coming.to(kind)
        total = tl.dot(tl.trans(coming), each.to(kind), total, input_precision="tf32x3")
        if TO_X:
            back = tl.dot(coming, matrix, input_precision="tf32x3")
            tl.store(d_x + there, back, mask=(k < inputs)[None, :])
    tl.store(d_weight + tile.to(tl.int64) * outputs * inputs + inside, total, mask=both)


@triton.jit
def statistics(
    weights: tl.tensor, means: tl.tensor, spreads: tl.tensor, first: tl.tensor, bias: tl.tensor, gamma: tl.tensor,
    stride: tl.tensor, running_mean: tl.tensor, running_var: tl.tensor, running: tl.tensor, momentum: tl.tensor,
    eps: tl.tensor, mean: tl.tensor, scale: tl.tensor, steep: tl.tensor, channels: tl.tensor, WIDTH: tl.constexpr,
    TILES: tl.constexpr,
) -> None:  # fmt: skip
    """One model: mean and 1/sd from its tiles, and its running statistics, which a model without users keeps.

    Squares are of distances from the mean, first within a tile, then of the tiles' means: that keeps their digits.
    """
    model = tl.program_id(0)
    c = tl.arange(0, WIDTH)
    start, end = tl.load(first + model), tl.load(first + model + 1)
    users = tl.full([], 0.0, tl.float32)
    centre, spread = tl.zeros([WIDTH], tl.float32), tl.zeros([WIDTH], tl.float32)
    for some in range(start, end, TILES):
        tile = some + tl.arange(0, TILES)
        weight = tl.load(weights + tile, mask=tile < end, other=0.0)
        live = (tile < end)[:, None] & (c < channels)[None, :]
        each = tl.load(means + tile[:, None] * channels + c[None, :], mask=live, other=0.0)
        users += tl.sum(weight, 0)
        centre += tl.sum(each * weight[:, None], 0)
    centre /= tl.maximum(users, 1.0)
    for some in range(start, end, TILES):
        tile = some + tl.arange(0, TILES)
        weight = tl.load(weights + tile, mask=tile < end, other=0.0)
        live = (tile < end)[:, None] & (c < channels)[None, :]
        place = tile[:, None] * channels + c[None, :]
        apart = tl.load(means + place, mask=live, other=0.0) - centre[None, :]
        spread += tl.sum(tl.load(spreads + place, mask=live, other=0.0) + apart * apart * weight[:, None], 0)
    var = spread / tl.maximum(users, 1.0)
    inverse = 1.0 / tl.sqrt(var + eps)
    own, live = model * channels + c, c < channels
    tl.store(mean + own, centre, mask=live)
    tl.store(scale + own, inverse, mask=live)
    tl.store(steep + own, inverse * tl.load(gamma + model * stride + c, mask=live, other=0.0), mask=live)
    rate = tl.where(users > 0, momentum, 0.0)
    old = tl.load(running_mean + model * running + c, mask=live, other=0.0)
    new = centre + tl.load(bias + model * stride + c, mask=live, other=0.0)
    tl.store(running_mean + model * running + c, old + rate * (new - old), mask=live)
    old = tl.load(running_var + model * running + c, mask=live, other=0.0)
    new = var * (users / tl.maximum(users - 1.0, 1.0))
    tl.store(running_var + model * running + c, old + rate * (new - old), mask=live)


@triton.jit
def gradient_totals(
    shifts: tl.tensor, slopes: tl.tensor, first: tl.tensor, users: tl.tensor, scale: tl.tensor, d_beta: tl.tensor,
    d_gamma: tl.tensor, shift: tl.tensor, slope: tl.tensor, channels: tl.tensor, WIDTH: tl.constexpr,
    TILES: tl.constexpr,
) -> None:  # fmt: skip
    """One model: the gradients of beta and gamma from its tiles, and what batch norm takes from each user's."""
    model = tl.program_id(0)
    c = tl.arange(0, WIDTH)
    total, sloped = tl.zeros([WIDTH], tl.float32), tl.zeros([WIDTH], tl.float32)
    end = tl.load(first + model + 1)
    for some in range(tl.load(first + model), end, TILES):
        tile = some + tl.arange(0, TILES)
        live = (tile < end)[:, None] & (c < channels)[None, :]
        place = tile[:, None] * channels + c[None, :]
        total += tl.sum(tl.load(shifts + place, mask=live, other=0.0), 0)
        sloped += tl.sum(tl.load(slopes + place, mask=live, other=0.0), 0)
    own, live = model * channels + c, c < channels
    inverse = tl.load(scale + own, mask=live, other=0.0)
    count = tl.maximum(tl.load(users + model), 1.0)
    tl.store(d_beta + own, total, mask=live)
    tl.store(d_gamma + own, sloped * inverse, mask=live)
    tl.store(shift + own, total / count, mask=live)
    tl.store(slope + own, sloped * inverse * inverse / count, mask=live)


@triton.jit
def totals(
    parts: tl.tensor, first: tl.tensor, out: tl.tensor, size: tl.tensor, WIDTH: tl.constexpr, TILES: tl.constexpr,
) -> None:  # fmt: skip
    """One model: the sum of some columns over its tiles."""
    model = tl.program_id(0).to(tl.int64)
    column = tl.program_id(1) * WIDTH + tl.arange(0, WIDTH)
    end = tl.load(first + model + 1)
    total = tl.zeros([WIDTH], tl.float32)
    for some in range(tl.load(first + model), end, TILES):
        tile = (some + tl.arange(0, TILES)).to(tl.int64)
        live = (tile < end)[:, None] & (column < size)[None, :]
        total += tl.sum(tl.load(parts + tile[:, None] * size + column[None, :], mask=live, other=0.0), 0)
    tl.store(out + model * size + column, total, mask=column < size)
