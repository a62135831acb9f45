"""The mechanisms' sampler on a GPU: what draws noise beside the models where compiled loops are not at hand.

The signatures of :mod:`graphldp.mechanisms.reference` and the same words of the same streams, so a seed gives the same
lists; only a logarithm that the GPU rounds to the neighbouring float could move a stranger by one place, which
happens about once in 10¹⁵ draws.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from graphldp.mechanisms.reference import top_pairs
from graphldp.mechanisms.rows import Rows
from graphldp.mechanisms.streams import MULTIPLIER, ROUNDS, WEYL, Key, Stream, Words

__all__ = ["first_words", "sample_lists", "top_pairs"]

_LOW = 0xFFFFFFFF
_WORDS_AT_ONCE = 1 << 25


def sample_lists(
    rows: Rows, keep: NDArray[np.float64], fake: NDArray[np.float64], key: Key
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Noisy lists: each true neighbour of u stays with ``keep[u]``, each stranger is added with ``fake[u]``."""
    expected = fake * np.maximum(rows.n - 1 - rows.degrees, 0)
    work = np.cumsum(1 + rows.degrees + expected + 9 * np.sqrt(expected) + 16)
    total = float(work[-1]) if len(work) else 0.0
    cuts = np.searchsorted(work, np.arange(_WORDS_AT_ONCE, total, _WORDS_AT_ONCE))
    parts = [
        _sample(rows, slice(start, stop), keep, fake, key)
        for start, stop in pairwise(np.unique(np.concatenate(([0], cuts, [len(rows)]))).tolist())
    ]
    lengths = np.concatenate([np.zeros(0, np.int64), *(each for each, _ in parts)])
    return np.concatenate(([0], np.cumsum(lengths))), np.concatenate([np.zeros(0, np.int32), *(e for _, e in parts)])


def _sample(
    rows: Rows, part: slice, keep: NDArray[np.float64], fake: NDArray[np.float64], key: Key
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """The lengths and entries of some users' noisy lists."""
    device = _device()
    user, n, graph = (torch.tensor(each[part], device=device) for each in (rows.user, rows.n, rows.graph))
    stay, add = torch.tensor(keep[part], device=device), torch.tensor(fake[part], device=device)
    pointers = torch.tensor(rows.indptr[part.start : part.stop + 1], device=device)
    own = torch.tensor(rows.indices[rows.indptr[part.start] : rows.indptr[part.stop]], device=device).long()
    pointers = pointers - pointers[0]
    degrees = pointers.diff()
    me = torch.arange(len(user), device=device)
    owner = torch.repeat_interleave(degrees)
    step = int(n.max()) + 1 if len(n) else 1
    codes = [
        who * step + own[pointers[who] + place] for who, place in _skips(user, graph, degrees, stay, Stream.EDGES, key)
    ]
    # an owner's list and herself, x_0 < x_1 < …: x_s − s strangers stand before x_s, so s is found by bisection
    blocked = torch.sort(torch.cat((owner * step + own, me * step + user))).values
    starts = pointers[:-1] + me
    before = blocked - torch.arange(len(blocked), device=device) + torch.repeat_interleave(starts, degrees + 1)
    for who, rank in _skips(user, graph, n - 1 - degrees, add, Stream.FAKES, key):
        passed = torch.searchsorted(before, rank + who * step, right=True) - starts[who]
        codes.append(who * step + rank + passed)
    code = torch.sort(torch.cat([me[:0], *codes])).values
    lengths = torch.bincount(code // step, minlength=len(user))
    return lengths.cpu().numpy(), (code % step).int().cpu().numpy()


def _skips(
    user: Tensor, graph: Tensor, limit: Tensor, probability: Tensor, stream: Stream, key: Key
) -> Iterator[tuple[Tensor, Tensor]]:
    """Of ``limit`` things in each row, which happen: geometric skips over those that do not, summed up.

    Each user draws as many skips as she should need and a good margin more; the rare one who needs more draws on.
    """
    active = torch.nonzero((probability > 0) & (limit > 0)).flatten()
    drawn = torch.zeros_like(limit)
    at = torch.full_like(limit, -1)
    rate = 1 / torch.log1p(-probability)
    while len(active):
        ahead = limit[active] - at[active]
        expected = probability[active] * ahead
        count = (expected + 8 * expected.sqrt() + 16).long().minimum(ahead)
        ends = torch.cumsum(count, 0)
        who = torch.repeat_interleave(active, count)
        first = torch.repeat_interleave(ends - count, count)
        number = torch.arange(len(who), device=who.device) - first + drawn[who]
        uniform = _uniform(_philox(key, stream, graph[who], user[who], number))
        skip = (torch.log(uniform) * rate[who]).minimum(limit[who].double())
        reach = torch.cumsum(1 + skip.long(), 0)
        place = reach - torch.where(first > 0, reach[first - 1], 0) + at[who]
        inside = place < limit[who]
        yield who[inside], place[inside]
        drawn[active] += count
        at[active] = place[ends - 1]
        active = active[at[active] < limit[active] - 1]


def first_words(rows: Rows, stream: Stream, key: Key) -> Words:
    """The first two words of each user's stream, shape (users, 2)."""
    device = _device()
    user, graph = torch.tensor(rows.user, device=device), torch.tensor(rows.graph, device=device)
    words = [_philox(key, stream, graph, user, torch.full_like(user, number)) for number in (0, 1)]
    return np.asarray(torch.stack(words, dim=1).cpu().numpy().view(np.uint64))


def _device() -> torch.device:
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def _uniform(words: Tensor) -> Tensor:
    """The top 52 bits as a number strictly between 0 and 1."""
    return ((words >> 12 & (1 << 52) - 1).double() + 0.5) * 2.0**-52


def _signed(value: int) -> int:
    """A 64-bit word as torch's signed number: its arithmetic wraps around as unsigned words do."""
    return value - (1 << 64) if value >= 1 << 63 else value


def _multiply(constant: int, x: Tensor) -> tuple[Tensor, Tensor]:
    """High and low word of constant · x, from 32-bit halves."""
    a_low, a_high = constant & _LOW, constant >> 32
    x_low, x_high = x & _LOW, x >> 32 & _LOW
    cross = a_high * x_low + (a_low * x_low >> 32 & _LOW)
    middle = a_low * x_high + (cross & _LOW)
    return a_high * x_high + (cross >> 32 & _LOW) + (middle >> 32 & _LOW), _signed(constant) * x


def _philox(key: Key, stream: Stream, graph: Tensor, user: Tensor, word: Tensor) -> Tensor:
    """Word number ``word`` of each (stream, graph, user): see :func:`graphldp.mechanisms.streams.philox`."""
    c0, c1, c2, c3 = (word >> 2) + 1, user, graph, torch.full_like(word, int(stream))
    k0, k1 = int(key[0]), int(key[1])
    for _ in range(ROUNDS):
        high0, low0 = _multiply(MULTIPLIER[0], c0)
        high1, low1 = _multiply(MULTIPLIER[1], c2)
        c0, c1, c2, c3 = high1 ^ c1 ^ _signed(k0), low1, high0 ^ c3 ^ _signed(k1), low0
        k0, k1 = (k0 + WEYL[0]) % 2**64, (k1 + WEYL[1]) % 2**64
    return torch.where(word & 2 > 0, torch.where(word & 1 > 0, c3, c2), torch.where(word & 1 > 0, c1, c0))
