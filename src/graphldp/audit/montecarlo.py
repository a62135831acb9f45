"""Monte Carlo: a lower bound on the ε that a mechanism really has, from its reports (Clopper & Pearson 1934).

One user's list is changed by one friend, and with it all that is known of her (features and label). Many reports of
both are drawn. Half of them choose a set of reports that tells the two apart; the other half say how often it does:

    ε ≥ ln( lower bound of Pr(report in the set | one list) / upper bound of Pr(… | the other) )

A report is compared as a whole: which parts it has, d* and the list. Where that leaves few reports of a kind, d* is
looked at more coarsely, or not at all; the first half chooses how. The bound holds with the confidence asked for,
whatever the mechanism is. It can prove a promise broken, never kept: an excess below what the number of reports
resolves goes unseen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import ArrayLike, NDArray

from graphldp.audit import Finding, branches
from graphldp.audit.exact import HUB_FROM
from graphldp.client.sampling import sampler
from graphldp.graphs import GraphSet
from graphldp.intervals import share_bounds
from graphldp.mechanisms import Mechanism
from graphldp.reports import HubAnswers, PairAnswers, Reports
from graphldp.wire import WITH_COUNTS

Codes = NDArray[np.int64]  # one row for each report, one column for each way to look at it
Draw = Callable[[tuple[int, ...], int], Codes]
USERS = 4
_GROUPS = (0, 0, 0, 1)  # of the four users
_COLUMNS = 1 << 22  # more than any code of what a user told of herself
_RARE = 1e-3  # a branch that occurs less often is not audited
PAIRS: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...] = (((), (1,)), ((1,), (1, 2)), ((1, 2), (1, 2, 3)))


def audit_mechanism(
    mechanism: Mechanism, *, samples: int = 200_000, seed: int = 0, confidence: float = 0.999
) -> Finding:
    """Audit a mechanism through its ``randomize``.

    Args:
        mechanism: with one ε for all users, that works on graphs of four.
        samples: reports drawn of each list.
        seed: of the mechanism's noise.
        confidence: of the lower bound.

    Returns:
        What was shown. It does not hold either where one of our mechanisms' branches never occurred: at these
        parameters four users are too few to say anything.
    """
    seen: dict[str, float] = {}

    def draw(friends: tuple[int, ...], stream: int) -> Codes:
        reports = mechanism.randomize(_copies(friends, samples), rng=np.random.default_rng((seed, stream)))
        for branch, share in branches.shares(mechanism, reports).items():
            seen[branch] = max(seen.get(branch, 0.0), share)
        return _codes(reports)

    found = _audit(repr(mechanism), draw, float(np.max(mechanism.epsilon)), samples, confidence)
    never = [branch for branch, share in seen.items() if share < _RARE]
    if never:
        return replace(found, holds=False, effort=f"{mechanism!r} never took its branch '{never[0]}'")
    return found


def audit_client(
    mechanism: str, epsilon1: float, epsilon2: float, *, samples: int = 10_000, confidence: float = 0.999
) -> Finding:
    """Audit the client's sampler, on the operating system's entropy."""

    def draw(friends: tuple[int, ...], stream: int) -> Codes:
        report = partial(sampler.draw, mechanism=mechanism, n=USERS, user=0, epsilon1=epsilon1, epsilon2=epsilon2)
        drawn = [report(friends, hub_from=HUB_FROM, groups=_GROUPS) for _ in range(samples)]
        parts = [(sum(1 << j for j in r.neighbours.tolist()), r.noisy_degree or 0, int(r.hub)) for r in drawn]
        views = _views(*np.array(parts).T)
        if mechanism not in WITH_COUNTS:
            return views
        return np.hstack((views, _count_views(np.array([r.counts for r in drawn], np.int64))))

    return _audit(f"client, {mechanism}", draw, epsilon1 + epsilon2, samples, confidence)


def lower_bound(one: Codes, two: Codes, confidence: float) -> float:
    """A lower bound on ln(Pr(S | one)/Pr(S | two)) over sets S of reports, 0 at least.

    Args:
        one: reports of one list, a row of numbers for each: what it looks like in each of several ways.
        two: reports of the other list.
        confidence: of the bound.
    """
    doubt = (1 - confidence) / 2
    best, hits, others = -np.inf, np.zeros(0, np.bool_), np.zeros(0, np.bool_)
    for view in range(one.shape[1]):
        _, codes = np.unique(np.concatenate((one[:, view], two[:, view])), return_inverse=True)
        first, second = codes[: len(one)], codes[len(one) :]
        bound, chosen = _best_set(first, second, int(codes.max()) + 1, doubt)
        if bound > best:
            best, hits, others = bound, chosen[first[1::2]], chosen[second[1::2]]
    return max(0.0, float(_log_ratio(hits.sum(), others.sum(), (len(hits), len(others)), doubt)))


def _best_set(first: Codes, second: Codes, kinds: int, doubt: float) -> tuple[float, NDArray[np.bool_]]:
    """A set of kinds of reports that tells two samples apart, and its bound.

    One quarter of the reports orders the kinds, another says how many of them to take: a kind that was seen often by
    chance does not look good twice.
    """
    (order_mine, order_theirs), (mine, theirs) = (
        [np.bincount(each[start::4], minlength=kinds) for each in (first, second)] for start in (0, 2)
    )
    order = np.argsort(-(order_mine + 0.5) / (order_theirs + 0.5), kind="stable")
    bounds = _log_ratio(np.cumsum(mine[order]), np.cumsum(theirs[order]), (int(mine.sum()), int(theirs.sum())), doubt)
    chosen = np.zeros(kinds, np.bool_)
    chosen[order[: int(np.argmax(bounds)) + 1]] = True
    return float(bounds.max()), chosen


def _audit(name: str, draw: Draw, claimed: float, samples: int, confidence: float) -> Finding:
    """The largest bound over pairs of lists and both directions, each at its share of the doubt."""
    each = 1 - (1 - confidence) / (2 * len(PAIRS))
    lists = sorted({friends for pair in PAIRS for friends in pair})
    drawn = {friends: draw(friends, place) for place, friends in enumerate(lists)}
    bounds = [lower_bound(drawn[a], drawn[b], each) for pair in PAIRS for a, b in (pair, pair[::-1])]
    effort = f"{len(lists) * samples:,} reports of {name}, confidence {confidence:.1%}"
    return Finding("monte carlo", claimed, max(bounds), max(bounds) <= claimed, effort)


def _log_ratio(hits: ArrayLike, others: ArrayLike, sizes: tuple[int, int], doubt: float) -> NDArray[np.float64]:
    """The logarithm of the lower bound of hits/sizes[0] over the upper bound of others/sizes[1]."""
    hits, others, (of, of_others) = np.asarray(hits), np.asarray(others), sizes
    low, high = share_bounds(hits, of, doubt)[0], share_bounds(others, of_others, doubt)[1]
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(low) - np.log(high))


def _copies(friends: Sequence[int], samples: int) -> GraphSet:
    """Many directed graphs of four users, in which user 0 alone has a list: one independent draw each.

    Two of the others are in one public group and the third in another, so that counts by group differ as lists do. The
    private columns of user 0 change with the length of her list, from one end to the other: ε is to hold for the list
    and all columns together, and a column without a mechanism is to stay at home.
    """
    starts = np.repeat(np.arange(samples) * USERS, len(friends))
    targets = starts + np.tile(np.array(friends, np.int64), samples)
    made = GraphSet.from_edges(starts, targets, np.full(samples, USERS), directed=True)
    high = np.tile(np.arange(USERS) == 0, samples) * (len(friends) % 2)
    made = made.with_features(np.stack((high, 1 - high), axis=1)).with_node_labels(high)
    return made.with_groups(np.tile(_GROUPS, samples))


def _codes(reports: Reports) -> Codes:
    """User 0's report in each graph: her list as bits, d* rounded down, and which parts she sends at all."""
    users = np.repeat(np.arange(reports.num_users), reports.degrees)
    bits = np.zeros(reports.num_users, np.int64)
    np.add.at(bits, users, 1 << reports.indices.astype(np.int64))
    degrees = np.zeros(reports.num_users) if reports.noisy_degree is None else np.floor(reports.noisy_degree)
    parts = (reports.epsilon1 > 0) + 2 * (reports.epsilon2 > 0)
    if reports.missing is not None:
        parts = parts + 4 * reports.missing
    first = reports.graph_ptr[:-1]
    found = _views(bits[first], degrees.astype(np.int64)[first], parts[first])
    if reports.friend_counts is not None:
        found = np.hstack((found, _count_views(reports.friend_counts[first].astype(np.int64))))
    if reports.columns:
        own = _columns(reports, first)[:, None]
        found = np.hstack((own, found * _COLUMNS + own))
    if reports.pair_answers is not None:
        return np.hstack((found, _pair_answers(reports, reports.pair_answers, bits, degrees.astype(np.int64)[first])))
    if reports.answers is None:
        return found
    return np.hstack((found, _answers(reports, reports.answers, degrees.astype(np.int64)[first])))


def _columns(reports: Reports, first: Codes) -> Codes:
    """What user 0 told of herself, as one number."""
    told = reports.columns
    code = np.zeros(len(first), np.int64) if told.labels is None else told.labels[first]
    for column in () if told.features is None else told.features[first].T:
        code = code * 1024 + np.clip(np.rint(column * 64), -511, 512).astype(np.int64) + 511
    return code


def _count_views(counts: Codes) -> Codes:
    """Two counts each alone, and both together."""
    near = np.clip(counts, -511, 512) + 511
    return np.hstack((near, near[:, :1] * 1024 + near[:, 1:]))


def _answers(reports: Reports, answers: HubAnswers, degree: Codes) -> Codes:
    """User 0's whole part in two rounds: d*, who was said to be busy, and her busy friends if she was asked."""
    first = reports.graph_ptr[:-1]
    asked, busy = answers.asked[first], answers.busy.reshape(-1, USERS) @ (1 << np.arange(USERS)) >> 1  # of the others
    count = np.nan_to_num(answers.busy_friends[first]).astype(np.int64)
    views = []
    for width in (1, 2, 4):
        pair = (degree // width) * 1024 + np.clip(count // width, -511, 511)
        views.append((pair * 2 + asked) * (1 << USERS) + np.where(asked, busy, 0))
    return np.stack(views, axis=1)


def _pair_answers(reports: Reports, answers: PairAnswers, bits: Codes, degree: Codes) -> Codes:
    """User 0's whole part in two rounds: list, d*, what was published of the others, and what she says of it."""
    first, views = reports.graph_ptr[:-1], []
    pairs = [(1, 2), (1, 3), (2, 3)]
    published = sum(3**place * sum(bits[first + a] >> b & 1 for a, b in (p, p[::-1])) for place, p in enumerate(pairs))
    told = np.nan_to_num(answers.told[first]).astype(np.int64)
    for width in (1, 2, 4, 8):
        alone = (np.clip(told // width, -511, 511) + 511) * 3 ** len(pairs) + published
        views += [alone, (alone * 64 + np.clip(degree // width, -31, 31) + 31) * (1 << USERS) + bits[first]]
    return np.stack(views, axis=1)


def _views(bits: Codes, degree: Codes, parts: Codes) -> Codes:
    whole = [((degree // width) * 8 + parts) * (1 << USERS) + bits for width in (1, 4, 16)]
    return np.stack((*whole, parts * (1 << USERS) + bits, degree), axis=1)
