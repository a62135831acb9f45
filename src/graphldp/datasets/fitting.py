r"""Graphs drawn to fit what reports tell: degrees, mixing of groups and, where it is known, clustering.

All of it is post-processing of noisy reports, so it costs no ε. Each graph is drawn in four steps.

1. *Degrees.* Noisy degrees give the distribution of the true ones by maximum likelihood, and their order says who has
   which; so do the sums of friend counts and the lengths of lists. Who has not reported is like somebody of the same
   group who has. The sum is twice the friendships.
2. *Mixing.* Each user's friends are shared out among the groups as the mixing matrix says, and as far as her own counts
   are surer than that, as these say.
3. *Friendships.* The open ends between two groups are paired at random; pairs that cannot be are exchanged.
4. *Clustering.* Friendships are exchanged until there are as many triangles as were estimated. Degrees and mixing stay.

Time and memory are linear in friendships and in users times groups.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.signal import fftconvolve
from scipy.special import gammainc

from graphldp.errors import DataError, bad_parameter
from graphldp.estimates import Estimate, Statistics, statistics
from graphldp.estimates.lists import countable, list_rates
from graphldp.estimates.noise import spread
from graphldp.graphs import GraphSet
from graphldp.intervals import LEAST
from graphldp.mechanisms.drawing.streams import Rng, key_from
from graphldp.reports import Reports

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
_TRIES, _EXCHANGES, _ROUNDS, _ITERATIONS = 200, 400, 30, 200
_FAR = 20.0  # e^−20 of the noise's mass is beyond


def synthesize(reports: Reports | Sequence[Reports], *, rng: Rng = None, least: int = LEAST) -> GraphSet:
    """Draw graphs that look like what was reported, at no further ε.

    They are graphs of nobody: users keep their numbers and groups, and have about the degrees that they reported, but
    who is whose friend is drawn. :func:`graphldp.synthetic.distances` says how far the graphs' own statistics are from
    the estimates.

    Args:
        reports: of one community or of many; of several surveys of the same users, one ``Reports`` for each.
        rng: an int, a ``numpy.random.Generator`` or a ``SeedSequence``.
        least: see :func:`graphldp.statistics`; groups of which fewer reported mix by chance.

    Example::

        graphs = gl.synthesize(gl.FriendCounts(epsilon=1.0).randomize(graphs, rng=7), rng=7)
        graphs.to_networkx()
    """
    surveys = surveys_of(reports)
    first = surveys[0]
    key = key_from(rng, "synthesize")
    sources, targets = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for graph, start in enumerate(first.graph_ptr[:-1].tolist()):
        generator = np.random.default_rng([*key.tolist(), graph])
        one, two = _drawn([each.subset([graph]) for each in surveys], generator, least)
        sources.append(start + one)
        targets.append(start + two)
    drawn = GraphSet.from_edges(np.concatenate(sources), np.concatenate(targets), first.sizes, first.labels)
    grouped = next((each for each in surveys if each.groups is not None), None)
    return drawn if grouped is None else drawn.with_groups(grouped.groups, num_groups=grouped.num_groups)


def surveys_of(reports: Reports | Sequence[Reports]) -> tuple[Reports, ...]:
    """Check what graphs are to fit: surveys of the same users."""
    given = (reports,) if isinstance(reports, Reports) else tuple(reports)
    for each in given:
        if not isinstance(each, Reports):
            raise bad_parameter("reports", "synthesize", "Reports", type(each).__name__)
    if not given:
        raise bad_parameter("reports", "synthesize", "one survey or more", "none")
    if any(not np.array_equal(each.graph_ptr, given[0].graph_ptr) for each in given):
        raise DataError("Several surveys must be of the same users.")
    return given


def _drawn(surveys: Sequence[Reports], rng: np.random.Generator, least: int) -> tuple[Ints, Ints]:
    """The friendships of one community."""
    from graphldp.datasets.rewiring import close, untangle  # compiled: numba loads here

    found = [statistics(each, least=least) for each in surveys]
    users = surveys[0].num_users
    degrees = _degrees(surveys, found, rng, least)
    counted = next((each for each in surveys if each.friend_counts is not None and _mixed(each)), None)
    if counted is None:
        group, shares = np.zeros(users, np.int64), degrees[:, None].astype(np.float64)
    else:
        group = np.asarray(counted.groups)
        shares = _shared_out(degrees, counted, found[list(surveys).index(counted)])
    one, two, block = _paired(_rounded(shares, rng), group, rng)
    state = rng.integers(1 << 63, size=1, dtype=np.uint64)
    right = untangle(one, two, block, users, _TRIES, state)
    one, two = one[right], two[right]
    if (clustering := _first(found, "clustering")) is None or clustering.vague:
        return one, two
    ends, friends = np.concatenate((one, two)), np.concatenate((two, one))
    indptr = np.concatenate(([0], np.cumsum(np.bincount(ends, minlength=users))))
    friends = friends[np.argsort(ends, kind="stable")]
    length = np.diff(indptr).astype(np.float64)
    wanted = clustering.best * float((length * (length - 1)).sum()) / 6
    close(indptr, friends, group, wanted, _EXCHANGES * len(friends), state)
    owner = np.repeat(np.arange(users), np.diff(indptr))
    return owner[owner < friends], friends[owner < friends]


def _mixed(reports: Reports) -> bool:
    return "dealt" not in reports.origin.parameters


def _first(found: Sequence[Statistics], name: str) -> Estimate | None:
    """The surest row of a name."""
    rows = [row for each in found for row in each if row.name == name]
    return min(rows, key=lambda row: row.error, default=None)


def _degrees(surveys: Sequence[Reports], found: Sequence[Statistics], rng: np.random.Generator, least: int) -> Ints:
    """A number of friends for each user, of one community."""
    users = surveys[0].num_users
    row = _first(found, "friendships")
    total = 2 * round(0.0 if row is None else row.best)
    told = [(*_told(each, one), each) for each, one in zip(surveys, found, strict=True)]
    sent, _, law, best = min(told, key=lambda each: each[1])
    here = np.ones(users, np.bool_) if best.missing is None else ~best.missing
    numbers = sent[here] + rng.random(here.sum()) * 1e-6  # equal ones in any order
    law = np.cumsum(law)
    values = np.searchsorted(law, (np.arange(len(numbers)) + 0.5) / len(numbers) * law[-1])
    likely = np.empty(len(numbers))
    likely[np.argsort(numbers)] = values
    degrees = np.empty(users)
    degrees[here] = likely
    grouped = next((each for each in surveys if each.groups is not None and _mixed(each)), None)
    group = np.zeros(users, np.int64) if grouped is None else np.asarray(grouped.groups)
    for alike in (group == each for each in np.unique(group[~here])):
        like = np.sort(degrees[alike & here] if (alike & here).sum() >= least else likely)
        missing = int((alike & ~here).sum())
        degrees[alike & ~here] = rng.permutation(like[(np.arange(0.5, missing) * len(like) / missing).astype(np.int64)])
    return _summing_to(np.clip(degrees, 0, users - 1), total, rng)


def _told(reports: Reports, found: Statistics) -> tuple[Floats, float, Floats]:
    """Each user's number of friends as her report says it, without bias; its variance; and the law of the true ones."""
    if reports.noisy_degree is not None and found.smoothed is not None:
        return np.asarray(reports.noisy_degree), float(np.mean(2 * spread(reports.epsilon1))), found.smoothed
    here = slice(None) if reports.missing is None else ~reports.missing
    if reports.friend_counts is not None:
        counts = np.asarray(reports.friend_counts)
        a, groups = float(np.mean(spread(reports.epsilon1[here]))), counts.shape[1]
        sent, variance = counts.sum(axis=1), 2 * a * groups
        one = _discrete(2 * a)
        noise = np.ones(1)
        for _ in range(groups if a else 0):
            noise = np.convolve(noise, one)
        return sent, variance, _undone(sent[here], noise, reports.num_users - 1)
    if not countable(reports):
        raise DataError(f"Graphs are drawn from degrees, friend counts or lists; these come from {reports.origin}.")
    others = reports.num_users - 1
    keep, fake = list_rates(reports)
    scale = np.where(keep > fake, keep - fake, 1.0)
    sent = (reports.degrees - others * fake) / scale
    variance = float(np.mean((others * fake * (1 - fake) / scale**2)[here]))
    far = math.ceil(6 * math.sqrt(variance))
    noise = np.exp(-(np.arange(-far, far + 1.0) ** 2) / (2 * max(variance, 1e-9)))
    return sent, variance, _undone(sent[here], noise / noise.sum(), others)


def _discrete(variance: float) -> Floats:
    """The law of discrete Laplace noise with this variance, on −far, …, far."""
    decay = 1 + (1 - math.sqrt(1 + 2 * variance)) / max(variance, 1e-12)
    far = math.ceil(_FAR / max(-math.log(max(decay, 1e-9)), 1e-3))
    return np.asarray((1 - decay) / (1 + decay) * decay ** np.abs(np.arange(-far, far + 1.0)))


def _undone(sent: Floats, noise: Floats, top: int) -> Floats:
    """The law on 0, …, top whose numbers with noise are the likeliest to be what was sent, by EM from a gamma's.

    Args:
        sent: rounded here.
        noise: its law, on −far, …, far.
        top: the largest number.
    """
    far = len(noise) // 2
    seen = np.bincount(np.clip(np.rint(sent).astype(np.int64) + far, 0, top + 2 * far), minlength=top + 1 + 2 * far)
    spread_out = np.arange(-far, far + 1.0) ** 2 @ noise
    mean = max(float(sent.mean()), 0.1)
    apart = max(float(sent.var()) - float(spread_out), mean / 2)
    law = np.diff(gammainc(mean**2 / apart, (np.arange(top + 2) - 0.5).clip(0.0) * mean / apart)) + 1e-12
    for _ in range(_ITERATIONS):
        likely = np.maximum(fftconvolve(law, noise), 1e-12)
        law = law * np.maximum(fftconvolve(seen / likely, noise, "valid"), 0.0)
        law /= law.sum()
    return np.asarray(law)


def _summing_to(degrees: Floats, total: int, rng: np.random.Generator) -> Ints:
    """Whole numbers with this sum, as near to what was given as may be; who has none keeps none while it can be."""
    whole = np.floor(degrees + rng.random(len(degrees))).astype(np.int64)
    most = len(degrees) - 1
    total = min(total, len(degrees) * most)
    for _ in range(_ROUNDS):
        short = total - int(whole.sum())
        open_to = (whole < most) * (whole + 1e-3) if short > 0 else whole * (whole > 0)
        if short == 0 or not open_to.sum():
            break
        some = rng.choice(len(whole), size=min(abs(short), 4 * len(whole)), p=open_to / open_to.sum())
        whole = np.clip(whole + np.sign(short) * np.bincount(some, minlength=len(whole)), 0, most)
    return whole


def _shared_out(degrees: Ints, counted: Reports, found: Statistics) -> Floats:
    """How many friends each user is to have in each group: rows sum to her degree, blocks are seen alike from both."""
    group, groups = np.asarray(counted.groups), counted.num_groups
    ends = np.bincount(group, degrees, groups)
    mixing = np.full((groups, groups), np.nan)
    for row in found.about("friendships between"):
        g, other = int(row.of), int(row.to)
        mixing[g, other] = mixing[other, g] = row.best * (2 if g == other else 1)
    unknown = np.isnan(mixing)
    mixing[unknown] = (np.outer(ends, ends) / max(ends.sum(), 1.0))[unknown]  # too few reported: by chance
    for _ in range(_ROUNDS):
        scale = np.sqrt(ends / np.maximum(mixing.sum(axis=1), 1e-12))
        mixing *= np.outer(scale, scale)
    likely = degrees[:, None] * (mixing / np.maximum(mixing.sum(axis=1), 1e-12)[:, None])[group]
    here = np.ones(len(group), np.bool_) if counted.missing is None else ~counted.missing
    apart = (np.asarray(counted.friend_counts) - likely)[here]
    noise = float(np.mean(2 * spread(counted.epsilon1[here])))
    trust = max(1 - noise / max(float((apart**2).mean()), 1e-12), 0.0)
    shares = likely.copy()
    shares[here] = np.maximum(likely[here] + trust * apart, 0.0)
    for _ in range(_ROUNDS):
        block = np.stack([np.bincount(group, column, groups) for column in shares.T], axis=1)
        shares *= np.sqrt(mixing / np.maximum(block, 1e-12))[group]
        shares *= (degrees / np.maximum(shares.sum(axis=1), 1e-12))[:, None]
    return np.asarray(shares)


def _rounded(shares: Floats, rng: np.random.Generator) -> Ints:
    """Whole numbers with the rows' sums, each the floor of its share or one more."""
    edges = np.cumsum(shares, axis=1)
    whole = np.floor(edges + rng.random(len(shares))[:, None] * (1 - 1e-9)).astype(np.int64)
    whole[:, -1] = np.rint(edges[:, -1]).astype(np.int64)
    return np.maximum(np.diff(whole, axis=1, prepend=0), 0)


def _paired(ends: Ints, group: Ints, rng: np.random.Generator) -> tuple[Ints, Ints, Ints]:
    """Pair the open ends between each two groups at random; those that are left over with each other."""
    ones, twos, left = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for g, other in _pairs(ends.shape[1]):
        mine, theirs = (
            rng.permutation(np.repeat(np.flatnonzero(group == each), ends[group == each, to]))
            for each, to in ((g, other), (other, g))
        )
        if g == other:
            half = len(mine) // 2
            mine, theirs, over = mine[:half], mine[half : 2 * half], mine[2 * half :]
        else:
            most = min(len(mine), len(theirs))
            mine, theirs, over = mine[:most], theirs[:most], np.concatenate((mine[most:], theirs[most:]))
        ones.append(mine)
        twos.append(theirs)
        left.append(over)
    over = rng.permutation(np.concatenate(left))
    half = len(over) // 2
    ones.append(over[:half])
    twos.append(over[half : 2 * half])
    block = np.concatenate(([0], np.cumsum([len(each) for each in ones])))
    return np.concatenate(ones), np.concatenate(twos), block


def _pairs(groups: int) -> Iterator[tuple[int, int]]:
    return ((g, other) for g in range(groups) for other in range(g, groups))
