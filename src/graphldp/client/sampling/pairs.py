"""The two rounds of closed-pairs, drawn exactly: a report from everybody, and one answer from each.

The law is that of ``ClosedPairs``. ε₀, ε₁ and ε₂ are those of degree, list and answer; a report says ε₀, and ε₁ + ε₂:

    round 1   d* = d + N₀;   a list by randomized response;   C follows from d*, and N₂, of ε₂/C, is drawn and kept
    round 2   u = count − C·d + N₂, the count by what the collector publishes of all lists

C is a whole number, and each ε a rational one, so that no rounding decides how far one friend moves an answer. Each
user spends ε₀ + ε₁ + ε₂ once, also where the collector publishes what it likes, as long as she answers one question and
no other: ``docs/mechanisms/closed-pairs.md`` has the proof.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction

from graphldp.client.sampling.entropy import Entropy
from graphldp.client.sampling.laplace import discrete_laplace
from graphldp.client.sampling.sampler import WORD_BITS, clipped, draw_list, exact, exp_below, thresholds
from graphldp.privacy import pairs
from graphldp.wire import Answer, NoisyLists, Report
from graphldp.wire.numbers import numbers

_FINE = 1 << 16  # F is a multiple of one of these


def draw(
    friends: Iterable[int],
    *,
    n: int,
    user: int,
    epsilon1: float,
    epsilon2: float,
    _entropy: Entropy | None = None,
    _word_bits: int = WORD_BITS,
) -> tuple[Report, int]:
    """Draw one user's report, and the noise of her answer, which is kept and not sent.

    Args:
        friends: the numbers of the user's friends in the roster.
        n: users in the community.
        user: the user's own number.
        epsilon1: ε₀ in whole millionths.
        epsilon2: ε₁ + ε₂, likewise.
    """
    mine = Report("public", n, user, math.inf, math.inf, None, numbers(friends)).neighbours  # checks the list
    on_degree, both = exact(epsilon1), exact(epsilon2)
    entropy = Entropy() if _entropy is None else _entropy
    told = clipped(len(mine) + discrete_laplace(on_degree, entropy))
    stranger, neighbour = thresholds(both * pairs.LIST_PART, n, None, _word_bits)
    listed = draw_list(mine.tolist(), n, user, stranger, neighbour, entropy, _word_bits)
    report = Report("closed-pairs", n, user, epsilon1, epsilon2, told, listed)
    return report, discrete_laplace(both * (1 - pairs.LIST_PART) / cap(report), entropy)


def cap(report: Report) -> int:
    """C, by what the report says and nothing else."""
    e, one = exp_below(exact(report.epsilon2) * pairs.LIST_PART)
    wrong = _FINE - (2 * _FINE * e + e + one) // (2 * (e + one))
    slack = max(1, math.ceil(min(Fraction(pairs.PAIR_SLACK) / exact(report.epsilon1), Fraction(report.n))))
    return pairs.pair_cap(report.noisy_degree or 0, report.n, wrong / _FINE, slack)


def answer(question: NoisyLists, friends: Sequence[int], report: Report, noise: int) -> Answer:
    """Count pairs of a user's friends, with the noise that was drawn with her report. Answered twice, it tells more.

    Args:
        question: what is published of all lists.
        friends: the list that her report was drawn from.
        report: hers.
        noise: N₂.
    """
    count = pairs.answer(question.among(friends), cap(report))
    return Answer(question.n, report.user, question.digest, clipped(count + noise))
