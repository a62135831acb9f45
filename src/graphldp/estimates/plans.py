"""The errors to expect of a survey, before anybody is asked.

Errors follow from the law of the noise, a = α/(1−α)² with α = e^(−ε), for n users in G groups of equal size, of whom a
share f answers. What depends on the community is guessed: k friends on average, spread as widely as their mean.

    friendships            √(2an)/2, and n·k·√((1−f)/(fn))/2 for who is missing
    share without a friend √(a(1+a)(1−α)/n) at most, when nobody has more than one
    a bar                  √(2a(1+a)/(kn)), by the reports at its two edges
    a cell of the mixing   √(an/G) between two groups, √(an/(2G)) inside one
    E–I index              √(2anG)/(nk), where half of all friendships stay inside
    triangles, one round   √(v·Σc² + v²·(nk/2)(n−2) + v³·C(n,3)), v the variance of a pair's two bits
    triangles, two rounds  √(2n((C/ε₂)² + ((C−4F√2k)/ε₀)²)/(12(1−2F))² + v·Σc²/9), C that of √2·k friends

with Σc² over all pairs' common friends, guessed as S·(1 + γk) from S 2-stars and the clustering γ. Triangles vary over
users by (√5/2)γk².

How many communities a classifier needs was measured (``curves.json``, by ``python -m benchmarks.surveys``).
"""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scipy.special import expit

from graphldp.errors import bad_parameter, extra_named
from graphldp.estimates.noise import spread
from graphldp.estimates.rows import number
from graphldp.files.text import facts
from graphldp.privacy.pairs import PAIR_SHARES, PAIR_SLACK, pair_cap, slack_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LEAST, MOST = 1e-6, 1e6
"""The least number that a plan is made for, and the most ε: errors beyond are larger or smaller than any float."""

_MOST_USERS = (1 << 31) - 1
_CURVES = Path(__file__).with_name("curves.json")


@dataclass(frozen=True)
class Expected:
    """One row of a plan.

    Args:
        name: of the statistic.
        survey: what is asked: ``degrees``, ``friend counts``, ``lists`` or ``closed pairs``.
        error: the standard error to expect.
        margin: 1.96 of them, the ± of a 95 % interval.
        guess: the value that the guesses give, None where there is none.
    """

    name: str
    survey: str
    error: float
    margin: float
    guess: float | None = None

    @property
    def words(self) -> str:
        """The ± in words; of a guessed value its share, too."""
        words = f"± {number(self.margin)}"
        if self.guess is not None:
            share = f"{self.margin / self.guess:.1%}".replace(".0%", "%").replace("%", " %")
            words += f" of about {number(self.guess)} ({share})"
        vague = self.margin > (1 / 4 if self.guess is None else self.guess)  # as Estimate.vague has it
        return f"{words}; too noisy to tell" if vague else words


@dataclass(frozen=True)
class Learned:
    """How well a classifier did that had learned from so many communities.

    Args:
        communities: with a known label.
        accuracy: the mean over splits, on communities that it had not seen.
        deviation: over the splits.
    """

    communities: int
    accuracy: float
    deviation: float

    def words(self) -> dict[str, str]:
        """As a row of a table."""
        return {"communities": f"{self.communities:,}", "right": f"{self.accuracy:.0%} ± {self.deviation:.0%}"}


@dataclass(frozen=True)
class SurveyPlan:
    """A plan: the errors to expect of a survey.

    Args:
        users: asked.
        groups: of equal size.
        epsilon: of each user.
        reporting: the share that answers.
        friends: the guessed mean degree.
        clustering: the guessed clustering.
        rows: the errors.
        learning: what a classifier reached, measured where size, ε and answers were nearest to these.
        measured: on which communities, in words.
    """

    users: int
    groups: int
    epsilon: float
    reporting: float
    friends: float
    clustering: float
    rows: tuple[Expected, ...]
    learning: tuple[Learned, ...]
    measured: str

    def to_records(self) -> list[dict[str, Any]]:
        """The rows as plain values."""
        return [asdict(row) for row in self.rows]

    def learned(self) -> list[dict[str, Any]]:
        """The measured accuracies as plain values."""
        return [asdict(each) for each in self.learning]

    def plot(self) -> Figure:
        """The ± of each statistic against ε, around the ε that was asked for: of a guessed value as its share."""
        with extra_named("SurveyPlan.plot"):
            from matplotlib import pyplot as plt
        epsilons = [self.epsilon * 4 ** (step / 8) for step in range(-8, 9)]
        plans = [_rows(replace(self, epsilon=each)) for each in epsilons]
        figure, axes = plt.subplots(figsize=(6, 4))
        for place, row in enumerate(self.rows):
            axes.plot(epsilons, [rows[place].margin / (row.guess or 1.0) for rows in plans], label=row.name)
        axes.axvline(self.epsilon, color="grey", linewidth=0.8)
        axes.set(xscale="log", yscale="log", xlabel="ε", ylabel="± (95 %), of the value or as a share")
        axes.legend(fontsize=8)
        figure.tight_layout()
        return figure

    def __str__(self) -> str:
        lines = [f"{row.name:<34} {row.words}   (asking for {row.survey})" for row in self.rows]
        lines.append(f"To label communities: learned from so many, so many others were right. {self.measured}")
        lines += [f"{each.communities:>6,} {each.accuracy:.0%} ± {each.deviation:.0%}" for each in self.learning]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return facts(
            f"SurveyPlan for {self.users:,} users at ε = {self.epsilon:g}", {row.name: row.words for row in self.rows}
        )


def plan(
    *,
    users: int,
    groups: int = 1,
    epsilon: float = 1.0,
    reporting: float = 1.0,
    friends: float | None = None,
    clustering: float = 0.2,
) -> SurveyPlan:
    """Say what errors to expect, each statistic asked for with all of ε.

    Args:
        users: in the roster.
        groups: into which they fall, of equal size.
        epsilon: of each user.
        reporting: the share of users who answer.
        friends: how many friends in the roster they have on average; by default a tenth of it, and ten at most.
        clustering: the share of pairs of a user's friends who may be friends. Triangles are asked for by noisy lists
            in one round (``RR``) or by ``ClosedPairs`` in two: the plan says which of them is worth it.

    Example::

        print(gl.plan(users=200, groups=4, epsilon=1.0))
    """
    if isinstance(users, bool) or not isinstance(users, int) or not 2 <= users <= _MOST_USERS:
        raise bad_parameter("users", "plan", f"a whole number from 2 to {_MOST_USERS}", users)
    if isinstance(groups, bool) or not isinstance(groups, int) or not 1 <= groups <= users:
        raise bad_parameter("groups", "plan", f"a whole number from 1 to {users}", groups)
    mean = min(users / 10, 10.0) if friends is None else friends
    bounds = {"epsilon": (epsilon, MOST), "reporting": (reporting, 1)}
    bounds |= {"friends": (mean, users - 1), "clustering": (clustering, 1)}
    for name, (value, most) in bounds.items():
        if isinstance(value, bool) or not isinstance(value, int | float) or not LEAST <= value <= most:
            raise bad_parameter(name, "plan", f"a number from {LEAST:g} to {most:g}", value)
    curve = min(_curves(), key=lambda each: _away(each, users, epsilon, reporting))
    learned = tuple(Learned(*each) for each in curve["curve"])
    words = f"Measured on {curve['about']}, at ε = {curve['epsilon']:g}, with {curve['reporting']:.0%} reporting."
    guesses = float(mean), float(clustering)
    asked = SurveyPlan(users, groups, float(epsilon), float(reporting), *guesses, (), learned, words)
    return replace(asked, rows=_rows(asked))


@cache
def _curves() -> list[dict[str, Any]]:
    """The measured curves: of each, the mean number of users, ε, the share that reported, and its points."""
    read: list[dict[str, Any]] = json.loads(_CURVES.read_text("utf-8"))
    return read


def _away(curve: dict[str, Any], users: int, epsilon: float, reporting: float) -> tuple[float, float, float]:
    """The distance of a curve from what is planned: first by size, then by ε, then by who answers."""
    sizes, budgets = math.log(curve["users"] / users), math.log(curve["epsilon"] / epsilon)
    return abs(sizes), abs(budgets), abs(curve["reporting"] - reporting)


def _rows(made: SurveyPlan) -> tuple[Expected, ...]:
    n, k, f, g = made.users, made.friends, made.reporting, made.groups
    decay, a = math.exp(-made.epsilon), float(spread(made.epsilon))
    asked = f * n
    missing = (1 - f) / asked  # of a mean, times the variance over users
    edge = a * (1 + a)
    share = min(1 / k, 1.0)  # of users near a degree
    ties, cell = n * k / 2, n / g
    degrees = [
        ("friendships", n / 2 * math.sqrt(2 * a / asked + k**2 * missing), ties),
        ("mean degree", math.sqrt(2 * a / asked + k**2 * missing), k),
        ("share without a friend, at most", math.sqrt(edge * (1 - decay) / asked + missing / 4), None),
        ("share of a bar of the histogram", math.sqrt(2 * edge * share / asked + share * missing), None),
    ]
    between = k / g  # friends of a user in each group
    per_user = 2 * a + (1 - f) * 2 * between
    mixing = [
        ("friendships between two groups", cell * math.sqrt(per_user / (2 * f * cell)), cell * between),
        ("friendships inside a group", cell / 2 * math.sqrt(per_user / (f * cell)), cell * between / 2),
        ("E–I index", math.sqrt((2 * a * g + (1 - f) * k) / asked) / k, None),
    ]
    kinds = {"degrees": degrees, "friend counts": mixing if g > 1 else []} | _triangles(made)
    return tuple(
        Expected(name, survey, error, 1.96 * error, guess)
        for survey, rows in kinds.items()
        for name, error, guess in rows
    )


def _triangles(made: SurveyPlan) -> dict[str, list[tuple[str, float, float | None]]]:
    """Triangles by noisy lists alone, and by a second question."""
    n, k, f = made.users, made.friends, made.reporting
    stars = n * k * (2 * k - 1) / 2 if k > 1 / 2 else 0.0
    guess = made.clustering * stars / 3
    absent = 5 / 4 * n * made.clustering**2 * k**4 * (1 - f) / f
    shared = stars * (1 + made.clustering * k)
    v = _pair(made.epsilon)
    once = v * shared + v**2 * n * k / 2 * (n - 2) / f + v**3 * math.comb(n, 3) / f**3
    degree, edges, answer = (made.epsilon * share for share in PAIR_SHARES)
    flip, busy = float(expit(-edges)), math.sqrt(2) * k
    cap = pair_cap(round(busy), n, flip, slack_of(degree, PAIR_SLACK, n))
    follows = 2 * float(spread(degree)) * (cap - 4 * flip * busy) ** 2
    noise = n / f * (2 * float(spread(answer / cap)) + follows) / (12 * (1 - 2 * flip)) ** 2
    twice = noise + _pair(edges) * shared / 9 / f
    return {
        "lists": [("triangles, in one round", math.sqrt(once + absent), guess or None)],
        "closed pairs": [("triangles, in two rounds", math.sqrt(twice + absent / 9), guess or None)],
    }


def _pair(epsilon: float) -> float:
    """The variance of the mean of a pair's two bits."""
    return float(spread(epsilon)) / 2
