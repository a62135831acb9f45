"""What an observer could and could not conclude from a report, in numbers that follow from its law.

A report changes the odds that one given person is a friend by a factor between e^(−ε) and e^ε, for an observer whose
beliefs about the other friendships are independent of this one, or who knows the others. Where k friendships stand or
fall together, the factor is e^(kε) (group privacy). This report's own factors are those of its thresholds: for a person
who is listed, and for one who is not.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from graphldp.client.sampling.sampler import WORD_BITS, exact, thresholds
from graphldp.privacy.pairs import LIST_PART
from graphldp.wire import WITH_DEGREE, Report

PRIORS = (0.01, 0.1, 0.5)
GROUP = 10
NEARLY_SURE = 0.9
LEVELS = (
    (0.25, "very private"),
    (0.75, "private"),
    (1.5, "fairly private"),
    (3.0, "tells much"),
    (math.inf, "tells nearly everything"),
)
UNPROTECTED = (
    "Not protected: that you take part, which choice of ε you took, when you send this, to about a minute, and so "
    "whether you took minutes or hours over it, and from which address."
)


@dataclass(frozen=True)
class Conclusions:
    """The most that a report tells.

    Args:
        epsilon: ε₁ + ε₂; ``inf`` for a public list.
        odds_factor: e^ε, the most by which the odds of one friendship can change, up or down, for somebody whose
            beliefs about the others are independent of it, or who knows them.
        listed_factor: by how much being listed changes the odds, given d*; None where there is no list.
        unlisted_factor: the same for not being listed.
        degree_factor: e^ε₁, the most by which d* changes them besides; 1 where there is none.
    """

    epsilon: float
    odds_factor: float
    listed_factor: float | None
    unlisted_factor: float | None
    degree_factor: float = 1.0

    def believes(self, prior: float) -> tuple[float, float]:
        """The least and the most that an observer can believe after, who believed ``prior`` before."""
        return _after(prior, 1 / self.odds_factor), _after(prior, self.odds_factor)

    def group_factor(self, size: int) -> float:
        """The most by which the odds of so many friendships change that stand or fall together."""
        return math.exp(size * self.epsilon)


def conclude(report: Report) -> Conclusions:
    """The numbers for one report."""
    if report.mechanism == "public":
        return Conclusions(math.inf, math.inf, math.inf, 0.0)
    epsilon = report.epsilon1 + report.epsilon2
    if not report.epsilon2:
        return Conclusions(epsilon, math.exp(epsilon), None, None)
    by_degree = report.noisy_degree if report.mechanism == "dprr" else None
    on_list = exact(report.epsilon2) * (LIST_PART if report.mechanism == "closed-pairs" else 1)
    stranger, neighbour = thresholds(on_list, report.n, by_degree, WORD_BITS)
    whole = 1 << WORD_BITS
    listed = neighbour / stranger if stranger else 1.0
    unlisted = (whole - neighbour) / (whole - stranger)
    return Conclusions(epsilon, math.exp(epsilon), listed, unlisted, math.exp(report.epsilon1))


def in_words(report: Report, size: int, group_names: Sequence[str] = ()) -> list[str]:
    """The conclusions in words: what leaves the device, what it tells, what it does not, and what it cannot hide.

    Args:
        report: what was drawn.
        size: of its bytes.
        group_names: what the groups are called that it counts by.
    """
    lines = [f"{size} bytes leave this device. They name you by your number, {report.user} of {report.n:,}."]
    if report.mechanism == "public":
        return [
            *lines,
            "They hold your list as it is: whoever reads them knows who your friends in this community are.",
            UNPROTECTED,
        ]
    told = conclude(report)
    if report.mechanism in WITH_DEGREE:
        lines.append(f"They say that you have {report.noisy_degree} friends here: the true number plus noise.")
    if report.counts is not None:
        counts = ", ".join(f"{name}: {count}" for name, count in zip(group_names, report.counts, strict=True))
        lines.append(
            f"They say how many friends you have in each group: {counts}. Each is the true number plus noise of its "
            "own. One friend stands in one group, so the ε is spent once, however many groups there are."
        )
    if report.mechanism == "closed-pairs":
        lines.append(
            "You are asked again once the others have reported: how many pairs of your friends are friends, by "
            "everybody's noisy list. 'graphldp client answer' counts them, with noise that was drawn with this report; "
            "its ε is in the one that you were told. Your list is kept here until then; 'graphldp client answer "
            "--decline' deletes it."
        )
    elif report.asked:
        lines.append(
            "They say that you are asked again. Once the others have reported, you are asked how many of your friends "
            "are busy: 'graphldp client answer' counts them, with noise that was drawn with this report, at no more ε. "
            "Your list is kept here until then; 'graphldp client answer --decline' deletes it."
        )
    elif report.hub:
        lines.append("They say that you look like a hub, so they hold a list as well.")
    if report.epsilon2:
        lines.append(f"They list {len(report.neighbours):,} people, drawn by chance among friends and strangers alike.")
    return [*lines, *_odds(told), UNPROTECTED]


def level(epsilon: float) -> str:
    """How private an ε is, in words; the browser client has the same."""
    return next(words for most, words in LEVELS if epsilon <= most)


def in_general(epsilon: float) -> list[str]:
    """What an ε allows whoever reads a report, and both friends' reports: true before the draw and after it."""
    told = Conclusions(epsilon, math.exp(epsilon), None, None)
    both = Conclusions(2 * epsilon, math.exp(2 * epsilon), None, None)
    lines = [
        f"ε = {epsilon:.6g}: the odds that one given person is your friend change by a factor of "
        f"{told.odds_factor:.4g} at most, up or down. This is so for somebody whose beliefs about your other "
        "friendships do not hang on this one, or who knows the others already.",
        f"Friendships that stand or fall together count together: with {GROUP} of them the factor is up to "
        f"e^({GROUP}ε) = {told.group_factor(GROUP):.4g}.",
    ]
    for prior in PRIORS:
        low, high = told.believes(prior)
        lines.append(f"One friendship, {prior:.0%} likely beforehand, becomes {low:.1%} to {high:.1%} likely.")
    lines.append(
        "Your friend's own report speaks of your friendship too, and the two factors multiply. If hers has the same ε, "
        f"both together have {both.epsilon:.6g}: a factor of {both.odds_factor:.4g}, and {PRIORS[1]:.0%} beforehand "
        f"becomes {both.believes(PRIORS[1])[1]:.1%} at most."
    )
    if told.believes(0.5)[1] >= NEARLY_SURE:
        lines.append("At this ε somebody who reads your report can become nearly sure of a friendship.")
    return lines


def _odds(told: Conclusions) -> list[str]:
    lines = in_general(told.epsilon)
    if told.listed_factor is not None and told.unlisted_factor is not None:
        found = f"In this report being listed changes a person's odds by {told.listed_factor:.4g}, not being listed "
        lines.append(f"{found}by {told.unlisted_factor:.4g}.")
    if told.listed_factor is not None and told.degree_factor > 1:
        lines.append(
            "The number of friends changes them as well, for somebody who knows the others: by a factor of up to "
            f"{told.degree_factor:.4g}, up or down."
        )
    return lines


def _after(prior: float, factor: float) -> float:
    """Bayes: the odds times the factor, as a probability."""
    return prior * factor / (prior * factor + 1 - prior)
