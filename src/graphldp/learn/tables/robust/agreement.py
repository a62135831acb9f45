"""Whether judges agree on new graphs as much as they did on graphs that were held out.

Three judges label a graph: n, the votes and the profile. All are learned from the same training graphs. Where nobody
lies, they agree on graphs that are to be labelled as much as on held-out training graphs. Liars in training graphs who
teach a judge the wrong thing cannot have both: who contradicts the truth contradicts the other judges, too, wherever
nobody lies. No label is needed to see it. Of two judges, two numbers are compared:

    r = the correlation of their chances      o = the share of labels of the one that the other overturns

With σ² the variance of r for one graph, by its influence on r among m held-out graphs, r fell if

    (r − r') / √(σ²/m + σ²/m') > 4      among m' new ones

and o rose if (o' − o)/√(p(1 − p)(1/m + 1/m')) > 4, p the share over both. On honest graphs drawn like the training
graphs, either happens with a probability of about 3·10⁻⁵. The second test bounds the harm, whatever liars do and
wherever they are: the profile overturns hardly more labels of the votes than it did before, or it is not heard.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple, Self

import numpy as np
from scipy.special import softmax

from graphldp.learn.tables.robust.levels import Flags
from graphldp.learn.tables.tabular import Floats

Trust = Literal["size", "votes", "profile"]
"""What may be used: n alone, the votes, or the votes and the profile; in rising order."""

FEWEST = 20
"""Graphs below which nothing is compared: a normal law says little about fewer."""

_LIMIT = 4.0  # standard errors
_LITTLE = 0.5  # of an agreement
_LEAST = 1e-12


@dataclass(frozen=True)
class Agreement:
    """How two judges agree about some graphs.

    Args:
        correlation: r.
        spread: σ.
        overturned: o.
        graphs: m.
    """

    correlation: float
    spread: float
    overturned: float
    graphs: int

    @classmethod
    def of(cls, first: Floats, second: Floats, overturned: Flags) -> Self:
        """Read it off the chances that each judge gives to each class, [graphs, classes]."""
        a, b = _standard(first), _standard(second)
        product = (a * b).sum(axis=1)
        r = float(product.mean())
        influence = product - r * (a**2 + b**2).sum(axis=1) / 2
        return cls(r, float(influence.std()), float(overturned.mean()), len(product))

    @classmethod
    def at_worst(cls, first: Floats, second: Floats, overturned: Flags, *, fixed: bool) -> Self:
        """The least agreement that users of one graph can bring about, whichever graph it is and whatever they send.

        Without graph i the sums of squares and products are A, B and S. With it, at distances s and t from the means
        of the others, r ≥ (S − c·s·t) / √((A + c·s²)(B + c·t²)), c = (m − 1)/m, and this falls in s and t as long as
        it is positive. No chances are further from a mean than those of a judge who is sure of one class.

        Args:
            first: the chances that each judge gives.
            second: those of the other.
            overturned: where labels differ.
            fixed: whether nobody can lie to the first judge.
        """
        m, far = len(first), []
        c = (m - 1) / m
        for each, moves in ((first, not fixed), (second, True)):
            others = (each.sum(axis=0) - each) / (m - 1)
            away = each - others
            surest = 1 - 2 * others.min(axis=1) + (others**2).sum(axis=1)
            far.append((each - each.mean(axis=0), away, surest if moves else (away**2).sum(axis=1)))
        (a, away_a, most_a), (b, away_b, most_b) = far
        product = (a * b).sum() - c * ((away_a * away_b).sum(axis=1) + np.sqrt(most_a * most_b))
        squares = [(x**2).sum() + c * (most - (away**2).sum(axis=1)) for x, away, most in far]
        r = np.where(product > 0, product / np.sqrt(np.maximum(squares[0] * squares[1], _LEAST)), -1.0)
        return cls(float(r.min()), 0.0, min(float(overturned.mean()) + 1 / m, 1.0), m)

    def fell(self, new: Agreement) -> bool:
        """Whether the judges agree less on new graphs, by more than chance explains."""
        if min(self.graphs, new.graphs) < FEWEST:
            return False
        each = 1 / self.graphs + 1 / new.graphs
        less = self.correlation - new.correlation
        more = new.overturned - self.overturned
        share = (self.graphs * self.overturned + new.graphs * new.overturned) / (self.graphs + new.graphs)
        return bool(
            less > _LIMIT * self.spread * np.sqrt(each) + _LEAST
            or more > _LIMIT * np.sqrt(share * (1 - share) * each) + _LEAST
        )


def _standard(chances: Floats) -> Floats:
    """With mean 0 and, over all classes, variance 1."""
    centred = chances - chances.mean(axis=0)
    return np.asarray(centred / np.sqrt(max((centred**2).sum(axis=1).mean(), _LEAST)))


class Statements(NamedTuple):
    """What the judges say of graphs, [graphs, classes].

    Args:
        size: the chances by n alone.
        votes: the scores by votes, of which n is a part.
        profile: the chances by the profile.
        heard: the scores by votes and profile together.
    """

    size: Floats
    votes: Floats
    profile: Floats
    heard: Floats

    def where(self, chosen: Flags, other: Statements) -> Statements:
        """These statements for the chosen graphs, and others for the rest."""
        return Statements(*(np.where(chosen[:, None], ours, theirs) for ours, theirs in zip(self, other, strict=True)))


class Agreements(NamedTuple):
    """How the votes agree with n, and the profile with the votes."""

    votes: Agreement
    profile: Agreement

    @classmethod
    def of(cls, found: Statements) -> Self:
        """Read them off what was said of graphs."""
        votes, profile = _pairs(found)
        return cls(Agreement.of(*votes), Agreement.of(*profile))

    @classmethod
    def at_worst(cls, found: Statements) -> Self:
        """The least that users of one graph can make of them. Nobody can lie about n."""
        votes, profile = _pairs(found)
        return cls(Agreement.at_worst(*votes, fixed=True), Agreement.at_worst(*profile, fixed=False))

    def trust(self, new: Agreements, *, size_serves: bool) -> Trust:
        """What may be heard of graphs on which the judges agree so much.

        Votes that n contradicts are not heard; nor is a profile that they contradict. Where less than half of its
        agreement with the votes is left, they have learned from forged claims, too, and n decides alone.

        Args:
            new: how they agree on those graphs.
            size_serves: whether n says anything of the class; if not, the votes are heard in any case.
        """
        if size_serves and self.votes.fell(new.votes):
            return "size"
        if not self.profile.fell(new.profile):
            return "profile"
        little = new.profile.correlation < _LITTLE * self.profile.correlation
        return "size" if size_serves and little else "votes"


def _pairs(found: Statements) -> tuple[tuple[Floats, Floats, Flags], tuple[Floats, Floats, Flags]]:
    """What n and votes say, and votes and profile, and where the second overturns the first."""
    size, votes, heard = (each.argmax(axis=1) for each in (found.size, found.votes, found.heard))
    chances = np.asarray(softmax(found.votes, axis=1))
    return (found.size, chances, size != votes), (chances, found.profile, votes != heard)
