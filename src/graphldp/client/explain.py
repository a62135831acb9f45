"""What an observer could and could not conclude from a report, in numbers that follow from its law.

Whatever an observer believed before, a report changes the odds that one person is a friend by a factor between e^(−ε)
and e^ε. This report's own factors are those of its thresholds: for a person who is listed, and for one who is not.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from graphldp.client.sampler import WORD_BITS, exact, thresholds
from graphldp.wire import WITH_DEGREE, WITH_EDGES, Report

PRIORS = (0.01, 0.1, 0.5)


@dataclass(frozen=True)
class Conclusions:
    """What a report tells at most.

    Args:
        epsilon: ε₁ + ε₂; ``inf`` for a public list.
        odds_factor: e^ε, the most by which the odds of any one friendship can change, up or down.
        listed_factor: by how much being listed changes the odds, given d*; None where there is no list.
        unlisted_factor: the same for not being listed.
    """

    epsilon: float
    odds_factor: float
    listed_factor: float | None
    unlisted_factor: float | None

    def believes(self, prior: float) -> tuple[float, float]:
        """The least and the most that an observer can believe after, who believed ``prior`` before."""
        return _after(prior, 1 / self.odds_factor), _after(prior, self.odds_factor)


def conclude(report: Report) -> Conclusions:
    """The numbers for one report."""
    if report.mechanism == "public":
        return Conclusions(math.inf, math.inf, math.inf, 0.0)
    epsilon = report.epsilon1 + report.epsilon2
    if report.mechanism not in WITH_EDGES:
        return Conclusions(epsilon, math.exp(epsilon), None, None)
    stranger, neighbour = thresholds(exact(report.epsilon2), report.n, report.noisy_degree, WORD_BITS)
    whole = 1 << WORD_BITS
    listed = neighbour / stranger if stranger else 1.0
    return Conclusions(epsilon, math.exp(epsilon), listed, (whole - neighbour) / (whole - stranger))


def in_words(report: Report, size: int) -> list[str]:
    """What leaves the device, what it tells, what it does not, and what it cannot hide: a sentence or two per line."""
    lines = [f"{size} bytes leave this device. They name you by your number, {report.user} of {report.n:,}."]
    if report.mechanism == "public":
        return [
            *lines,
            "They hold your list as it is: whoever reads them knows who your friends in this community are.",
        ]
    told = conclude(report)
    if report.mechanism in WITH_DEGREE:
        lines.append(f"They say that you have {report.noisy_degree} friends here: the true number plus noise.")
    if report.mechanism in WITH_EDGES:
        lines.append(f"They list {len(report.neighbours):,} people, drawn by chance among friends and strangers alike.")
    lines.append(
        f"ε = {told.epsilon:.6g}: whatever someone believed before, the odds that one given person is your friend "
        f"change by a factor of {told.odds_factor:.4g} at most, up or down."
    )
    for prior in PRIORS:
        low, high = told.believes(prior)
        lines.append(
            f"Who believed in a friendship with {prior:.0%} believes in it with {low:.1%} to {high:.1%} after."
        )
    if told.listed_factor is not None and told.unlisted_factor is not None:
        lines.append(
            f"In this report the odds of a person who is listed change by {told.listed_factor:.4g}, of one who is not "
            f"by {told.unlisted_factor:.4g}."
        )
    return [
        *lines,
        "Nobody can conclude from them that any one person is your friend, or is not.",
        "They do not hide that you take part, when you sent them and from which address; and a friend's own report "
        "speaks of your friendship too: the two factors multiply.",
    ]


def _after(prior: float, factor: float) -> float:
    """Bayes: the odds times the factor, as a probability."""
    return prior * factor / (prior * factor + 1 - prior)
