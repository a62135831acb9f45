"""How clearly the votes have to lead, and how sure a class has to be, for a label to be theirs.

Both are chosen on held-out graphs, and what a choice costs is read off the profile. Let q be its calibrated chances. A
label c in place of the profile's own d costs

    q_d − q_c ≥ 0     labels, on average.

Counting labels that are right before and after would do as well, if there were many more graphs. With some thousand, a
limit looks cheap by luck, and new graphs pay for it. A cost is never negative, so a lower limit costs more. Each limit
is the lowest that keeps within what is allowed: half of it for the votes, and what they leave for settled classes.
"""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np

from graphldp.learn.calibration import Calibration
from graphldp.learn.tables.robust.absences import UNSETTLED
from graphldp.learn.tables.robust.level_profile import Codes
from graphldp.learn.tables.robust.levels import Flags, Floats

_BY_VOTES = 0.5  # of what is allowed
_LOUDNESS = 2.0  # of the profile's log odds beside the votes, in what is said of how sure a label is
_NARROW = 0.01  # the lead of a label that votes and profile together would not give
_RARE = 1e-3  # the least probability whose logarithm is taken


class LabelLimits(NamedTuple):
    """What overrules the profile.

    Args:
        voice: τ. The votes decide where they lead by more.
        sure: s. A class is settled where its chance stays above, whoever is left out; at least one half.
    """

    voice: float
    sure: float

    @classmethod
    def choose(cls, votes: Floats, chances: Floats, settled: Floats, codes: Codes, allowance: float) -> Self:
        """The lowest limits that cost no more than allowed.

        Args:
            votes: scores of held-out graphs, [graphs, classes].
            chances: the profile's of the same graphs.
            settled: the chance of each class above which no limit settles it. Where too few graphs were left to learn
                it, all are 0, no cost is known, and nothing is to be settled.
            codes: their true classes; only the calibration of the profile sees them.
            allowance: the share of labels that may be lost.
        """
        worth = Calibration.fit(chances, codes).apply(chances)
        allowed, lead = allowance * len(codes), _lead(votes)
        cost = worth.max(axis=1) - worth[np.arange(len(codes)), votes.argmax(axis=1)]
        voice = _lowest(lead, cost, allowed * _BY_VOTES)
        voted = lead > voice
        cost = np.where(voted, cost, worth.max(axis=1) - worth[np.arange(len(codes)), settled.argmax(axis=1)])
        chance = np.where(voted, np.inf, settled.max(axis=1))
        return cls(voice, max(_lowest(chance, cost, allowed), 0.5) if settled.any() else 1.0)


def _lead(votes: Floats) -> Floats:
    """By how much the first class of each graph leads the second."""
    first = np.sort(votes, axis=1)
    return np.asarray(first[:, -1] - first[:, -2])


def _lowest(clear: Floats, cost: Floats, allowed: float) -> float:
    """The lowest limit such that graphs above it cost no more than allowed together; 0 if all of them do."""
    order = np.argsort(-clear, kind="stable")
    dear: Flags = np.cumsum(cost[order]) > allowed
    return float(clear[order][dear.argmax()]) if dear.any() else 0.0


def _label(votes: Floats, chances: Floats, settled: Codes, voice: float) -> Codes:
    """The class of each graph: one that leads the votes by more than τ, or is settled, or is what the profile says."""
    spoken = np.where(settled == UNSETTLED, chances.argmax(axis=1), settled)
    own = np.arange(chances.shape[1]) == spoken[:, None]
    return np.asarray((votes + voice * own).argmax(axis=1))


def heard_scores(votes: Floats, chances: Floats, settled: Codes, voice: float) -> Floats:
    """Scores that give each graph its label, and say how sure it is: votes and profile together, where they agree."""
    row, label = np.arange(len(votes)), _label(votes, chances, settled, voice)
    heard = votes + _LOUDNESS * np.log(np.maximum(chances, _RARE))
    heard[row, label] = np.where(heard.argmax(axis=1) == label, heard[row, label], heard.max(axis=1) + _NARROW)
    return np.asarray(heard)
