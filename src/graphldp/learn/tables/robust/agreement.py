"""Whether judges agree on new graphs as much as they did on graphs that were held out.

Five judges label a graph: n, the quiet, the many, the votes and the profile. All are learned from the same training
graphs. Where nobody lies, they agree on graphs that are to be labelled as much as on held-out training graphs. Liars in
training graphs who teach a judge the wrong thing cannot have both: who contradicts the truth contradicts the other
judges, too, wherever nobody lies. No label is needed to see it. Of two judges, two numbers are compared:

    d = the mean of Σ_c (p_c − q_c)², p and q their chances
    o = the share of labels of the one that the other overturns

With σ² the variance of a graph's part of d, over m held-out graphs and m' new ones, d rose if

    (d' − d) / (σ √(1/m + 1/m')) > 4

and o rose if (o' − o)/√(p(1 − p)(1/m + 1/m')) > 4, p the share over both. On honest graphs drawn like the training
graphs, either is rare: 3·10⁻⁵ by a normal law, and some 10⁻³ where a few dozen graphs are compared. The second test
bounds the harm, whatever liars do and wherever they are: the profile overturns hardly more labels of the many than it
did before, or it is not heard. Both numbers change little with the share of each class among the graphs; a correlation
would. Where a judge is contradicted, their correlation r says whether much is left of what they agreed on.

Each judge has witnesses who are harder to mislead: n and the quiet for the many, the votes and the many for the
profile. What is heard of a graph is decided by all other graphs, so its own users have no say in it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple, Self

import numpy as np
from scipy.special import softmax

from graphldp.learn.tables.robust.level_profile import Codes
from graphldp.learn.tables.robust.levels import Flags
from graphldp.learn.tables.tabular import Floats

Trust = Literal["size", "many", "profile"]
"""What may be used: n alone, what most users say, or everything; in rising order."""

SIZE, MANY, PROFILE = range(3)
"""Their places."""

FEWEST = 20
"""Graphs below which nothing is compared: a normal law says little about fewer."""

_LIMIT = 4.0  # standard errors
_LITTLE = 0.5  # of a correlation
_LEAST = 1e-12


@dataclass(frozen=True)
class Agreement:
    """How two judges agree about some graphs, or about all others of each graph.

    Args:
        distance: d; one number, or one for each graph, as all others.
        squares: the mean of the squares of what d is the mean of.
        overturned: o.
        correlation: r, of their chances.
        graphs: m.
    """

    distance: Floats | float
    squares: Floats | float
    overturned: Floats | float
    correlation: Floats | float
    graphs: int

    @classmethod
    def of(cls, first: Floats, second: Floats, overturned: Flags) -> Self:
        """Read it off the chances that each judge gives to each class, [graphs, classes]."""
        return cls._of(first, second, overturned, 0)

    @classmethod
    def of_others(cls, first: Floats, second: Floats, overturned: Flags) -> Self:
        """The same for all graphs but one, for each of them in turn; two graphs or more."""
        return cls._of(first, second, overturned, 1)

    @classmethod
    def _of(cls, first: Floats, second: Floats, overturned: Flags, left_out: int) -> Self:
        m = len(first) - left_out

        def mean(each: Floats) -> Floats:
            """Of all graphs, or of all but one."""
            total = each.sum(axis=0)
            return np.asarray((total - each if left_out else total) / m)

        def product(x: Floats, y: Floats) -> Floats:
            return np.asarray(mean((x * y).sum(axis=1)) - (mean(x) * mean(y)).sum(axis=-1))

        part = ((first - second) ** 2).sum(axis=1)
        spread = np.sqrt(np.maximum(product(first, first), _LEAST) * np.maximum(product(second, second), _LEAST))
        r = product(first, second) / spread
        return cls(mean(part), mean(part**2), mean(overturned.astype(np.float64)), r, m)

    def fell(self, new: Agreement) -> Flags:
        """Whether the judges agree less on new graphs, by more than chance explains."""
        if min(self.graphs, new.graphs) < FEWEST:
            return np.zeros(np.shape(new.distance), np.bool_)
        d, squares, o = (
            (self.graphs * before + new.graphs * after) / (self.graphs + new.graphs)
            for before, after in (
                (self.distance, new.distance),
                (self.squares, new.squares),
                (self.overturned, new.overturned),
            )
        )
        error = _LIMIT * np.sqrt(1 / self.graphs + 1 / new.graphs)
        farther, more = new.distance - self.distance, new.overturned - self.overturned
        apart = farther > error * np.sqrt(np.maximum(squares - d**2, 0.0)) + _LEAST
        return np.asarray(apart | (more > error * np.sqrt(o * (1 - o)) + _LEAST))

    def room(self, graphs: int) -> tuple[float, float]:
        """By how much d and o may rise on so many new graphs before somebody doubts them; without limit on a few."""
        if min(self.graphs, graphs) < FEWEST:
            return np.inf, np.inf
        error = _LIMIT * np.sqrt(1 / self.graphs + 1 / graphs)
        spreads = self.squares - self.distance**2, self.overturned * (1 - self.overturned)
        d, o = (float(error * np.sqrt(np.maximum(each, 0.0))) for each in spreads)
        return d, o

    def little_left(self, new: Agreement) -> Flags:
        """Whether less than half of a correlation is left on new graphs."""
        return np.asarray(new.correlation < _LITTLE * np.maximum(self.correlation, 0.0))


class Statements(NamedTuple):
    """What the judges say of graphs, [graphs, classes].

    Args:
        size: the chances by n alone.
        quiet: the chances by all users but the busiest fifth.
        many: the chances by all users but the busiest few.
        votes: the scores by votes, of which n is a part.
        profile: the chances by the profile.
        heard: the scores by votes and profile together.
    """

    size: Floats
    quiet: Floats
    many: Floats
    votes: Floats
    profile: Floats
    heard: Floats


class Agreements(NamedTuple):
    """How two judges agree with their witnesses: the many with n and with the quiet, the profile with votes and many.

    Args:
        many: of the many with each witness.
        profile: of the profile with each.
    """

    many: tuple[Agreement, ...]
    profile: tuple[Agreement, ...]

    @classmethod
    def of(cls, found: Statements) -> Self:
        """Read them off what was said of graphs."""
        return cls(*(tuple(Agreement.of(*pair) for pair in pairs) for pairs in pairs_of(found)))

    @classmethod
    def of_others(cls, found: Statements) -> Self:
        """The same for all graphs but one, for each of them in turn."""
        return cls(*(tuple(Agreement.of_others(*pair) for pair in pairs) for pairs in pairs_of(found)))

    def trust(self, new: Agreements, *, size_serves: bool) -> Codes:
        """What may be heard of graphs on which the judges agree so much: no judge whom a witness contradicts.

        Where less than half is left of what the profile agreed on with the many, so many lied that these have learned
        from them, too.

        Args:
            new: how they agree on those graphs.
            size_serves: whether n says anything of the class; if not, the many are heard in any case.

        Returns:
            The place of each in :data:`Trust`.
        """
        many, profile = (
            np.any([before.fell(after) for before, after in zip(*both, strict=True)], axis=0)
            for both in zip(self, new, strict=True)
        )
        forged = many | (profile & self.profile[-1].little_left(new.profile[-1]))
        return np.where(forged & size_serves, SIZE, np.where(profile, MANY, PROFILE))


Pairing = tuple[Floats, Floats, Flags]


def pairs_of(found: Statements) -> tuple[tuple[Pairing, ...], tuple[Pairing, ...]]:
    """What witness and judge say, and where the judge overturns a label: for the many, and for the profile."""
    many, heard = found.many.argmax(axis=1), found.heard.argmax(axis=1)
    votes = np.asarray(softmax(found.votes, axis=1))
    return (
        tuple((each, found.many, each.argmax(axis=1) != many) for each in (found.size, found.quiet)),
        tuple((each, found.profile, each.argmax(axis=1) != heard) for each in (votes, found.many)),
    )
