"""Monte Carlo: a lower bound on the ε that a mechanism really has, from its reports (Clopper & Pearson 1934).

One user's list is changed by one friend, and many reports of both lists are drawn. Half of them choose a set of reports
that tells the two lists apart; the other half say how often it does:

    ε ≥ ln( lower bound of Pr(report in the set | one list) / upper bound of Pr(… | the other) )

The bound holds with the confidence asked for, whatever the mechanism is. It can prove a promise broken, never kept: an
excess below what the number of reports resolves goes unseen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betaincinv

from graphldp.audit.finding import Finding
from graphldp.client import sampler
from graphldp.graphs import GraphSet
from graphldp.mechanisms import Mechanism
from graphldp.reports import Reports

Codes = NDArray[np.int64]
Draw = Callable[[tuple[int, ...], int], Codes]
USERS = 4
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
    """

    def draw(friends: tuple[int, ...], stream: int) -> Codes:
        graphs = _copies(friends, samples)
        return _codes(mechanism.randomize(graphs, rng=np.random.default_rng((seed, stream))))

    return _audit(repr(mechanism), draw, float(np.max(mechanism.epsilon)), samples, confidence)


def audit_client(
    mechanism: str, epsilon1: float, epsilon2: float, *, samples: int = 10_000, confidence: float = 0.999
) -> Finding:
    """Audit the client's sampler, on the operating system's entropy."""

    def draw(friends: tuple[int, ...], stream: int) -> Codes:
        drawn = (
            sampler.draw(friends, mechanism=mechanism, n=USERS, user=0, epsilon1=epsilon1, epsilon2=epsilon2)
            for _ in range(samples)
        )
        return np.array([_code(sum(1 << j for j in r.neighbours.tolist()), r.noisy_degree or 0) for r in drawn])

    return _audit(f"client, {mechanism}", draw, epsilon1 + epsilon2, samples, confidence)


def lower_bound(one: Codes, two: Codes, confidence: float) -> float:
    """A lower bound on ln(Pr(S | one)/Pr(S | two)) over sets S of reports, 0 at least.

    Args:
        one: reports of one list, a number for each.
        two: reports of the other list.
        confidence: of the bound.
    """
    _, codes = np.unique(np.concatenate((one, two)), return_inverse=True)
    first, second = codes[: len(one)], codes[len(one) :]
    kinds = int(codes.max()) + 1
    doubt = (1 - confidence) / 2
    mine, theirs = (np.bincount(half, minlength=kinds) for half in (first[::2], second[::2]))
    order = np.argsort(-(mine + 0.5) / (theirs + 0.5), kind="stable")
    sizes = len(first[::2]), len(second[::2])
    bounds = _log_ratio(np.cumsum(mine[order]), np.cumsum(theirs[order]), sizes, doubt)
    chosen = np.zeros(kinds, np.bool_)
    chosen[order[: int(np.argmax(bounds)) + 1]] = True
    hits, others = chosen[first[1::2]], chosen[second[1::2]]
    return max(0.0, float(_log_ratio(hits.sum(), others.sum(), (len(hits), len(others)), doubt)))


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
    low = np.where(hits > 0, betaincinv(np.maximum(hits, 1), of - hits + 1, doubt), 0.0)
    high = np.where(others < of_others, betaincinv(others + 1, np.maximum(of_others - others, 1), 1 - doubt), 1.0)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(low) - np.log(high))


def _copies(friends: Sequence[int], samples: int) -> GraphSet:
    """Many directed graphs of four users, in which user 0 alone has a list: one independent draw each."""
    starts = np.repeat(np.arange(samples) * USERS, len(friends))
    targets = starts + np.tile(np.array(friends, np.int64), samples)
    return GraphSet.from_edges(starts, targets, np.full(samples, USERS), directed=True)


def _codes(reports: Reports) -> Codes:
    """User 0's report in each graph as a number: her list as bits, and d* rounded down."""
    users = np.repeat(np.arange(reports.num_users), reports.degrees)
    bits = np.zeros(reports.num_users, np.int64)
    np.add.at(bits, users, 1 << reports.indices.astype(np.int64))
    degrees = np.zeros(reports.num_users) if reports.noisy_degree is None else np.floor(reports.noisy_degree)
    return np.asarray(_code(bits, degrees.astype(np.int64)))[reports.graph_ptr[:-1]]


def _code(bits: Any, degree: Any) -> Any:
    return degree * (1 << USERS) + bits
