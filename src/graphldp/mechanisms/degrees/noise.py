"""Noise on degrees: Laplace's, the paper's, or the discrete law that the live client draws exactly."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from graphldp.machines.memory import fresh
from graphldp.machines.threads import Run, even_runs, in_threads
from graphldp.mechanisms.drawing import backend
from graphldp.mechanisms.drawing.rows import UserRows
from graphldp.mechanisms.drawing.streams import Key, Stream, Words, to_uniform

Noise = Literal["laplace", "discrete"]


def noisy_degrees(rows: UserRows, epsilon1: NDArray[np.float64], noise: Noise, key: Key) -> NDArray[np.float64]:
    """d* = d + noise of ε₁."""
    noisy = fresh(len(rows))

    def draw(run: Run) -> None:
        start, stop = run
        some = slice(start, stop)
        words = backend.first_words(rows.users(start, stop), Stream.DEGREE, key)
        np.add(_noise(words, epsilon1[some], noise), np.diff(rows.indptr[start : stop + 1]), out=noisy[some])

    in_threads(draw, even_runs(len(rows)))
    return noisy


def noise_of(
    rows: UserRows, epsilon: NDArray[np.float64], noise: Noise, stream: Stream, key: Key
) -> NDArray[np.float64]:
    """Lap(1/ε), or the discrete law Pr(k) ∝ e^(−ε|k|) as a difference of two geometric draws."""
    out = fresh(len(rows))

    def draw(run: Run) -> None:
        out[slice(*run)] = _noise(backend.first_words(rows.users(*run), stream, key), epsilon[slice(*run)], noise)

    in_threads(draw, even_runs(len(rows)))
    return out


def _noise(words: Words, epsilon: NDArray[np.float64], noise: Noise) -> NDArray[np.float64]:
    if noise == "laplace":
        size = to_uniform(words[:, 0])
        np.log(size, out=size)  # in place: new memory takes longer than the arithmetic
        size /= epsilon
        size.view(np.uint64)[:] ^= words[:, 0] << np.uint64(63)  # the lowest bit turns the sign
        return size
    size = np.floor(-np.log(to_uniform(words)) / epsilon[:, None])
    return np.asarray(size[:, 0] - size[:, 1])
